/** The names of records in lists and headings: the title, another text, or the kind and time. */
import { recordKey } from '../../util/text/record-key.ts'
import { subjectLabel } from '../fields/labels.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { timeOf } from './values.ts'

export interface NamingText {
  readonly field: ShownField
  readonly text: string
}

/** A value of the record, as its JSON has it; undefined where it is not known. */
export type ReadValue = (field: ShownField) => unknown

/** The title, the summary, or the first other free text; null for a record without any. */
export function namingText(read: ReadValue, { fields, ownFields, roles }: PageSubject): NamingText | null {
  const representing = [roles.title, roles.summary].flatMap((name) =>
    name === null ? [] : (fields.get(name) ?? []),
  )
  const others = [...ownFields.values()].filter(
    ({ type, isArray, many, properties }) =>
      type.kind === 'string' && type.freeText && !isArray && !many && properties.length === 1,
  )
  for (const field of [...representing, ...others]) {
    const text = read(field)
    if (typeof text === 'string' && text.trim() !== '') return { field, text }
  }
  return null
}

/** `Like · Nov 16, 2026, 1:13 PM UTC`, for a record without texts, where there is no HTML. */
export function kindAndTime(read: ReadValue, subject: PageSubject, language: Language): string {
  const kind = subjectLabel(subject, language)
  const time = timeIn(read, subject)
  return time === null ? kind : `${kind} · ${language.time(time)} UTC`
}

function timeIn(read: ReadValue, { fields, roles }: PageSubject): string | null {
  const field = fields.get(roles.time)
  const time = field === undefined ? undefined : read(field)
  return typeof time === 'string' ? time : null
}

/** Kind and time with the key of the record, which tells it from others of the same time. */
export function kindTimeAndKey(read: ReadValue, subject: PageSubject, uri: string, language: Language): Html {
  const time = timeIn(read, subject)
  return html`<bdi>${subjectLabel(subject, language)}${time !== null && html` · ${timeOf(time, language)}`}</bdi> <bdi class="uri" title=${uri}>${recordKey(uri)}</bdi>`
}
