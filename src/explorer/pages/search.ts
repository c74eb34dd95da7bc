/** What a search finds in all collections, the newest first. */
import { SearchError, type SearchTerm, wantedTerms } from '../../search/parse-search.ts'
import { snippetOf } from '../../search/snippet.ts'
import { withLanguage } from '../addresses.ts'
import { type Browse, viewAddress } from '../browse/context.ts'
import { viewTitle, withInnerQuotes } from '../browse/sentences.ts'
import { characterLinks, characterPanels, glance, suggestions } from '../browse/search-form.ts'
import { fieldLabel, singularLabel, subjectLabel } from '../fields/labels.ts'
import { entityField, membersOf, outletField } from '../fields/named-references.ts'
import { readField, selectFields } from '../fields/record-selection.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { type Exported, exportMenu, programMenu } from '../export-menu/export-menu.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { tryParse } from '../../ask/search.ts'
import { leaves, mergeSelections, onType, type Selection } from '../../ask/graphql-text.ts'
import { affordableOperations, buildOperation, type Panel } from '../../ask/operation.ts'
import type { Answer, Draft, IndexState, PageRequest, Site } from '../page.ts'
import { briefColumns, fieldsNamed, listArguments, type MissingWord, pageSize } from '../lists/list.ts'
import { type Result, resultItem } from '../parts/results.ts'
import { searchAllForm } from '../parts/forms.ts'
import { recordLink, recordText, zoneNote } from '../parts/values.ts'
import type { Problem } from '../view/problem.ts'
import { longestSearch, queryText, readView, searchOf } from '../view/view.ts'
import { problemPage, unknownParameters } from './failure.ts'

/** Each total costs as much as the list of its collection. */
const mostTotals = 4
const mostNamed = 6
/** A word or a phrase, of which nothing is excluded. */
const oneTerm = /^(?:"[^"]+"|(?!-)[^\s"“”„()*]+)$/

