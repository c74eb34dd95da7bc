/** Reads the argument `search`, and shows where records have what it asks for. */
import type { Collection } from '../schema/model/model.ts'
import type { Search, SearchTerm } from '../search/parse-search.ts'
import { parseSearch, SearchError, wantedTerms } from '../search/parse-search.ts'
import { mostRankedTerms } from '../search/relevance.ts'
import type { Snippet } from '../search/snippet.ts'
import { plainWordsOf } from '../search/words.ts'
import { foldText } from '../util/text/fold.ts'
import { EnumValue, printField, type Selection } from './graphql-text.ts'
import { AskError } from './ask-error.ts'
import type { Json } from '../util/is-object.ts'
import type { Subject } from './collections.ts'
import type { Path } from './paths.ts'

/** Maximum number of words of a snippet, and of texts of a record that are searched for one. */
const snippetWords = 20
const mostTexts = 6

export type WordSearch = NonNullable<ReturnType<typeof readSearch>>

/**
 * Null without a search, or with a blank one, which finds every record. Throws an AskError if it has no meaning. `terms`:
 * the words and phrases that it does not exclude, each once, as searches; `isOfAnyText`: whether it has such words, and
 * each may be in any text.
 */
export function readSearch(subject: Subject, text: string | undefined) {
  if (text === undefined || text.trim() === '') return null
  const { searchFields } = subject.collection
  if (searchFields.length === 0) throw new AskError(`${subject.label} has no text to search; use filters.`)
  const search = tryParse(text, searchFields)
  if (search instanceof SearchError)
    throw new AskError(`search: ${search.message.replace('`contains`', '`text`')}.`)
  const wanted = search === null ? [] : wantedTerms(search)
  const excluded = search === null ? [] : wantedTerms(search, false)
  const terms = [...new Set(wanted.map(printTerm))]
  const isOfAnyText = terms.length > 0 && [...wanted, ...excluded].every(({ field }) => field === null)
  return { text, terms, isOfAnyText, isExcluding: excluded.length > 0 }
}

/** Null for a blank search; the error of one without a meaning. `fields`: those that it may name. */
export function tryParse(
  text: string,
  fields: readonly { readonly name: string }[],
): Search | null | SearchError {
  const names = fields.map(({ name }) => name)
  try {
    return parseSearch(text, names)
  } catch (error) {
    if (error instanceof SearchError) return error
    throw error
  }
}

/** Whether a word, or a text of such words, is what the search asks for. */
export function searchedWords(search: string, fields: readonly { readonly name: string }[]) {
  const parsed = tryParse(search, fields)
  const terms = parsed === null || parsed instanceof SearchError ? [] : wantedTerms(parsed)
  const words = new Set(terms.flatMap((term) => term.words))
  const prefixes = terms.flatMap((term) => (term.prefix ? [term.words.at(-1) ?? ''] : []))
  return (text: string): boolean =>
    plainWordsOf(text).every((word) => words.has(word) || prefixes.some((prefix) => word.startsWith(prefix)))
}

function printTerm({ words, prefix, field }: SearchTerm): string {
  const [only = '', ...others] = words
  const text = prefix ? `${words.join('-')}*` : others.length === 0 ? only : `"${words.join(' ')}"`
  return field === null ? text : `${field}:${text}`
}

/** True if relevance is defined for the search, and the service computes it. */
export function hasRelevance({ terms }: WordSearch): boolean {
  return terms.length > 0 && terms.length <= mostRankedTerms
}

/** Members of an edge: `s0`, `s1` …, a snippet of each text. */
export function selectSnippets({ searchFields }: Collection): Selection {
  const snippets = searchFields.slice(0, mostTexts).map(({ name }, at) => {
    const snippet = printField('snippet', { field: new EnumValue(name), words: snippetWords })
    return [`s${at}: ${snippet}`, { text: {}, ranges: { start: {}, end: {} } }] as const
  })
  return Object.fromEntries(snippets)
}

/**
 * A member that shows what the search found: the path of the text whose snippet has the most different words, and this
 * snippet with `**` around them; null if no text has any. Of equal texts, one that the row does not show is preferred.
 */
export function readSnippet(edge: Json, { searchFields }: Collection, shown: readonly Path[]): Json | null {
  const found = searchFields.slice(0, mostTexts).flatMap(({ path }, at) => {
    const snippet = edge[`s${at}`] as Snippet | null | undefined
    if (!snippet || snippet.ranges.length === 0) return []
    const name = path.join('.')
    return [{ name, snippet, isShown: shown.some(({ text }) => text === name), words: wordsIn(snippet) }]
  })
  const [best] = found.toSorted((a, b) => b.words - a.words || Number(a.isShown) - Number(b.isShown))
  return best === undefined ? null : { [best.name]: mark(best.snippet) }
}

/** Number of different texts in the ranges. */
function wordsIn({ text, ranges }: Snippet): number {
  return new Set(ranges.map(({ start, end }) => foldText(text.slice(start, end)))).size
}

function mark({ text, ranges }: Snippet): string {
  const ends = [0, ...ranges.map(({ end }) => end)]
  const marked = ranges.map(
    ({ start, end }, at) => `${text.slice(ends[at], start)}**${text.slice(start, end)}**`,
  )
  return marked.join('') + text.slice(ends.at(-1))
}
