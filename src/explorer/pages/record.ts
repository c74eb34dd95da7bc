/** A record: all of its fields, what it refers to, what refers to it, and where it comes from. */
import { accountAddress, collectionAddress, withLanguage } from '../addresses.ts'
import { subjectLabel, labelIn } from '../fields/labels.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { affordableOperations, buildOperation } from '../../ask/operation.ts'
import { shortColumns } from '../lists/list.ts'
import type { Answer, Draft, PageRequest, Site } from '../page.ts'
import { isPicture } from '../parts/pictures.ts'
import { directions, isPresent, recordText, shortText, timeOf, zoneNote } from '../parts/values.ts'
import { valueAddress } from '../browse/context.ts'
import { incoming } from '../record/incoming.ts'
import { heading, nameOf } from '../record/heading.ts'
import { languageOf, type RecordNode, recordPanel, referringTo, textOf } from '../record/record-operation.ts'
import { valueAt } from '../../util/is-object.ts'
import { readReferences } from '../record/references.ts'
import { readSummaries, summarizedBy, summary, summaryChart, summaryPanels } from '../record/summary.ts'
import { type ValueContext, fieldList } from '../record/values.ts'
import { fileName, recordFiles } from '../export-menu/files.ts'
import { type Exported, exportMenu, type MenuContext, programMenu } from '../export-menu/export-menu.ts'
import { sameStory } from '../parts/stories.ts'
import { formatInstant, timeOfTid } from '../../util/instant.ts'
import { recordKey } from '../../util/text/record-key.ts'
import { emptyView } from '../view/view.ts'
import { problemPage, unknownParameters } from './failure.ts'

export function recordPage(site: Site, subject: PageSubject, uri: string, request: PageRequest): Draft {
  const { parameters, language } = request
  const { text } = language
  const label = subjectLabel(subject, language)
  const problems = unknownParameters(parameters)
  if (problems.length > 0) return problemPage(problems, label, request)
  const summaries = site.readIndex().then((index) => {
    const summarized = summarizedBy(subject, site, index)
    return { summarized, chart: summaryChart(uri, summarized, site, language) }
  })
  return {
    title: label,
    async operation() {
      const { summarized, chart } = await summaries
      const panels = [recordPanel(uri, subject, site), ...summaryPanels(uri, summarized)]
      return [
        buildOperation(site.schema, 'Record', panels),
        ...affordableOperations(site, chart?.panels ?? []),
      ]
    },
    more: async (answer) => affordableOperations(site, (await summaries).chart?.more(answer) ?? []),
    isMoreOptional: true,
    isIndexed: true,
    known(answer) {
      const node = nodeOf(answer)
      if (node === null) return { status: 404, title: text.record.notIndexed }
      const about = textOf(node.recordJson, subject.roles.summary, subject)?.replaceAll(directions, '')
      return {
        title: nameOf(node, subject, language),
        ...(about !== undefined && { description: shortText(about, 300) }),
      }
    },
    async render(answer, index, leftOut) {
      const node = nodeOf(answer)
      if (node === null) return missing(uri, subject, language)
      const context: MenuContext = { ...request, site, index }
      const named = { uri, name: nameOf(node, subject, language) }
      const exported: Exported = {
        kind: 'record',
        title: named.name,
        operation: buildOperation(site.schema, 'Record', [recordPanel(uri, subject, site)]),
        files: recordFiles(
          site.schema,
          subject,
          { where: { uri: { eq: uri } } },
          fileName(emptyView, subject, [recordKey(uri)]),
          shortColumns([], subject).filter(({ properties: at }) => isPresent(valueAt(node.recordJson, at))),
        ),
      }
      const { summarized, chart } = await summaries
      const shown = readSummaries(named, summarized, chart, answer, context)
      const values = valuesOf(node, subject, site, language)
      const { html: top, properties } = heading(node, values)
      return html`
        <article class="record">
          ${top} ${leftOut}
          ${await Promise.all(shown.map((each) => summary(each, uri, context)))}
          ${incoming(node, referringTo(subject, site), values)}
          ${sameStory(node, { site, subject, language })}
          <section aria-label=${text.record.fields}>
            ${groupedFields(node.recordJson, values, new Set([...properties, ...addressProperties(subject)]))}
          </section>
          ${technical(node, values)}
        </article>
        ${exportMenu(exported, context)}
        ${programMenu([exported, ...shown.map((each) => each.exported)], context)}
      `
    },
  }
}

