/** What only few readers of a record want, folded: its addresses, where it is from, and its JSON. */
import { formatInstant, timeOfTid } from '../../util/instant.ts'
import { accountAddress, withLanguage } from '../addresses.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import { isPicture } from '../parts/pictures.ts'
import { recordText, shortText, timeOf, zoneNote } from '../parts/values.ts'
import type { RecordFields } from './record-operation.ts'
import { fieldList, type ValueContext } from './values.ts'

const mostJson = 100_000

/** Properties of the record that have addresses on the web. */
export function addressProperties({ collection }: PageSubject): ReadonlySet<string> {
  const addresses = collection.type.fields.filter(
    ({ type, property }) =>
      type.kind === 'string' && type.use.page === 'address' && !isPicture(type, [property]),
  )
  return new Set(addresses.map(({ property }) => property))
}

export function technical(node: RecordFields, values: ValueContext): Html {
  const { subject, language } = values
  const { uri, cid, rev, did, actorHandle, indexedAt, changedAt, recordJson } = node
  const { text } = language
  const { type } = subject.collection
  const addresses = addressProperties(subject)
  const own = Object.fromEntries(Object.entries(recordJson).filter(([property]) => addresses.has(property)))
  return html`<details class="raw">
    <summary>${text.record.technical}</summary>
    ${zoneNote(language)}
    ${fieldList({ ...type, fields: type.fields.filter(({ property }) => addresses.has(property)) }, own, values)}
    <dl class="fields">
      <div><dt>${text.record.account}</dt><dd><a href=${withLanguage(accountAddress(did), language)}>${recordText(actorHandle ?? did)}</a></dd></div>
      <div><dt>${text.record.uri}</dt><dd><bdi class="uri">${uri}</bdi></dd></div>
      <div><dt>${text.record.cid}</dt><dd><bdi class="uri">${cid}</bdi></dd></div>
      ${rev !== null && html`<div><dt>${text.record.rev}</dt><dd><bdi class="uri">${rev}</bdi> (${timeOf(formatInstant(timeOfTid(rev)), language)})</dd></div>`}
      <div><dt>${text.indexedAt}</dt><dd>${timeOf(indexedAt, language)}</dd></div>
      ${changedAt !== indexedAt && html`<div><dt>${text.record.changedAt}</dt><dd>${timeOf(changedAt, language)}</dd></div>`}
    </dl>
    <h2>${text.record.json}</h2>
    <pre tabindex="0" dir="ltr">${shortText(JSON.stringify(recordJson, null, 2), mostJson)}</pre>
  </details>`
}
