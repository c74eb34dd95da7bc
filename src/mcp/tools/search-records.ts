/** The tool `search_records`: a page of a collection, as short rows. */
import { leafPath } from '../../schema/model/leaves.ts'
import { sortFields } from '../../schema/model/operators.ts'
import { operatorsOn } from '../../schema/model/where-operators.ts'
import { limits } from '../../query/parse/limits.ts'
import { mostRanked, mostRankedTerms } from '../../search/relevance.ts'
import { nearest } from '../../util/text/nearest.ts'
import { fitRows } from '../words/budget.ts'
import { tokensOfJson } from '../words/tokens.ts'
import type { Subject } from '../../ask/collections.ts'
import { directionOf } from '../../ask/measures.ts'
import { mostReferring, readRow, readTotals, selectRow, withoutNulls } from '../../ask/selection.ts'
import { findExamples } from '../words/examples.ts'
import { buildWhere, type Narrowing } from '../../ask/filters.ts'
import { hasRelevance, readSearch, readSnippet, selectSnippets, type WordSearch } from '../../ask/search.ts'
import { selectSideCounts } from '../words/side-counts.ts'
import { EnumValue, type Literal, printField, type Selection } from '../../ask/graphql-text.ts'
import { hintOf } from '../words/nothing-found.ts'
import { parsePath, type Path, reverseNames, type SchemaContext } from '../../ask/paths.ts'
import type { Citation, Toolbox, ToolDefinition } from './toolbox.ts'
import { argumentsOf, citationOf, longestOf, present, readOrder, sentences } from './toolbox.ts'
import { sharedPrefix, withFile, withoutPrefix } from './toolbox.ts'
import { AskError, didYouMean } from '../../ask/ask-error.ts'
import type { Json } from '../../util/is-object.ts'

interface Page {
  readonly totalCount?: number
  /** The number of the newest matches that are ordered by relevance. */
  readonly ranked?: number
  readonly edges: readonly (Json & { readonly cursor: string; readonly node: Json })[]
  readonly pageInfo: { readonly hasNextPage: boolean }
}

/** Operators of single values and arrays, except `isNull`. */
const operatorList = operatorsOn('string', 'searched', 'url', 'array')
  .flatMap(([name, { value }]) => (value === 'flag' ? [] : [name]))
  .join('|')

interface SearchArguments extends Narrowing {
  readonly collection: string
  readonly sort?: string
  readonly fields?: readonly string[]
  readonly detail?: 'brief' | 'full'
  readonly limit?: number
  readonly after?: string
  readonly cite?: boolean
}

export function createSearchRecords(context: SchemaContext): ToolDefinition {
  const labels = context.catalogue.subjects.map(({ label }) => label).join(', ')
  const listed = labels.length > 300 ? 'see describe' : labels
  const { forward, reverse } = findExamples(context)
  const shown = [forward, reverse].filter((example) => example !== null).join(', ')
  return {
    name: 'search_records',
    title: 'Search records',
    description: `Lists records. Collections: ${listed}. Fields are dotted paths along references, in either direction${shown === '' ? '' : `: ${shown}`}.`,
    inputSchema: argumentsOf(
      {
        collection: 'string',
        search: {
          type: 'string',
          description:
            'Words in any order, "a phrase", prefix*, -not, OR, field:word. Best first, with a snippet.',
        },
        text: { type: 'string', description: 'Characters in a title or other text.' },
        filters: {
          type: 'object',
          description: `Path: value, [any of], null (missing) or {${operatorList}: value}; bare, text contains it and a URL is the same. A reference takes a URI, record key, domain or name, or {all: name} for all that match; .isCurrent: false where its target has changed; what refers to a record takes "none" or "some".`,
        },
        since: { type: 'string', description: '"2026-11-16", "today", "last 7 days" …; UTC.' },
        until: 'string',
        sort: {
          type: 'string',
          description: 'Own field, "-" for descending. Default relevance with search, else newest first.',
        },
        fields: { type: 'array', items: { type: 'string' }, description: 'Paths to show.' },
        detail: { type: 'string', enum: ['brief', 'full'] },
        limit: { type: 'integer', minimum: 1, maximum: 50 },
        after: { type: 'string', description: 'From the last answer.' },
        cite: { type: 'boolean', description: 'Adds CIDs, and the GraphQL that ran.' },
      },
      ['collection'],
    ),
    run: search,
  }
}

