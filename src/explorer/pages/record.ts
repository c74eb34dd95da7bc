/** A record: all of its fields, what it refers to, what refers to it, and where it comes from. */
import { formatInstant, timeOfTid } from '../../util/instant.ts'
import { recordKey } from '../../util/text/record-key.ts'
import { accountAddress, collectionAddress, withLanguage } from '../addresses.ts'
import { subjectLabel, labelIn } from '../fields/labels.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { buildOperation } from '../../ask/operation.ts'
import type { Answer, Draft, PageRequest, Site } from '../page.ts'
import type { NamingText, ReadValue } from '../parts/record-name.ts'
import { kindAndTime, kindTimeAndKey, namingText } from '../parts/record-name.ts'
import { isPresent, paragraphs, recordText, shortText, timeOf, zoneNote } from '../parts/values.ts'
import { valueAddress } from '../browse/context.ts'
import { incoming } from '../record/incoming.ts'
import type { RecordNode } from '../record/record-operation.ts'
import { languageOf, recordPanel, referringTo, textOf, valueAt } from '../record/record-operation.ts'
import { readReferences } from '../record/references.ts'
import { summaries, summarizedBy, summaryPanels } from '../record/summary.ts'
import { type ValueContext, fieldList } from '../record/values.ts'
import { recordFiles } from '../export-menu/files.ts'
import { type MenuContext, exportMenu } from '../export-menu/export-menu.ts'
import { problemPage, unknownParameters } from './failure.ts'

/** A record with what its page knows. */
interface RecordContext {
  readonly uri: string
  readonly subject: PageSubject
  readonly language: Language
}

export function recordPage(site: Site, subject: PageSubject, uri: string, request: PageRequest): Draft {
  const { parameters, language } = request
  const { text } = language
  const label = subjectLabel(subject, language)
  const problems = unknownParameters(parameters)
  if (problems.length > 0) return problemPage(problems, label, request)
  const shown: RecordContext = { uri, subject, language }
  const summarized = site
    .readIndex()
    .catch(() => null)
    .then((index) => summarizedBy(subject, site, index))
  return {
    status: 200,
    title: label,
    operation: async () =>
      buildOperation(site.schema, 'Record', [
        recordPanel(uri, subject, site),
        ...summaryPanels(uri, await summarized),
      ]),
    isIndexed: true,
    known(answer) {
      const node = nodeOf(answer)
      if (node === null) return { status: 404, title: text.record.notIndexed }
      const summary = textOf(node.recordJson, subject.roles.summary, subject)?.replaceAll(directions, '')
      return {
        status: 200,
        title: nameOf(node, shown),
        ...(summary !== undefined && { description: shortText(summary, 300) }),
      }
    },
    async render(answer, index) {
      const node = nodeOf(answer)
      if (node === null) return missing(shown)
      const context: MenuContext = { ...request, site, index }
      const values = valuesOf(node, shown, site)
      return html`
        ${article(node, shown, values)}
        ${await summaries(uri, await summarized, answer, context)}
        ${incoming(node, referringTo(subject, site), values)}
        ${raw(node, language)}
        ${exportMenu(
          {
            kind: 'record',
            title: nameOf(node, shown),
            operation: buildOperation(site.schema, 'Record', [recordPanel(uri, subject, site)]),
            files: recordFiles(site.schema, subject, { where: { uri: { eq: uri } } }),
          },
          context,
        )}
      `
    },
  }
}

/** What the values of the record are shown with. */
function valuesOf(node: RecordNode, { subject, language }: RecordContext, site: Site): ValueContext {
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

function article(node: RecordNode, shown: RecordContext, values: ValueContext): Html {
  const { uri, subject, language } = shown
  const { collection, fields, roles } = subject
  const { record } = language.text
  const tag = values.textLanguage
  const named = namedBy(node, subject)
  const summary = named?.field.name === roles.summary ? null : textOf(node.recordJson, roles.summary, subject)
  const elsewhere = new Set([
    ...(named !== null && named.text.length <= longestHeading ? named.field.properties : []),
    ...(summary === null ? [] : (fields.get(roles.summary ?? '')?.properties ?? [])),
  ])
  return html`<article class="record">
    <p class="kind"><a href=${withLanguage(collectionAddress(collection.nsid), language)}>${subjectLabel(subject, language)}</a></p>
    ${
      named === null
        ? html`<h1>${kindTimeAndKey(readOf(node), subject, uri, language)}</h1>`
        : html`<h1 lang=${tag ?? undefined} dir="auto">${shortText(named.text, longestHeading)}</h1>`
    }
    ${summary !== null && html`<div class="lede">${paragraphs(summary, tag, 10_000)}</div>`}
    <div class="record-columns">
      <section aria-label=${record.fields}>${groupedFields(node.recordJson, values, elsewhere)}</section>
      <aside aria-label=${record.about}>${about(node, shown)}</aside>
    </div>
  </article>`
}

function namedBy(node: RecordNode, subject: PageSubject): NamingText | null {
  return namingText(readOf(node), subject)
}

function readOf({ recordJson, indexedAt }: RecordNode): ReadValue {
  return ({ name, properties }) => (name === 'indexedAt' ? indexedAt : valueAt(recordJson, properties))
}

/** In the title of the window and in citations. */
function nameOf(node: RecordNode, { uri, subject, language }: RecordContext): string {
  const text = namedBy(node, subject)?.text.replaceAll(directions, '')
  return shortText(text ?? `${kindAndTime(readOf(node), subject, language)} · ${recordKey(uri)}`, 120)
}

function about(node: RecordNode, { uri, language }: RecordContext): Html {
  const { cid, rev, did, actorHandle, indexedAt, changedAt } = node
  const { text } = language
  const account = withLanguage(accountAddress(did), language)
  return html`<h2>${text.record.about}</h2>
    ${zoneNote(language)}
    <dl class="fields">
      <div><dt>${text.record.account}</dt><dd><a href=${account}>${recordText(actorHandle ?? did)}</a></dd></div>
      <div><dt>${text.record.uri}</dt><dd><bdi class="uri">${uri}</bdi></dd></div>
      <div><dt>${text.record.cid}</dt><dd><bdi class="uri">${cid}</bdi></dd></div>
      ${rev !== null && html`<div><dt>${text.record.rev}</dt><dd><bdi class="uri">${rev}</bdi> (${timeOf(formatInstant(timeOfTid(rev)), language)})</dd></div>`}
      <div><dt>${text.indexedAt}</dt><dd>${timeOf(indexedAt, language)}</dd></div>
      ${changedAt !== indexedAt && html`<div><dt>${text.record.changedAt}</dt><dd>${timeOf(changedAt, language)}</dd></div>`}
    </dl>`
}

function raw({ recordJson }: RecordNode, { text }: Language): Html {
  const json = JSON.stringify(recordJson, null, 2)
  return html`<details class="raw">
    <summary>${text.record.json}</summary>
    <pre tabindex="0" dir="ltr">${shortText(json, mostJson)}</pre>
  </details>`
}

function missing({ uri, subject, language }: RecordContext): Html {
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

const mostJson = 100_000
const longestHeading = 500

/** Characters that would turn the name of the service behind a title. */
const directions = /[\u202A-\u202E\u2066-\u2069]/g

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
  if (display.groups.length === 0) return fieldList(type, value, shown, elsewhere)
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
