/** Values of a record by the kind of their field. Records are hostile: sizes and depths are limited here. */
import type { Constraints, Field, FieldType, ObjectType, UnionType } from '../../schema/model/model.ts'
import { latitudes, longitudes } from '../../schema/model/coordinates.ts'
import { accountAddress, withLanguage } from '../addresses.ts'
import { isReadIn, labelOf } from '../fields/labels.ts'
import { memberLabel, type PageSubject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { isAllowedPicture, isPicture, picture } from '../parts/pictures.ts'
import { isPresent, paragraphs, plainValue, recordLink, recordText } from '../parts/values.ts'
import { shortText, shortUri, timeOf, webLink } from '../parts/values.ts'
import type { References } from './references.ts'
import { scaled, scaleOf } from './scales.ts'
import { unknownValue } from './unknown-values.ts'
import { isObject, type Json } from '../../util/is-object.ts'

/** What values are shown with. */
export interface ValueContext {
  /** The collection of the record. */
  readonly subject: PageSubject
  readonly language: Language
  readonly references: References
  readonly imageHosts: readonly string[]
  /** Of the texts of the record; null if it states none. */
  readonly textLanguage: string | null
  /** The address of the records with the same value of a field of the record itself; null if there is none. */
  readonly filterBy: (properties: readonly string[], value: string) => string | null
  /** In a table, next to other records. */
  readonly isCompact: boolean
  /** The properties that lead to the value; empty for the record itself. */
  readonly path: readonly string[]
}

const mostElements = 100
const deepest = 6

/** The fields of an object that have a value, in the order of the lexicon, then what the lexicon does not know. */
export function fieldList(
  type: ObjectType,
  value: Json,
  shown: ValueContext,
  without: ReadonlySet<string> = new Set(),
): Html {
  const { path } = shown
  const known = new Set(['$type', ...type.fields.map(({ property }) => property)])
  const place = placeOf(value, shown.language)
  const rows = type.fields
    .filter(({ property }) => !without.has(property) && isPresent(value[property]))
    .filter(({ name }) => !shown.subject.display.hidden.has([...path, name].join('_')))
    .map(
      (field) => html`<div class=${isShownPicture(field, value, shown) ? 'shown' : undefined}>
        <dt title=${fieldWords(field, shown.subject, shown.language)}>${memberLabel(shown.subject, [...path, field.name], shown.language)}</dt>
        <dd>${fieldValue(field, value, shown)}</dd>
      </div>`,
    )
  const others = Object.entries(value)
    .filter(([property, each]) => !known.has(property) && isPresent(each))
    .slice(0, mostElements)
    .map(
      ([property, each]) => html`<div class="unknown">
        <dt>${recordText(property.slice(0, 100))}</dt>
        <dd>${unknownValue(each, shown.language)}</dd>
      </div>`,
    )
  return html`<dl class="fields">${rows}
    ${place !== null && html`<div><dt>${shown.language.text.record.place}</dt><dd>${place}</dd></div>`}
    ${others}
  </dl>`
}

/** The description of the lexicon, unless the operator has named the field in another language than English. */
export function fieldWords(field: Field, { display }: PageSubject, language: Language): string | undefined {
  const { words } = field.constraints
  return words === '' || !isReadIn(language, display.label) ? undefined : words
}

/** A picture inside an object needs no label of its own. */
function isShownPicture(field: Field, object: Json, { imageHosts, path }: ValueContext): boolean {
  const { type, property } = field
  const value = object[property]
  const isPath = path.length > 0 && type.kind === 'string' && isPicture(type, [...path, property])
  return isPath && typeof value === 'string' && isAllowedPicture(value, imageHosts)
}

/** The value of one field of an object. */
export function fieldValue(field: Field, object: Json, shown: ValueContext): Html {
  const value = object[field.property]
  if (!isPresent(value)) return html`<span class="none">–</span>`
  const path = [...shown.path, field.property]
  if (typeof value === 'string' && field.type.kind === 'string' && isPicture(field.type, path))
    return picture(value, object, shown)
  return valueOfType(field.type, value, { ...shown, path }, field.constraints)
}

function valueOfType(
  type: FieldType,
  value: unknown,
  shown: ValueContext,
  constraints: Constraints | null,
): Html {
  const { language, path } = shown
  if (path.length > deepest) return unknownValue(value, language)
  if (type.kind === 'boolean') return value === true ? language.text.yes : language.text.no
  if (typeof value === 'string') {
    if (type.kind === 'string') return textValue(value, type, shown)
    if (type.kind === 'datetime') return instant(value, shown)
    if (type.kind === 'atUri') return reference(value, null, shown)
  }
  if (type.kind === 'integer' && typeof value === 'number') return numberValue(value, constraints, shown)
  if (type.kind === 'array' && Array.isArray(value)) return list(type.of, value, shown)
  if (isObject(value)) {
    const { uri, cid } = value
    if (type.kind === 'strongRef' && typeof uri === 'string')
      return reference(uri, typeof cid === 'string' ? cid : null, shown)
    if (type.kind === 'object') return fieldList(type.type, value, shown)
    if (type.kind === 'union') return union(type.type, value, shown)
  }
  return unknownValue(value, language)
}

function textValue(text: string, type: Extract<FieldType, { kind: 'string' }>, shown: ValueContext): Html {
  const { language, textLanguage, path } = shown
  if (text.startsWith('at://')) return reference(text, null, shown)
  const same = shown.filterBy(path, text)
  const linked = (content: string): Html =>
    same === null ? recordText(content) : html`<a href=${same} rel="nofollow">${recordText(content)}</a>`
  const { page } = type.use
  const forms: Readonly<Record<typeof page, () => Html>> = {
    address: () => webLink(text, recordText(shortText(text, 200))),
    account: () => html`<a href=${withLanguage(accountAddress(text), language)}>${recordText(text)}</a>`,
    language: () => linked(languageName(text, language)),
    text() {
      if (same === null && type.freeText)
        return paragraphs(text, textLanguage, shown.isCompact ? 600 : 10_000)
      const field = shown.subject.ownFields.get(path.join('\n'))
      return linked(shortText(field === undefined ? text : plainValue(field, text, language), 500))
    },
  }
  return forms[page]()
}

/** `French (fr)` */
function languageName(tag: string, language: Language): string {
  try {
    const name = new Intl.DisplayNames([language.tag], { type: 'language', fallback: 'none' }).of(tag)
    return name === undefined ? tag : `${name} (${tag})`
  } catch {
    return tag
  }
}

/** A number on its scale; a plain number without one. */
function numberValue(value: number, constraints: Constraints | null, shown: ValueContext): Html {
  const { subject, language, isCompact, path } = shown
  const text = language.number(value)
  const scale = scaleOf(subject, path.join('_'), constraints)
  return scale === null ? text : scaled(value, text, scale, isCompact, language)
}

/** In the zone of the reader by script, and as the record has it. */
function instant(text: string, { language, isCompact }: ValueContext): Html {
  const time = timeOf(text, language)
  return isCompact
    ? time
    : html`<span class="instant">${time} <span class="original">${recordText(text)}</span></span>`
}

function reference(uri: string, cid: string | null, { language, references, isCompact }: ValueContext): Html {
  const { text } = language
  const title = references.titleOf(uri)
  const name =
    title !== null
      ? recordText(shortText(title, 300))
      : references.isIndexed(uri)
        ? shortUri(uri)
        : html`<bdi class="uri">${shortText(uri, 300)}</bdi>`
  const isChanged = references.isIndexed(uri) && cid !== null && references.isCurrent(uri, cid) === false
  const state = isChanged ? text.record.otherVersion : null
  return html`<span class="reference">${recordLink(uri, name, language)}${state !== null && !isCompact && html` <span class="state">${state}</span>`}</span>`
}

function union({ members }: UnionType, value: Json, shown: ValueContext): Html {
  const { $type: origin } = value
  const member = members.find((each) => each.origin === origin || `${each.origin}#main` === origin)
  if (member === undefined) return unknownValue(value, shown.language)
  const name = member.origin.split(/[.#]/).at(-1) ?? ''
  const inside = { ...shown, path: [...shown.path, name] }
  const content =
    member.type === 'strongRef'
      ? valueOfType({ kind: 'strongRef' }, value, inside, null)
      : fieldList(member.type, value, inside)
  return html`<div class="member"><p class="type">${labelOf([name])}</p>${content}</div>`
}

function list(type: FieldType, values: readonly unknown[], shown: ValueContext): Html {
  const elements = values.slice(0, mostElements)
  const rest =
    values.length > elements.length &&
    html`<p class="none">${shown.language.text.record.more(shown.language.number(values.length - elements.length))}</p>`
  if (type.kind === 'object' && elements.every(isObject))
    return html`${objects(type.type, elements, shown)}${rest}`
  const isInline =
    type.kind === 'string' && !(type.freeText && elements.some((each) => String(each).length > 80))
  return html`<ul class=${isInline ? 'values' : 'elements'}>
    ${elements.map((each) => html`<li>${valueOfType(type, each, shown, null)}</li>`)}
  </ul>${rest}`
}

/** Objects that are flat are the rows of a table; in a comparison, each is a line. */
function objects(type: ObjectType, elements: readonly Json[], shown: ValueContext): Html {
  const { path } = shown
  const used = type.fields.filter(({ property }) => elements.some((each) => isPresent(each[property])))
  const first = used[0]
  if (shown.isCompact && first !== undefined)
    return html`<ul class="values">${elements.map((each) => html`<li>${fieldValue(first, each, shown)}</li>`)}</ul>`
  const isFlat = used.every(({ type: { kind } }) => !['object', 'union', 'array', 'unknown'].includes(kind))
  if (!isFlat || elements.length < 2)
    return html`<ol class="elements">${elements.map((each) => html`<li>${fieldList(type, each, shown)}</li>`)}</ol>`
  const places = elements.map((each) => placeOf(each, shown.language))
  const hasPlace = places.some((place) => place !== null)
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${memberLabel(shown.subject, path, shown.language)}>
    <table>
      <thead><tr>
        ${used.map(({ name }) => html`<th scope="col">${memberLabel(shown.subject, [...path, name], shown.language)}</th>`)}
        ${hasPlace && html`<th scope="col">${shown.language.text.record.place}</th>`}
      </tr></thead>
      <tbody>${elements.map(
        (each, at) => html`<tr>
          ${used.map((field) => html`<td>${fieldValue(field, each, shown)}</td>`)}
          ${hasPlace && html`<td>${places[at]}</td>`}
        </tr>`,
      )}</tbody>
    </table>
  </div>`
}

/** A link to a map of an object with `latitude` and `longitude`, as numbers or decimal texts; null for others. */
export function placeOf(object: Json, language: Language): Html {
  const one = (names: readonly string[]) => names.map((name) => object[name]).find((value) => value != null)
  const [latitude, longitude] = [degrees(one(latitudes), 90), degrees(one(longitudes), 180)]
  if (latitude === null || longitude === null) return null
  const address = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=9/${latitude}/${longitude}`
  return html`${webLink(address, language.text.record.map)} <span class="none">(OpenStreetMap)</span>`
}

function degrees(value: unknown, most: number): number | null {
  if (typeof value !== 'number' && !(typeof value === 'string' && /^-?\d{1,3}(\.\d{1,12})?$/.test(value)))
    return null
  const number = Number(value)
  return Math.abs(number) <= most ? number : null
}
