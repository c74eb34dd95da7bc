/** The first page: the collections, and the newest records of each. */
import { collectionAddress } from '../addresses.ts'
import { readField, selectFields } from '../fields/record-selection.ts'
import { collectionLabel, type Subject } from '../fields/subject.ts'
import { html } from '../html.ts'
import { buildOperation, type Panel } from '../operation.ts'
import type { Answer, Draft, IndexState, PageRequest, Site } from '../page.ts'
import { withLanguage } from '../parts/frame.ts'
import { results } from '../parts/results.ts'

const newestOfEach = 3

export function homePage(site: Site, { language }: PageRequest): Draft {
  const { subjects, schema } = site
  const panels = subjects.all.map((subject) => newest(subject, site))
  const { text } = language
  return {
    status: 200,
    title: site.title,
    operation: buildOperation(schema, 'Home', panels),
    isIndexed: true,
    async render(answer) {
      const index = await site.readIndex().catch(() => null)
      return html`
        <h1>${site.title}</h1>
        <ul class="collections">
          ${subjects.all.map((subject) => html`<li>${section(subject, answer, index)}</li>`)}
        </ul>
      `
    },
  }

  function section(subject: Subject, answer: Answer, index: IndexState | null) {
    const { collection, roles } = subject
    const columns = columnsOf(subject)
    const { nodes = [] } = (answer[collection.rootField] ?? {}) as { nodes?: readonly { uri: string }[] }
    const records = index?.collections.find(({ name }) => name === collection.nsid)?.records
    const address = withLanguage(collectionAddress(collection.nsid), language)
    const label = collectionLabel(collection)
    return html`<section>
      <h2><a href=${address}>${label}</a></h2>
      <p class="lead">${collection.type.description}</p>
      ${records !== undefined && html`<p class="count">${language.plural(text.records, records)}</p>`}
      ${
        collection.searchFields.length > 0 &&
        html`<form action=${`/c/${collection.nsid}`} role="search">
        <label><span>${text.searchIn(label)}</span><input type="search" name="q" maxlength="1000" /></label>
        ${language.isChosen && html`<input type="hidden" name="lang" value=${language.tag} />`}
        <button>${text.search}</button>
      </form>`
      }
      <h3>${text.newest}</h3>
      ${results(
        nodes.map((node) => ({
          uri: node.uri,
          values: Object.fromEntries(
            columns.map((field) => [field.name, readField(node, field, collection.typeName, site.schema)]),
          ),
          snippets: {},
        })),
        'list',
        columns.filter(({ name }) => name === roles.time),
        subject,
        language,
      )}
    </section>`
  }
}

function newest(subject: Subject, { schema }: Site): Panel {
  const { collection } = subject
  return {
    name: collection.rootField,
    field: collection.rootField,
    arguments: { first: newestOfEach },
    selection: `nodes { ${selectFields(columnsOf(subject), collection.typeName, schema)} }`,
  }
}

function columnsOf({ fields, roles }: Subject) {
  return [roles.title, roles.summary, roles.time].flatMap((name) =>
    name === null ? [] : (fields.get(name) ?? []),
  )
}
