/** A collection: search, facets, and the records that match. */
import { collectionAddress } from '../addresses.ts'
import { readField, selectFields } from '../fields/record-selection.ts'
import type { ShownField } from '../fields/shown-field.ts'
import { collectionLabel, labelOf, type Subject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import { buildOperation, type Panel } from '../operation.ts'
import type { Draft, PageRequest, Site } from '../page.ts'
import { type FacetAnswer, facetList } from '../parts/facets.ts'
import { withLanguage } from '../parts/frame.ts'
import { problemList } from '../parts/problems.ts'
import { type Result, results, type SnippetAnswer } from '../parts/results.ts'
import { plainValue } from '../parts/values.ts'
import { writeConditions } from '../view/conditions.ts'
import { changed, readView, shows, type View, withCondition } from '../view/view.ts'
import { whereOf } from '../view/where.ts'

const pageSize = 20

interface ListAnswer {
  readonly totalCount: number
  readonly edges: readonly (Readonly<Record<string, unknown>> & { readonly node: { readonly uri: string } })[]
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
  readonly facets?: readonly FacetAnswer[]
  readonly didYouMean?: readonly {
    readonly word: string
    readonly nearest: readonly { readonly word: string }[]
  }[]
}

export function collectionPage(site: Site, subject: Subject, { parameters, language }: PageRequest): Draft {
  const { collection } = subject
  const { text } = language
  const { view, problems } = readView(parameters, subject, [])
  const title = collectionLabel(collection)
  if (problems.length > 0)
    return {
      status: 400,
      title,
      operation: null,
      isIndexed: false,
      render: () => problemList(problems, language),
    }
  const columns = columnsOf(view, subject)
  const to = (next: View) => withLanguage(collectionAddress(collection.nsid, next), language)
  return {
    status: 200,
    title,
    description: collection.type.description,
    operation: buildOperation(site.schema, 'Collection', [listPanel(view, columns, subject, site)]),
    isIndexed: parameters.length === 0,
    render(answer) {
      const list = answer['list'] as ListAnswer
      return html`
        <h1>${title}</h1>
        ${searchForm()}
        ${suggestions(list)}
        <div class="columns">
          <aside aria-label=${text.filters}>${facetList(list.facets ?? [], view, subject, language)}</aside>
          <section class="results" aria-label=${text.results}>
            ${filters()} ${bar(list)}
            ${
              list.edges.length === 0
                ? html`<p class="empty">${text.noResults} ${text.noResultsHint}</p>`
                : results(list.edges.map(resultOf), view.show, columns, subject, language)
            }
            ${pages(list)}
          </section>
        </div>
      `
    },
  }

  function searchForm(): Html {
    if (collection.searchFields.length === 0) return null
    const hidden = [
      ...writeConditions(view.conditions, () => true),
      ...(view.show === 'list' ? [] : [['show', view.show] as const]),
      ...(language.isChosen ? [['lang', language.tag] as const] : []),
    ]
    return html`<form class="search" action=${`/c/${collection.nsid}`} role="search">
      <label><span class="hidden">${text.searchIn(title)}</span><input type="search" name="q" value=${view.search} maxlength="1000" placeholder=${text.searchIn(title)} /></label>
      ${hidden.map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
      <button>${text.search}</button>
    </form>`
  }

  function suggestions({ didYouMean = [] }: ListAnswer): Html {
    const words = didYouMean.flatMap(({ word, nearest }) =>
      nearest.slice(0, 3).map((near) => [word, near.word] as const),
    )
    if (words.length === 0) return null
    return html`<p class="suggestions">${text.didYouMean}
      ${words.map(([word, near]) => html` <a href=${to(changed(view, { search: view.search.replaceAll(word, near) }))} rel="nofollow">${near}</a>`)}
    </p>`
  }

  function filters(): Html {
    if (view.conditions.length === 0) return null
    return html`<ul class="filters" aria-label=${text.filters}>
      ${view.conditions.flatMap((condition) =>
        condition.values.map((value) => {
          const { field, operator, values } = condition
          const rest = to(
            withCondition(view, { ...condition, values: values.filter((each) => each !== value) }),
          )
          const shown = operator === 'missing' ? text.missing : plainValue(field, value, language)
          return html`<li><a href=${rest} rel="nofollow" title=${text.remove}>${labelOf(field.words)}: ${operator === 'is' ? '' : `${operatorText(operator)} `}<bdi>${shown}</bdi> ×</a></li>`
        }),
      )}
      <li><a href=${to(changed(view, { conditions: [] }))} rel="nofollow">${text.clear}</a></li>
    </ul>`
  }

  function operatorText(operator: string): string {
    const words: Readonly<Record<string, string>> = {
      not: text.exclude,
      from: text.from,
      to: text.to,
      missing: '',
    }
    return words[operator] ?? operator
  }

  function bar({ totalCount }: ListAnswer): Html {
    const names = { list: text.list, table: text.table, cards: text.cards }
    return html`<div class="bar">
      <p class="total"><strong>${language.plural(text.records, totalCount)}</strong></p>
      <nav aria-label=${text.show}>
        ${shows.map((show) => html`<a href=${to({ ...view, show })} rel="nofollow" aria-current=${show === view.show ? 'true' : undefined}>${names[show]}</a> `)}
      </nav>
    </div>`
  }

  function pages({ pageInfo }: ListAnswer): Html {
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = pageInfo
    return html`<nav class="pages">
      ${hasPreviousPage && html`<a href=${to({ ...view, page: { side: 'before', cursor: startCursor ?? '' } })} rel="prev nofollow">${text.previous}</a>`}
      ${hasNextPage && html`<a href=${to({ ...view, page: { side: 'after', cursor: endCursor ?? '' } })} rel="next nofollow">${text.next}</a>`}
    </nav>`
  }

  function resultOf(edge: ListAnswer['edges'][number]): Result {
    return {
      uri: edge.node.uri,
      values: Object.fromEntries(
        columns.map((field) => [field.name, readField(edge.node, field, collection.typeName, site.schema)]),
      ),
      snippets: Object.fromEntries(
        collection.searchFields.map(({ name }) => [
          name,
          (edge[`snippet_${name}`] ?? null) as SnippetAnswer | null,
        ]),
      ),
    }
  }
}

/** The fields that are read: those that represent a record, and those of the table. */
function columnsOf({ columns, show }: View, { fields, roles }: Subject): readonly ShownField[] {
  const { title, summary, time } = roles
  const names =
    show === 'table' ? (columns ?? roles.columns) : [title, summary, time, ...(columns ?? roles.columns)]
  return [...new Set(names)].flatMap((name) => (name === null ? [] : (fields.get(name) ?? [])))
}

function listPanel(view: View, columns: readonly ShownField[], subject: Subject, { schema }: Site): Panel {
  const { collection, roles } = subject
  const { page, sort, search, show } = view
  const isSearch = search !== '' && collection.searchFields.length > 0
  const size =
    page?.side === 'before'
      ? { last: pageSize, before: page.cursor }
      : { first: pageSize, after: page?.cursor }
  const facets = view.facets ?? roles.facets
  const marked =
    isSearch && show !== 'table'
      ? collection.searchFields.filter(({ name }) => name === roles.title || name === roles.summary)
      : []
  return {
    name: 'list',
    field: collection.rootField,
    arguments: {
      ...size,
      where: view.conditions.length === 0 ? undefined : whereOf(view.conditions),
      search: isSearch ? search : undefined,
      sortBy:
        sort === null
          ? isSearch
            ? [{ field: 'RELEVANCE' }]
            : undefined
          : [{ field: sort.field, direction: sort.direction.toUpperCase() }],
    },
    selection: [
      'totalCount',
      'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }',
      'edges {',
      ...marked.map(({ name }) => `  snippet_${name}: snippet(field: ${name}) { text ranges { start end } }`),
      `  node { ${selectFields(columns, collection.typeName, schema)} }`,
      '}',
      ...(page === null && facets.length > 0
        ? [
            `facets(fields: [${facets.join(', ')}], ignoreOwn: true, limit: 10) { field values { value count } missing cut }`,
          ]
        : []),
      ...(isSearch ? ['didYouMean { word nearest { word } }'] : []),
    ].join('\n'),
  }
}
