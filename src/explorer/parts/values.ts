/** Values of records as HTML, by the kind of their field, and long texts. */
import { recordKey } from '../../util/text/record-key.ts'
import { isBlank } from '../../util/text/visible.ts'
import type { NamedReference } from '../fields/record-selection.ts'
import { lastPart } from '../../schema/model/naming.ts'
import { labelOf, valueLabel } from '../fields/labels.ts'
import { isLanguage, type ShownField } from '../fields/shown-field.ts'
import { recordAddress, withLanguage } from '../addresses.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'

/** Links that records contain: only to the web, and without our recommendation or the address of the page. */
export function webLink(address: string, content: Html): Html {
  return isWebAddress(address) ? html`<a href=${address} rel="nofollow ugc noopener">${content}</a>` : content
}

export function isWebAddress(address: string): boolean {
  return /^https?:\/\//i.test(address) && URL.canParse(address)
}

/** A text of a record: its direction is its own, and it cannot change that of what follows. */
export function recordText(text: string): Html {
  return html`<bdi>${text}</bdi>`
}

/** Characters that would turn the name of the service behind a title. */
export const directions = /[\u202A-\u202E\u2066-\u2069]/g

/** Midnight in UTC: publishers who know a date alone write it so. */
export const dateOnly = /T00:00:00(?:\.0+)?(?:Z|[+-]00:00)$/i

/** In UTC; scripts show it in the reader's zone. A date alone is in no zone. */
export function timeOf(instant: string, language: Language): Html {
  if (dateOnly.test(instant))
    return html`<time datetime=${instant.slice(0, 10)}>${language.date(instant)}</time>`
  return html`<time datetime=${instant}>${language.time(instant)}</time>`
}

/** A time that names its zone, because no note next to it does. */
export function timeAndZone(instant: string, language: Language): Html {
  if (dateOnly.test(instant)) return timeOf(instant, language)
  return html`<time datetime=${instant} data-zone>${language.time(instant)} UTC</time>`
}

/** In which zone the times near it are: UTC, until scripts have changed them. */
export function zoneNote({ text }: Language): Html {
  return html`<p class="zone" data-zone=${text.timesInZone('{zone}')}>${text.timesInUtc}</p>`
}

export function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)
}