interface FoundAnswer {
  readonly totalCount?: number
  readonly nodes: readonly FoundRecord[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  readonly didYouMean: readonly MissingWord[]
}

/** What a page searches. */
interface Searched {
  readonly site: Site
  readonly request: PageRequest
  readonly q: string
  /** A cursor; blank for the first page. */
  readonly after: string
  /** The collections with texts that are searched. */
  readonly subjects: readonly PageSubject[]
}

export function searchPage(site: Site, request: PageRequest): Draft {
  const { parameters, language } = request
  const { text } = language
  const q = searchOf(parameters) ?? ''
  const after = parameters.findLast(([name]) => name === 'after')?.[1].trim() ?? ''
  const subjects = site.subjects.all.filter(({ collection }) => collection.searchFields.length > 0)
  const unknown = parameters.filter(([name]) => name !== 'q' && name !== 'after')
  const problems: readonly Problem[] = [
    ...unknownParameters(unknown),
    ...(q.length > longestSearch ? [{ kind: 'longValue', name: 'q', most: longestSearch } as const] : []),
  ]
  const title = q === '' ? text.browse.everything : text.browse.found(withInnerQuotes(q.slice(0, 100)))
  if (problems.length > 0) return problemPage(problems, title, request)
  const asks = q !== '' && subjects.length > 0
  const searched: Searched = { site, request, q, after, subjects }
  return {
    title,
    more(answer) {
      if (!asks || after !== '') return []
      const isFound = (answer['found'] as FoundAnswer).nodes.length > 0
      const instead = isFound ? [] : browses(searched).slice(0, mostTotals)
      const panels = instead.flatMap(({ view, subject }) => characterPanels(view, subject))
      return affordableOperations(site, [...named(searched).map(namedPanel), ...panels])
    },
    isMoreOptional: true,
    operation: asks ? buildOperation(site.schema, 'Search', panels(searched)) : null,
    render: (answer, index, leftOut) => html`
      <header class="heading"><h1>${title}</h1></header>
      ${searchAllForm(site, language, q)}
      ${leftOut} ${asks && [results(searched, answer), menu(searched, title, answer, index)]}
    `,
  }
}

/** The search in each collection. */
function browses({ site, request: { language }, q, subjects }: Searched): readonly Browse[] {
  return subjects.map((subject) => {
    const { view } = readView([['q', q]], subject)
    return { site, subject, view, language, names: new Map() }
  })
}

/** Outlets and the like with the word or phrase as a part of their name, those with most records first. */
function named(searched: Searched): readonly Browse[] {
  if (!oneTerm.test(searched.q)) return []
  return browses(searched).flatMap(({ subject, ...browse }) => {
    const members = membersOf(subject, browse.site.subjects)
    if (members === null) return []
    const part = [`${subject.roles.title}.contains`, searched.q.replaceAll('"', '')] as const
    return [{ ...browse, subject, view: readView([part, ['sort', `-${members.count}`]], subject).view }]
  })
}

function namedPanel({ subject, view }: Browse): Panel {
  return {
    name: `named_${subject.collection.typeName}`,
    field: subject.collection.rootField,
    arguments: { first: mostNamed, ...listArguments(view, subject) },
    selection: { totalCount: {}, nodes: leaves('uri', subject.roles.title ?? '') },
  }
}

function namedLinks(browse: Browse, answer: Answer): Html {
  const { subject, language, view } = browse
  const { totalCount, nodes = [] } = (answer[namedPanel(browse).name] ?? {}) as Partial<FoundAnswer>
  if (!totalCount) return null
  const nameOf = (node: FoundRecord) => recordText(String(node[subject.roles.title ?? '']))
  return html`<p class="suggestions"><a href=${viewAddress(browse, view)} rel="nofollow">${viewTitle(view, subject, language)}</a>
    <span class="count">${language.number(totalCount)}</span>
    ${nodes.map((node) => html` ${recordLink(node.uri, nameOf(node), language)}`)}</p>`
}

/** The pages of the collections have files of their records. */
function menu(searched: Searched, title: string, answer: Answer, index: IndexState | null): Html {
  const { site, request } = searched
  if ((answer['found'] as FoundAnswer).nodes.length === 0) return null
  const operation = buildOperation(site.schema, 'Search', [foundPanel({ ...searched, after: '' })])
  const exported: Exported = { kind: 'list', title, operation, files: [] }
  const context = { ...request, site, index }
  return [exportMenu(exported, context), programMenu([exported], context)]
}

function results(searched: Searched, answer: Answer): Html {
  const { q, after, subjects } = searched
  const { language } = searched.request
  const { text } = language
  const { nodes, pageInfo, didYouMean } = answer['found'] as FoundAnswer
  // The first collection with matches whose records name an outlet or the like.
  const topicSearch = browses(searched).find(
    ({ subject }) => entityField(subject) !== null && (totalIn(subject, answer) ?? 0) > 0,
  )
  const items = nodes.flatMap((node): readonly Html[] => {
    const subject = subjects.find(({ collection }) => collection.typeName === node.__typename)
    if (subject === undefined) return []
    const kind = singularLabel(subject, language)
    const columns = fieldsNamed(subject, [outletField(subject)?.name ?? null])
    return [resultItem(foundResult(node, subject, q), columns, { subject, language, kind })]
  })
  return html`
    ${suggestions(didYouMean, q, language, (search) => address({ q: search }, language))} ${topicSearch !== undefined && glance(topicSearch)} ${collections(searched, answer)}
    <section class="results" aria-label=${text.results}><h2 class="hidden">${text.results}</h2>
      ${
        items.length === 0
          ? html`<p class="empty">${text.noResults} ${/\s/.test(q) && text.noResultsHint}</p>
        ${browses(searched).map((browse) => characterLinks(answer, browse, `${subjectLabel(browse.subject, language)}: `))}`
          : html`${zoneNote(language)}<ol class="list">${items}</ol>`
      }
      <nav class="pages" aria-label=${text.browse.pages}>
        ${after !== '' && html`<a href=${address({ q }, language)} rel="nofollow">${text.firstPage}</a>`}
        ${pageInfo.hasNextPage && html`<a class="next" href=${address({ q, after: pageInfo.endCursor ?? '' }, language)} rel="next nofollow">${text.next}</a>`}
      </nav>
    </section>
  `
}

/** Null where it was not asked. */
function totalIn({ collection }: PageSubject, answer: Answer): number | null {
  return ((answer[`in_${collection.typeName}`] ?? {}) as Partial<FoundAnswer>).totalCount ?? null
}

/** The number of a collection has nothing to do with those of others: each is of other texts. */
function countedTexts(searched: Searched, answer: Answer): Html {
  const { language } = searched.request
  const { text } = language
  const places = searched.subjects.flatMap((subject) => {
    const names = subject.collection.searchFields.map(({ name }) => name)
    const labels = fieldsNamed(subject, names).map((field) => fieldLabel(field, language))
    const place = `${subjectLabel(subject, language)} (${language.list(labels)})`
    return totalIn(subject, answer) === null ? [] : [place]
  })
  return places.length > 1 && html`<p class="none">${text.browse.counts(places.join(text.semicolon))}</p>`
}

/** Where the search can be narrowed down. */
function collections(searched: Searched, answer: Answer): Html {
  const { language } = searched.request
  return html`<nav class="tabs" aria-label=${language.text.results}>
    <a href=${address({ q: searched.q }, language)} aria-current="page">${language.text.browse.all}</a>
    ${browses(searched).map((browse) => {
      const count = totalIn(browse.subject, answer)
      return html`<a href=${viewAddress(browse, browse.view)} rel="nofollow">${subjectLabel(browse.subject, language)}
        ${count !== null && html` <span class="count">${language.number(count)}</span>`}</a>`
    })}
  </nav>
  ${countedTexts(searched, answer)}
  ${named(searched).map((browse) => namedLinks(browse, answer))}`
}

function address(query: Readonly<Record<string, string>>, language: Language): string {
  return withLanguage(`/search?${queryText(Object.entries(query))}`, language)
}

function foundPanel({ q, after, subjects }: Searched): Panel {
  return {
    name: 'found',
    field: 'search',
    arguments: { text: q, first: pageSize, after: after === '' ? undefined : after },
    selection: {
      nodes: { ...leaves('__typename', 'uri'), ...mergeSelections(subjects.map(foundSelection)) },
      pageInfo: leaves('hasNextPage', 'endCursor'),
      didYouMean: { word: {}, nearest: { word: {} } },
    },
  }
}

function panels(searched: Searched): readonly Panel[] {
  const { q, after, subjects } = searched
  const list = foundPanel(searched)
  if (after !== '' || subjects.length > mostTotals) return [list]
  const totals = subjects.map(
    ({ collection }): Panel => ({
      name: `in_${collection.typeName}`,
      field: collection.rootField,
      arguments: { search: q },
      selection: { totalCount: {} },
    }),
  )
  return [list, ...totals]
}

interface FoundRecord extends Readonly<Record<string, unknown>> {
  readonly __typename: string
  readonly uri: string
}

const snippetWords = 30

/** Aliases, because fields of one name may have different types in different collections. */
function foundSelection(subject: PageSubject): Selection {
  const { typeName } = subject.collection
  const own = Object.entries(selectFields(shownFields(subject)))
  const aliased = own.map(([name, selection]) => [`${typeName}_${name}: ${name}`, selection] as const)
  return { [onType(typeName)]: Object.fromEntries(aliased) }
}

/** What represents a record, what it is about, and its outlet or the like. */
function shownFields(subject: PageSubject): readonly ShownField[] {
  const outlet = fieldsNamed(subject, [outletField(subject)?.name ?? null])
  return [...new Set([...briefColumns(subject), ...outlet])]
}

/** Words of the search are marked in title and summary; lists of several collections have no snippets of their own. */
function foundResult(node: FoundRecord, subject: PageSubject, search: string): Result {
  const prefix = `${subject.collection.typeName}_`
  const own = Object.entries(node).filter(([name]) => name.startsWith(prefix))
  const record = Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]))
  const values = shownFields(subject).map((field) => [field.name, readField(record, field)] as const)
  const snippets = values.flatMap(([name, value]) =>
    typeof value === 'string' && subject.collection.searchFields.some((field) => field.name === name)
      ? [[name, snippetOf(value, termsOf(search, name, subject), snippetWords)] as const]
      : [],
  )
  return { uri: node.uri, values: Object.fromEntries(values), snippets: Object.fromEntries(snippets) }
}

function termsOf(search: string, name: string, { collection }: PageSubject): readonly SearchTerm[] {
  const parsed = tryParse(search, collection.searchFields)
  return parsed === null || parsed instanceof SearchError
    ? []
    : wantedTerms(parsed).filter(({ field }) => field === null || field === name)
}
