/** The beginning of a record's page: its name, what it belongs to, its time, where it leads, its summary and picture. */
import { recordKey } from '../../util/text/record-key.ts'
import { collectionAddress, withLanguage } from '../addresses.ts'
import { isEntity } from '../fields/guesses.ts'
import { fieldLabel, subjectLabel } from '../fields/labels.ts'
import { aboutField, entityField } from '../fields/named-references.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import { fieldsNamed } from '../lists/list.ts'
import type { Language } from '../languages/language.ts'
import { kindAndTime, kindTimeAndKey, namingText, type ReadValue } from '../parts/record-name.ts'
import { isAllowedPicture, picture } from '../parts/pictures.ts'
import { directions, isWebAddress, paragraphs, recordLink, recordText } from '../parts/values.ts'
import { shortText, timeAndZone, webLink } from '../parts/values.ts'
import { isObject, valueAt } from '../../util/is-object.ts'
import { readReferences, type References } from './references.ts'
import { type RecordNode, textOf } from './record-operation.ts'
import { fieldList, type ValueContext } from './values.ts'

const longestHeading = 500

/** `properties`: of the record that are shown with it. */
export function heading(node: RecordNode, values: ValueContext) {
  const { subject, language, textLanguage: tag } = values
  const { collection, fields, roles } = subject
  const read = readOf(node, values.references, subject)
  const named = namingText(read, subject, language)
  const summary = named?.field.name === roles.summary ? null : textOf(node.recordJson, roles.summary, subject)
  const time = textOf(node.recordJson, roles.time, subject)
  const timed = time === null ? undefined : fields.get(roles.time)
  const link = textOf(node.recordJson, roles.link, subject)
  const references = [aboutField(subject), entityField(subject)].flatMap((field) => {
    const uri = field === null ? null : uriOf(valueAt(node.recordJson, field.properties))
    const title = uri === null ? null : values.references.titleOf(uri)
    return field === null || uri === null || title === null ? [] : [{ field, uri, title }]
  })
  const image = headingPicture(node, values)
  const isLinked = link !== null && isWebAddress(link)
  const shown = [
    ...(named !== null && named.text.length <= longestHeading ? [named.field] : []),
    ...references.map(({ field }) => field),
    ...fieldsNamed(subject, [
      summary && roles.summary,
      time && roles.time,
      isLinked ? roles.link : null,
      image === null ? null : roles.image,
    ]),
  ]
  return {
    properties: new Set(shown.flatMap(({ properties }) => properties.slice(0, 1))),
    html: html`<header class="record-heading">
      <p class="kind"><a href=${withLanguage(collectionAddress(collection.nsid), language)}>${subjectLabel(subject, language)}</a></p>
      ${
        named === null
          ? html`<h1>${kindTimeAndKey(read, subject, node.uri, language)}</h1>`
          : html`<h1 lang=${tag ?? undefined} dir="auto">${shortText(named.text, longestHeading)}</h1>`
      }
      <p class="facts">
        ${references.map(
          ({ field, uri, title }) =>
            html`<span><span class="label">${fieldLabel(field, language)}</span> ${recordLink(uri, recordText(shortText(title, 300)), language)}</span>`,
        )}
        <span><span class="label">${timed === undefined ? language.text.indexedAt : fieldLabel(timed, language)}</span> ${timeAndZone(time ?? node.indexedAt, language)}</span>
        ${isLinked && readAt(link, subject, language)}
      </p>
      ${image}
      ${summary !== null && html`<div class="lede">${paragraphs(summary, tag, 10_000)}</div>`}
    </header>`,
  }
}

/** In the title of the window and in citations. */
export function nameOf(node: RecordNode, subject: PageSubject, language: Language): string {
  const read = readOf(node, readReferences(node), subject)
  const text = namingText(read, subject, language)?.text.replaceAll(directions, '')
  return shortText(text ?? `${kindAndTime(read, subject, language)} · ${recordKey(node.uri)}`, 120)
}

function readOf(node: RecordNode, { titleOf }: References, subject: PageSubject): ReadValue {
  const about = aboutField(subject)
  return (field) => {
    if (field.name === 'indexedAt') return node.indexedAt
    const value = valueAt(node.recordJson, field.properties)
    const uri = field === about ? uriOf(value) : null
    const name = uri === null ? null : titleOf(uri)
    return name === null ? value : { uri, name }
  }
}

function uriOf(value: unknown): string | null {
  const uri = isObject(value) ? value['uri'] : value
  return typeof uri === 'string' ? uri : null
}

/** `Read at news.example`; what refers to nothing, such as an outlet, is visited. */
function readAt(link: string, { collection }: PageSubject, { text }: Language): Html {
  const host = new URL(link).host.replace(/^www\./, '')
  return html`<span class="read">${webLink(link, text.record[isEntity(collection) ? 'visit' : 'readAt'](host))}</span>`
}

/** With what its object says besides the address, such as the credit. Null where it is not shown. */
function headingPicture({ recordJson }: RecordNode, values: ValueContext): Html {
  const { subject, imageHosts } = values
  const { fields, roles, collection } = subject
  const field = fields.get(roles.image ?? '')
  const address = field === undefined ? null : valueAt(recordJson, field.properties)
  if (field === undefined || typeof address !== 'string' || !isAllowedPicture(address, imageHosts))
    return null
  const [outer = '', inner] = field.properties
  const type = collection.type.fields.find(({ property }) => property === outer)?.type
  const object = recordJson[outer]
  if (inner === undefined || type?.kind !== 'object' || !isObject(object))
    return picture(address, {}, values, null)
  const rest = fieldList(type.type, object, { ...values, path: [outer] }, new Set([inner]))
  return picture(address, object, values, rest)
}
