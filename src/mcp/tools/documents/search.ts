/**
 * The tool `search`, in the form that ChatGPT and the deep research of OpenAI prescribe: a text gives records of all
 * collections, each with an id for `fetch`, a title, and an address to cite.
 */
import { recordKey } from '../../../util/text/record-key.ts'
import { SearchError, wantedTerms } from '../../../search/parse-search.ts'
import { mostRankedTerms } from '../../../search/relevance.ts'
import { readRow, selectRow } from '../../../ask/selection.ts'
import { parsePath, referencedFrom } from '../../../ask/paths.ts'
import { hasRelevance, readSearch, tryParse } from '../../../ask/search.ts'
import { EnumValue, printField } from '../../../ask/graphql-text.ts'
import { collectionsFor, findNames } from '../../names/find-names.ts'
import { fitRows } from '../../words/budget.ts'
import type { Subject } from '../../../ask/collections.ts'
import { AskError } from '../../../ask/ask-error.ts'
import type { Json } from '../../../util/is-object.ts'
import { argumentsOf, type Toolbox, type ToolDefinition } from '../toolbox.ts'

/** Results of one call, and records that are read of each collection. */
const mostResults = 20
const mostOfEach = 10
/** Collections that one operation reads; more could cost more points than a tier allows for one operation. */
const atOnce = 6

type Result = ReturnType<typeof resultOf>

export const searchTool: ToolDefinition = {
  name: 'search',
  title: 'Search all records',
  description:
    'Finds records of all collections by words. Gives the id, title and url of each; fetch takes an id.',
  inputSchema: argumentsOf(
    {
      query: {
        type: 'string',
        description: 'Words, "a phrase", prefix*, -not, OR. A name finds its record.',
      },
    },
    ['query'],
  ),
  run: search,
}

async function search({ query }: { readonly query?: string }, toolbox: Toolbox): Promise<Json> {
  const text = query?.trim() ?? ''
  if (text === '') throw new AskError('Write the words to look for in query.')
  const terms = termsOf(text)
  if (terms?.length === 0) throw new AskError('The query only excludes words: write one to look for, too.')
  const results = (terms && (await byWords(text, terms, toolbox))) ?? (await byName(text, toolbox))
  return { results: fitRows(results, toolbox.budget - 20).rows }
}

/** Records with all of the words; otherwise with any of them. Null without results. */
async function byWords(text: string, terms: readonly string[], toolbox: Toolbox) {
  const all = await searchLists(text, toolbox)
  if (all.length > 0) return all
  const any = await searchLists(terms.slice(0, mostRankedTerms).join(' OR '), toolbox)
  return any.length > 0 ? any : null
}

/** The words that are not excluded; null for a text without words, which cannot be searched for. */
function termsOf(text: string): readonly string[] | null {
  const parsed = tryParse(text, [])
  if (parsed === null || parsed instanceof SearchError) return null
  return [...new Set(wantedTerms(parsed).flatMap(({ words }) => words))]
}

/** The best of each collection in turn, because relevance depends on the collection. */
async function searchLists(text: string, toolbox: Toolbox): Promise<readonly Result[]> {
  const searched = toolbox.catalogue.subjects.filter(({ collection }) => collection.searchFields.length > 0)
  const lists = searched.map((subject): List => {
    const words = readSearch(subject, text)
    const isRanked = words !== null && hasRelevance(words)
    const list = printField(subject.collection.rootField, {
      first: mostOfEach,
      search: text,
      ...(isRanked && { sortBy: [{ field: new EnumValue('RELEVANCE') }] }),
    })
    return { subject, list }
  })
  const found = (await readLists(lists, toolbox)).flatMap((results) =>
    results.map((result, rank) => ({ rank, result })),
  )
  return found
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, mostResults)
    .map(({ result }) => result)
}

interface List {
  readonly subject: Subject
  /** A field of the query, with its arguments. */
  readonly list: string
}

async function readLists(lists: readonly List[], toolbox: Toolbox): Promise<readonly (readonly Result[])[]> {
  const results: (readonly Result[])[] = []
  for (let start = 0; start < lists.length; start += atOnce) {
    const some = lists.slice(start, start + atOnce).map((each, at) => ({
      ...each,
      alias: `c${at}`,
      paths: pathsOf(each.subject, toolbox),
    }))
    const selection = some.map(({ alias, list, paths }) => [
      `${alias}: ${list}`,
      { nodes: selectRow([...paths.title, ...paths.addresses], toolbox) },
    ])
    const data = await toolbox.ask(Object.fromEntries(selection))
    for (const { alias, subject, paths } of some) {
      const { nodes } = data[alias] as { readonly nodes: readonly Json[] }
      results.push(nodes.map((node) => resultOf(node, subject, paths, toolbox)))
    }
  }
  return results
}

/** Where the title and the addresses of a record are. One without an address is cited by that of the record that it refers to. */
function pathsOf({ collection, display, addresses }: Subject, toolbox: Toolbox) {
  const behind = referencedFrom(collection, toolbox).flatMap(([name, { nsid }]) => {
    const [address] = toolbox.catalogue.of(nsid).addresses
    return address === undefined ? [] : `${name}.${address.name}`
  })
  const names = addresses.length > 0 ? addresses.map(({ name }) => name) : behind.slice(0, 1)
  return {
    title: display === null ? [] : [parsePath(display.name, collection, toolbox)],
    addresses: names.map((name) => parsePath(name, collection, toolbox)),
  }
}

function resultOf(node: Json, subject: Subject, paths: ReturnType<typeof pathsOf>, toolbox: Toolbox) {
  const row = readRow(node, [...paths.title, ...paths.addresses], toolbox)
  const id = String(row['uri'])
  const [title] = paths.title.map(({ text }) => row[text])
  return {
    id,
    title: typeof title === 'string' && title.trim() !== '' ? title : titleOf(id, subject),
    url: firstAddress(paths.addresses.map(({ text }) => row[text])) ?? id,
  }
}

/** The title of a record that has none. */
export function titleOf(uri: string, { label }: Subject): string {
  return `${label} ${recordKey(uri)}`
}

/** Characters; a longer address is passed over, because it cannot be cut and would leave no room for other results. */
const longestAddress = 400

/** The first that a browser can open; a cut one ends with `…`. */
export function firstAddress(values: readonly unknown[]): string | null {
  const [first] = values.filter(
    (value) =>
      typeof value === 'string' && value.length <= longestAddress && /^https?:\/\/.*[^…]$/i.test(value),
  )
  return first === undefined ? null : String(first)
}

/** Records by their names, the best match first. */
async function byName(text: string, toolbox: Toolbox): Promise<readonly Result[]> {
  const { found } = await findNames(text, collectionsFor(text, toolbox.catalogue), toolbox.ask)
  const best = found.slice(0, mostResults)
  const lists = Array.from(
    Map.groupBy(best, ({ subject }) => subject),
    ([subject, records]): List => {
      const where = { uri: { in: records.map(({ uri }) => uri) } }
      return { subject, list: printField(subject.collection.rootField, { first: records.length, where }) }
    },
  )
  const read = new Map((await readLists(lists, toolbox)).flat().map((result) => [result.id, result]))
  return best.flatMap(({ uri }) => read.get(uri) ?? [])
}