/** A single value; `undefined` and null are a dash. */
export function valueOf(field: ShownField, value: unknown, language: Language, isListed = false): Html {
  if (value === null || value === undefined) return html`<span class="none">–</span>`
  if (Array.isArray(value))
    return html`<ul class="values">${value.slice(0, 50).map((each) => html`<li>${valueOf(field, each, language, isListed)}</li>`)}</ul>`
  const { kind } = field.type
  // Of a list, Tab leads to the records alone, whose pages have these links too.
  if (isNamed(value))
    return recordLink(value.uri, recordText(value.name), language, isListed ? -1 : undefined)
  if (typeof value === 'boolean') return value ? language.text.yes : language.text.no
  if (typeof value === 'number') return language.number(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (kind === 'datetime') return timeOf(text, language)
  if (field.type.kind === 'string' && field.type.use.page === 'address')
    return webLink(text, recordText(text))
  if (text.startsWith('at://')) return recordLink(text, shortUri(text), language)
  return recordText(plainValue(field, text, language))
}

/** `Post 3mz5s6rqsp222` of a record whose name is not known. */
export function shortUri(uri: string): Html {
  const [, , , nsid, key] = uri.split('/')
  if (nsid === undefined || key === undefined) return recordText(uri)
  return html`<bdi title=${uri}>${labelOf([lastPart(nsid)])} ${key}</bdi>`
}

export function isNamed(value: unknown): value is NamedReference {
  return typeof value === 'object' && value !== null && 'uri' in value && 'name' in value
}

/** A link to the page of a record; the content alone where the URI is not one of a record. */
export function recordLink(uri: string, content: Html, language: Language, tabindex?: number): Html {
  const address = recordAddress(uri)
  return address === null
    ? content
    : html`<a href=${withLanguage(address, language)} tabindex=${tabindex}>${content}</a>`
}

/** Names of records by URI. */
export type Names = ReadonlyMap<string, string>

/** Of one of several records with the same name: `Morning Post (post.example)`. */
export function nameAndKey(name: string, uri: string): string {
  return `${name} (${recordKey(uri)})`
}

/** With keys where several have the same name. */
export function distinctNames(names: Names): Names {
  const same = Map.groupBy(names, ([, name]) => name)
  const isShared = (name: string) => (same.get(name)?.length ?? 0) > 1
  return new Map([...names].map(([uri, name]) => [uri, isShared(name) ? nameAndKey(name, uri) : name]))
}

/** Results with the keys of records that they refer to, such as outlets, where several have the same name. */
export function toldApart<Each extends { readonly values: Readonly<Record<string, unknown>> }>(
  found: readonly Each[],
): readonly Each[] {
  const named = found.flatMap(({ values }) => Object.values(values).filter(isNamed))
  const names = distinctNames(new Map(named.map(({ uri, name }) => [uri, name])))
  const told = (value: unknown) => (isNamed(value) ? { ...value, name: names.get(value.uri) } : value)
  return found.map((each) => {
    const values = Object.entries(each.values).map(([name, value]) => [name, told(value)])
    return { ...each, values: Object.fromEntries(values) }
  })
}

/** A value as text: codes of languages and countries by their names, listed values by their labels. */
export function plainValue(field: ShownField, value: string, language: Language, names?: Names): string {
  const { type } = field
  switch (type.kind) {
    case 'boolean':
      return value === 'true' ? language.text.yes : language.text.no
    case 'integer':
      return language.number(Number(value))
    case 'datetime':
      return value.length === 10 ? language.date(value) : `${language.time(value)} UTC`
    case 'strongRef':
    case 'atUri':
      return names?.get(value) ?? recordKey(value)
    case 'string':
      if (isLanguage(field)) return language.nameOf('language', value)
      if (isCountry(field) && /^[A-Z]{2}$/.test(value)) return language.nameOf('region', value)
      return valueLabel(field, value, language)
    default:
      return value
  }
}

/** Each as text, with the value itself if others look the same: `Novel (novel)`, with marks for spaces. */
export function distinctValues(
  field: ShownField,
  values: readonly string[],
  language: Language,
  names?: Names,
): ReadonlyMap<string, string> {
  const texts = new Map(values.map((value) => [value, plainValue(field, value, language, names)]))
  const isNumber = field.type.kind === 'integer' || field.type.kind === 'boolean'
  const alike = Map.groupBy(texts, ([value, text]) =>
    isNumber ? value : text.replaceAll(/\s+/g, ' ').trim(),
  )
  const named = [...alike.values()].flatMap((same) =>
    same.map(([value, shown]): [string, string] => {
      const text = isBlank(value) ? language.text.blank : shown
      return [value, same.length > 1 ? `${text} (${value.replaceAll(/^\s|\s$|(?<=\s)\s/g, '␣')})` : text]
    }),
  )
  return new Map(named)
}

/** Codes of countries. */
export function isCountry({ type, words }: ShownField): boolean {
  return type.kind === 'string' && type.code && /country$/i.test(words.at(-1) ?? '')
}

/** The text, or its beginning with an ellipsis. A cut through a character of two units leaves a lone half: removed. */
export function shortText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Each paragraph has the direction of its own first letters. */
export function paragraphs(text: string, language: string | null, most: number): Html {
  return html`<div class="text" lang=${language ?? undefined}>
    ${shortText(text, most)
      .split(/\r?\n[ \t]*\r?\n\s*/)
      .filter((part) => part.trim() !== '')
      .slice(0, mostParagraphs)
      .map((part) => html`<p dir="auto">${part}</p>`)}
  </div>`
}

const mostParagraphs = 200
