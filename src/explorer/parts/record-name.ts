/** The names of records in lists and headings: the title, another text, or the kind and time. */
import { recordKey } from '../../util/text/record-key.ts'
import { singularLabel } from '../fields/labels.ts'
import { aboutField } from '../fields/named-references.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { isNamed, timeOf } from './values.ts'

/** A value of the record, as its JSON has it, or the name behind a reference; undefined where it is not known. */
export type ReadValue = (field: ShownField) => unknown

/** The title, what it is about (`Analysis: Storm hits the coast`), the summary, or the first other free text; null without. */
export function namingText(read: ReadValue, subject: PageSubject, language: Language) {
  const { fields, ownFields, roles } = subject
  const about = aboutField(subject) ?? undefined
  const title = fields.get(roles.title ?? '')
  const representing = [title, about, fields.get(roles.summary ?? '')].filter((field) => field !== undefined)
  const others = [...ownFields.values()].filter(
    ({ type, isArray, many, properties }) =>
      type.kind === 'string' && type.freeText && !isArray && !many && properties.length === 1,
  )
  for (const field of [...representing, ...others]) {
    const value = read(field)
    if (field === about && isNamed(value))
      return { field, text: `${singularLabel(subject, language)}: ${value.name}` }
    const text = field === about ? null : value
    if (typeof text === 'string' && text.trim() !== '') return { field, text }
  }
  return null
}

/** `Like · Nov 16, 2026, 1:13 PM UTC`, for a record without texts, where there is no HTML. */
export function kindAndTime(read: ReadValue, subject: PageSubject, language: Language): string {
  const kind = singularLabel(subject, language)
  const time = timeIn(read, subject)
  return time === null ? kind : `${kind} · ${language.time(time)} UTC`
}

function timeIn(read: ReadValue, { fields, roles }: PageSubject): string | null {
  const field = fields.get(roles.time)
  const time = field === undefined ? undefined : read(field)
  return typeof time === 'string' ? time : null
}

/** The same as HTML, with the key of the record, which tells it from others of the same time. `uri`: null without others. */
export function kindTimeAndKey(
  read: ReadValue,
  subject: PageSubject,
  uri: string | null,
  language: Language,
): Html {
  const time = timeIn(read, subject)
  return html`<bdi>${singularLabel(subject, language)}${time !== null && html` · ${timeOf(time, language)}`}</bdi>${uri !== null && html` <bdi class="uri" title=${uri}>${recordKey(uri)}</bdi>`}`
}
