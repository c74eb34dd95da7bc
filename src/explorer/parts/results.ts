/** The records of a page as a list, a table, or cards. */
import { fieldDescription, fieldLabel, singularLabel } from '../fields/labels.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { ShownField } from '../fields/shown-field.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import type { Show } from '../view/view.ts'
import { kindTimeAndKey, namingText, type ReadValue } from './record-name.ts'
import { isAllowedPicture } from './pictures.ts'
import { isPresent, recordLink, recordText, shortText, timeOf, toldApart, valueOf } from './values.ts'

export interface SnippetAnswer {
  readonly text: string
  readonly ranges: readonly { readonly start: number; readonly end: number }[]
}

/** A record of the answer: values by names of fields, and snippets of the texts that the search found. */
export interface Result {
  readonly uri: string
  /** Undefined where it was not asked for. */
  readonly indexedAt?: string | undefined
  readonly values: Readonly<Record<string, unknown>>
  readonly snippets: Readonly<Record<string, SnippetAnswer | null>>
}

type Columns = readonly ShownField[]

export function results(all: readonly Result[], show: Show, columns: Columns, given: ResultContext): Html {
  const found = toldApart(all)
  if (show === 'table') return table(found, columns, given)
  const context = show === 'cards' ? given : { ...given, imageHosts: [] }
  return html`<ol class=${show}>${found.map((result, at) => resultItem(result, columns, context, at))}</ol>`
}

/** What results are shown with. */
interface ResultContext {
  readonly subject: PageSubject
  readonly language: Language
  /** The head of a column of the table. */
  readonly head?: (field: ShownField) => Html
  /** Hosts whose images cards show: `*` for every one. */
  readonly imageHosts?: readonly string[]
  /** What a list of several collections says of each record. */
  readonly kind?: string
  /** What else is said of a record. */
  readonly note?: (result: Result, at: number) => Html
}

/** An element of a list. */
export function resultItem(result: Result, columns: Columns, context: ResultContext, at = 0): Html {
  const { subject, language, imageHosts = [], kind, note } = context
  const { roles, fields } = subject
  const { title, summary, time, image } = roles
  const named = namingText(readIn(result), subject, context.language)
  const link = titleLink(result, named, context)
  const shortened = named?.field.name === summary ? null : snippet(result, summary)
  const own = [title, summary, time, image, named?.field.name]
  return html`<li class="result">
    ${image !== null && picture(result.values[image], imageHosts)}
    <h3>${link}</h3>
    ${shortened !== null && html`<p class="summary">${shortened}</p>`}
    <p class="facts">
      ${kind !== undefined && html`<span class="fact kind">${kind}</span>`}
      ${(named !== null || typeof result.values[time] !== 'string') && timeFact(result, subject, language)}
      ${columns
        .filter(({ name }) => !own.includes(name) && fields.has(name) && isPresent(result.values[name]))
        .map(
          (field) =>
            html`<span class="fact" title=${fieldLabel(field, language)}>${needsLabel(field) && html`<span class="label">${fieldLabel(field, language)}</span> `}${valueOf(field, result.values[field.name], language, true)}</span>`,
        )}
      ${note?.(result, at)}
    </p>
  </li>`
}

/** The time that represents the record; where it has none, when it was indexed, which is said. */
export function timeFact({ values, indexedAt }: Result, { roles }: PageSubject, language: Language): Html {
  const time = values[roles.time]
  if (typeof time === 'string') return timeOf(time, language)
  return (
    indexedAt !== undefined &&
    html`<span class="fact"><span class="label">${language.text.indexedAt}</span> ${timeOf(indexedAt, language)}</span>`
  )
}

/** A number alone says nothing, nor does “yes”. */
function needsLabel({ type }: ShownField): boolean {
  return type.kind === 'integer' || type.kind === 'boolean' || type.kind === 'datetime'
}

function picture(address: unknown, hosts: readonly string[]): Html {
  if (typeof address !== 'string' || !isAllowedPicture(address, hosts)) return null
  return html`<img class="picture" src=${address} alt="" loading="lazy" referrerpolicy="no-referrer" />`
}

function titleLink(
  result: Result,
  named: ReturnType<typeof namingText>,
  { subject, language }: ResultContext,
): Html {
  const content =
    named === null
      ? kindTimeAndKey(readIn(result), subject, result.uri, language)
      : (snippet(result, named.field.name) ?? recordText(shortText(named.text, longestText)))
  return recordLink(result.uri, content, language)
}

export function readIn({ values }: Result): ReadValue {
  return ({ name }) => values[name]
}

const longestText = 300

/** The text with what the search found marked; its beginning if it is long. Null without a text. */
function snippet({ values, snippets }: Result, name: string | null): Html {
  if (name === null) return null
  const found = snippets[name]
  if (found !== null && found !== undefined && found.ranges.length > 0) return marked(found)
  const text = values[name]
  if (typeof text !== 'string' || text === '') return null
  return recordText(shortText(text, longestText))
}

function marked({ text, ranges }: SnippetAnswer): Html {
  const parts: Html[] = []
  let at = 0
  for (const { start, end } of ranges) {
    parts.push(text.slice(at, start), html`<mark>${text.slice(start, end)}</mark>`)
    at = end
  }
  return html`<bdi>${[...parts, text.slice(at)]}</bdi>`
}

function table(found: readonly Result[], columns: Columns, context: ResultContext): Html {
  const { subject, language } = context
  const { title } = subject.roles
  const isTitled = found.some(({ values }) => isPresent(values[title ?? '']))
  const headOf = (field: ShownField) =>
    field.name === title && !isTitled
      ? html`<th scope="col">${singularLabel(subject, language)}</th>`
      : (context.head?.(field) ??
        html`<th scope="col" title=${fieldDescription(field, language)}>${fieldLabel(field, language)}</th>`)
  const noted = (result: Result, row: number): Html => {
    const said = context.note?.(result, row)
    return said != null && said !== false && html`<span class="facts">${said}</span>`
  }
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${language.text.table}>
    <table class="records">
      <thead><tr>${columns.map(headOf)}</tr></thead>
      <tbody>
        ${found.map(
          (result, row) =>
            html`<tr>${columns.map((field, at) => {
              const content =
                field.name === title
                  ? titleLink(result, namingText(readIn(result), subject, context.language), context)
                  : valueOf(field, result.values[field.name], language, at > 0)
              return html`<td class=${field.type.kind === 'integer' ? 'number' : undefined}>${at === 0 && field.name !== title ? recordLink(result.uri, content, language) : content}${at === 0 && noted(result, row)}</td>`
            })}</tr>`,
        )}
      </tbody>
    </table>
  </div>`
}