/** What the values of the record are shown with. */
function valuesOf(node: RecordNode, subject: PageSubject, site: Site, language: Language): ValueContext {
  return {
    subject,
    language,
    references: readReferences(node),
    imageHosts: site.operator.imageHosts,
    textLanguage: languageOf(node.recordJson, subject),
    isCompact: false,
    path: [],
    filterBy(properties, value) {
      const field = subject.ownFields.get(properties.join('\n'))
      if (field === undefined || !field.isGroup || field.type.kind !== 'string') return null
      const isNarrow = field.isArray || field.type.categorical || field.type.code || field.values.length > 0
      return isNarrow ? valueAddress({ subject, language }, field, value) : null
    },
  }
}

function missing(uri: string, subject: PageSubject, language: Language): Html {
  const { record } = language.text
  const did = uri.split('/')[2] ?? ''
  return html`<section>
    <h1>${record.notIndexed}</h1>
    <p><bdi class="uri">${uri}</bdi></p>
    <p>${record.notIndexedHint}</p>
    <ul>
      <li><a href=${withLanguage(accountAddress(did), language)}>${record.account}: ${recordText(did)}</a></li>
      <li><a href=${withLanguage(collectionAddress(subject.collection.nsid), language)}>${subjectLabel(subject, language)}</a></li>
    </ul>
  </section>`
}

function nodeOf(answer: Answer): RecordNode | null {
  return (answer['record'] ?? null) as RecordNode | null
}

/** The fields below the headings of `display.json`; the rest follows without one. `elsewhere`: properties that the page shows elsewhere. */
function groupedFields(
  value: Readonly<Record<string, unknown>>,
  shown: ValueContext,
  elsewhere: ReadonlySet<string>,
): Html {
  const { collection, display } = shown.subject
  const { type } = collection
  if (display.groups.length === 0)
    return html`<h2>${shown.language.text.record.fields}</h2>${fieldList(type, value, shown, elsewhere)}`
  const grouped = new Set<string>()
  const groups = display.groups.map(({ label, fields: names }) => {
    const fields = names.flatMap((name) => type.fields.find((field) => field.name === name) ?? [])
    for (const { property } of fields) grouped.add(property)
    const own = Object.fromEntries(fields.map(({ property }) => [property, value[property]]))
    if (!fields.some(({ property }) => !elsewhere.has(property) && isPresent(own[property]))) return null
    return html`<section>
      <h2>${labelIn(label, shown.language)}</h2>
      ${fieldList({ ...type, fields }, own, shown, elsewhere)}
    </section>`
  })
  const rest = Object.fromEntries(Object.entries(value).filter(([property]) => !grouped.has(property)))
  return html`${groups}${fieldList(type, rest, shown, elsewhere)}`
}

const mostJson = 100_000

/** Properties of the record that have addresses on the web. */
function addressProperties({ collection }: PageSubject): ReadonlySet<string> {
  const addresses = collection.type.fields.filter(
    ({ type, property }) =>
      type.kind === 'string' && type.use.page === 'address' && !isPicture(type, [property]),
  )
  return new Set(addresses.map(({ property }) => property))
}

/** What only few readers of a record want, folded: its addresses, where it is from, and its JSON. */
function technical(node: RecordNode, values: ValueContext): Html {
  const { subject, language } = values
  const { uri, cid, rev, did, actorHandle, indexedAt, changedAt, recordJson } = node
  const { text } = language
  const addresses = addressProperties(subject)
  const own = Object.fromEntries(Object.entries(recordJson).filter(([property]) => addresses.has(property)))
  return html`<details class="raw">
    <summary>${text.record.technical}</summary>
    ${zoneNote(language)}
    ${fieldList(subject.collection.type, own, values)}
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