async function search(args: SearchArguments, toolbox: Toolbox): Promise<Json> {
  const { sort, fields, detail, limit = 10, after, cite = false } = args
  const subject = toolbox.catalogue.named(args.collection)
  const { collection } = subject
  const isFull = detail === 'full' && fields === undefined
  const names = isFull ? [] : (fields ?? subject.brief)
  const paths = names.map((name) => parsePath(name, collection, toolbox))
  const words = readSearch(subject, args.search)
  const hasSnippets = words !== null && words.terms.length > 0 && !isFull
  const isRanked = isByRelevance(sort, words, subject)
  const sortBy = isRanked ? [{ field: new EnumValue('RELEVANCE') }] : parseSort(sort, subject, toolbox)
  const where = await buildWhere(subject, args, toolbox)
  const { rootField: root } = collection
  const narrowed = { search: words?.text, where, sortBy }
  const list = printField(root, { first: limit, after, ...narrowed })
  const wanted: Selection = {
    [list]: {
      // Only the first page is counted, because the count costs as much as a page.
      ...(after === undefined && { totalCount: {} }),
      ...(isRanked && { ranked: {} }),
      edges: {
        cursor: {},
        ...(hasSnippets && selectSnippets(collection)),
        node: { ...selectRow(paths, toolbox, cite), ...(isFull && { recordJson: {} }) },
      },
      pageInfo: { hasNextPage: {} },
    },
  }
  const besides = after === undefined ? await selectSideCounts(args, subject, toolbox) : {}
  const read = await toolbox.read(wanted, besides)
  const page = read.data[root] as Page
  const rows = page.edges.map((edge): Json => {
    const row = isFull ? wholeRow(edge.node, cite) : readRow(edge.node, paths, toolbox, cite)
    const snippet = hasSnippets ? readSnippet(edge, collection, paths) : null
    const cut = readTotals(edge.node, paths)
    // A property that is called `snippet` or `cut` is shown itself.
    return { ...row, ...present({ snippet, cut }), ...row }
  })
  const isCut = page.edges.some(({ node }) => readTotals(node, paths) !== null)
  const cutHint = isCut ? `cut: how many refer, of which the ${mostReferring} indexed last are shown.` : null
  const found = await hintOf(read.data, page.totalCount, args, subject, toolbox)
  const hint = sentences(found, cutHint)
  const order = isRanked ? orderByRelevance(page) : sort === undefined ? orderOf(words) : null
  const whole = answer(rows, page, citationOf(read, args, toolbox), order, hint, toolbox)
  const isList = ({ steps }: Path) => steps.some(({ kind }) => kind === 'reverse')
  const columns = paths.filter((path) => !isList(path))
  const nodes = { ...selectRow(columns, toolbox), ...(isFull && { recordJson: {} }) }
  const lists = paths.filter(isList).map(({ text }) => text)
  const all = { [printField(root, narrowed)]: { nodes } }
  return withFile(whole, all, 'All rows that your tier allows', lists)
}

function answer(
  read: readonly Json[],
  page: Page,
  { asOf, query }: Citation,
  order: string | null,
  hint: string,
  { budget }: Toolbox,
): Json {
  const { totalCount: total, edges, pageInfo } = page
  const prefix = sharedPrefix(read.map(({ uri }) => uri))
  const rows = read.map((row) => withoutPrefix(row, prefix))
  const longest = longestOf(edges.map(({ cursor }) => cursor))
  const note = 'Long texts are cut (…): get_record has more.'
  const whole = (records: readonly unknown[], cut: number | null, after: unknown, hint: string): Json =>
    present({ total, order, cut, asOf, prefix, records, after, hint, query })
  const room = budget - tokensOfJson(whole([], 50, longest, sentences(hint, note))) - 10
  const { rows: records, shortened } = fitRows(rows, room)
  const returned = records.length
  const isCut = returned < rows.length
  const cut = isCut ? rows.length - returned : null
  const after = isCut || pageInfo.hasNextPage ? edges[returned - 1]?.cursor : undefined
  const cutHint = isCut ? 'Rows were cut to fit: go on with after, or ask for fewer fields.' : null
  return whole(records, cut, after, sentences(hint, shortened ? note : cutHint))
}

function isByRelevance(sort: string | undefined, words: WordSearch | null, { collection }: Subject): boolean {
  if (sort === undefined) return words !== null && hasRelevance(words)
  const names = sort.split(',').map((one) => readOrder(one).name)
  const own = sortFields(collection).map(({ name }) => name)
  if (!names.some((name) => /^relevance$/i.test(name) && !own.includes(name))) return false
  if (names.length > 1)
    throw new AskError('"relevance" takes no other sort fields; equally relevant records come newest first.')
  if (words === null || words.terms.length === 0)
    throw new AskError('To sort by relevance, write words in search that are not excluded.')
  return true
}

/** Further pages have no total. */
function orderByRelevance({ ranked = 0, totalCount }: Page): string | null {
  if (ranked === 0) return null
  if (ranked === totalCount || (totalCount === undefined && ranked < mostRanked)) return 'relevance'
  return `relevance among the newest ${ranked} matches; the others follow, newest first`
}

function orderOf(words: WordSearch | null): string | null {
  return words === null || words.terms.length === 0
    ? null
    : `newest first: relevance takes at most ${mostRankedTerms} words and phrases`
}

/** A property `uri` must not replace the record's own URI, so that only get_record shows it. */
function wholeRow({ uri, cid, recordJson }: Json, cite: boolean): Json {
  const { $type: _, uri: __, ...record } = recordJson as Json
  return { uri, ...(cite && { cid }), ...(withoutNulls(record) as Json) }
}

/** For `sortBy`. Counts of referring records are named by these: `enrichment.count`. */
function parseSort(
  sort: string | undefined,
  { collection, label, time }: Subject,
  context: SchemaContext,
): readonly Literal[] {
  const referring = reverseNames(collection, context)
  const fields = sortFields(collection).map(({ name, leaf }) => ({
    name,
    path:
      leaf.kind === 'count'
        ? `${referring.get(leaf.reference) ?? leaf.reference.viaField}.count`
        : leafPath(leaf).join('.'),
  }))
  const written = (sort ?? `-${time}`).split(',').map(readOrder)
  if (written.length > limits.sortFields) throw new AskError(`Sort by at most ${limits.sortFields} fields.`)
  return written.map(({ name, isDescending }) => {
    const field = fields.find((each) => each.name === name || each.path === name)
    if (field !== undefined) return { field: new EnumValue(field.name), ...directionOf(isDescending) }
    const given = `"${name.slice(0, 80)}"`
    const sortable = fields.map(({ path }) => path)
    if (name.includes('.'))
      throw new AskError(
        `${label} is sorted by its own fields, not by ${given}. Search the collection that has the field, and show the other's fields by path.`,
      )
    throw new AskError(
      `${label} cannot be sorted by ${given}.${didYouMean(nearest(name, sortable))} It is sorted by ${sortable.slice(0, 30).join(', ')}.`,
    )
  })
}
