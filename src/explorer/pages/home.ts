/** The first page: a search of everything, examples, and each collection with its newest records. */
import { collectionAddress } from '../addresses.ts'
import { readField, selectFields } from '../fields/record-selection.ts'
import type { ShownField } from '../fields/shown-field.ts'
import { subjectDescription, subjectLabel } from '../fields/labels.ts'
import type { Subject } from '../fields/subject.ts'
import { chooseExample, exampleList, examplePanel } from '../front/examples.ts'
import { indexState } from '../front/index-state.ts'
import { html, type Html } from '../html.ts'
import { buildOperation, type Panel } from '../operation.ts'
import type { Answer, Draft, IndexState, PageRequest, Site } from '../page.ts'
import { withLanguage } from '../parts/frame.ts'
import { type Result, results } from '../parts/results.ts'
import { searchAllForm } from '../parts/search-all.ts'

const newestOfEach = 4

export function homePage(site: Site, { language }: PageRequest): Draft {
  const { subjects, schema } = site
  const { text } = language
  const example = chooseExample(site)
  const panels = [
    ...subjects.all.map((subject) => newest(subject, site)),
    ...(example === null ? [] : [examplePanel(example)]),
  ]
  return {
    status: 200,
    title: site.title,
    operation: buildOperation(schema, 'Home', panels),
    isIndexed: true,
    async render(answer) {
      const index = await site.readIndex().catch(() => null)
      return html`
        <header class="front">
          <h1>${site.title}</h1>
          ${index !== null && html`<p class="lead">${lead(index)}</p>`}
          ${searchAllForm(site, language)}
          ${exampleList(example, answer, example === null ? null : newestTime(example.subject, answer), language)}
        </header>
        <h2>${text.collections}</h2>
        <ul class="collections">
          ${subjects.all.map((subject) => html`<li>${section(subject, answer, index)}</li>`)}
        </ul>
        ${index !== null && indexState(index, subjects, language)}
      `
    },
  }

  function lead({ collections }: IndexState): string {
    const records = collections.reduce((sum, each) => sum + each.records, 0)
    return text.front.lead(
      language.plural(text.records, records),
      language.plural(text.front.collections, collections.length),
    )
  }

  function section(subject: Subject, answer: Answer, index: IndexState | null): Html {
    const { collection, roles } = subject
    const columns = columnsOf(subject)
    const records = index?.collections.find(({ name }) => name === collection.nsid)?.records
    const address = withLanguage(collectionAddress(collection.nsid), language)
    const found = nodesOf(subject, answer).map((node): Result => {
      const values = columns.map(
        (field) => [field.name, readField(node, field, collection.typeName, schema)] as const,
      )
      return { uri: node.uri, values: Object.fromEntries(values), snippets: {} }
    })
    const time = columns.filter(({ name }) => name === roles.time)
    const label = subjectLabel(subject, language)
    return html`<section>
      <h3><a href=${address}>${label}</a> ${records !== undefined && html`<span class="count">${language.plural(text.records, records)}</span>`}</h3>
      <p class="lead"><bdi>${subjectDescription(subject, language)}</bdi></p>
      <h4>${text.newest}</h4>
      ${found.length === 0 ? html`<p class="empty">${text.noResults}</p>` : results(found, 'list', time, subject, language)}
      <p class="all"><a href=${address}>${text.front.browseAll(label)}</a></p>
    </section>`
  }
}

function nodesOf({ collection }: Subject, answer: Answer): readonly (Answer & { readonly uri: string })[] {
  const { nodes = [] } = (answer[collection.rootField] ?? {}) as {
    nodes?: readonly (Answer & { uri: string })[]
  }
  return nodes
}

/** The time of one of the newest records, from which examples count back. */
function newestTime(subject: Subject, answer: Answer): string | null {
  const times = nodesOf(subject, answer).map((node) => node[subject.roles.time])
  const known = times.filter((time) => typeof time === 'string' && !Number.isNaN(Date.parse(time)))
  return known.length === 0 ? null : String(known[0])
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

function columnsOf({ fields, roles }: Subject): readonly ShownField[] {
  return [roles.title, roles.summary, roles.time].flatMap((name) =>
    name === null ? [] : (fields.get(name) ?? []),
  )
}
