/** The passage of a text that shows best what a search found in it. */
import type { SearchTerm } from './parse-search.ts'
import { wordsOf } from './words.ts'

/** Words that follow one another, of which the last may be a prefix. */
export type SoughtWords = Pick<SearchTerm, 'words' | 'prefix'>

export interface Snippet {
  /** A part of the text, unchanged. */
  readonly text: string
  /** What was found in it, in order, without overlaps; UTF-16 units of `text`. */
  readonly ranges: readonly TextRange[]
}

export interface TextRange {
  readonly start: number
  readonly end: number
}

/** Words from the first to the last, both included, and the term that they are found for. */
interface Match {
  readonly term: number
  readonly first: number
  readonly last: number
}

/** Share of a passage that comes before what was found. */
const lead = 0.2

/** The passage of at most `length` words with the most different terms, then the most matches, then the earliest. */
export function snippetOf(text: string, terms: readonly SoughtWords[], length: number): Snippet {
  const words = wordsOf(text)
  const found = matchesOf(
    words.map(({ word }) => word),
    terms,
  )
  const starts = found.map(({ first }) =>
    Math.max(0, Math.min(first - Math.floor(length * lead), words.length - length)),
  )
  let best = { start: 0, terms: 0, matches: 0 }
  for (const [from, start] of starts.entries()) {
    if (start === starts[from - 1]) continue
    const inside = found.filter(({ first, last }) => first >= start && last < start + length)
    const distinct = new Set(inside.map(({ term }) => term)).size
    if (distinct > best.terms || (distinct === best.terms && inside.length > best.matches))
      best = { start, terms: distinct, matches: inside.length }
  }
  const end = best.start + length
  const begins = best.start === 0 ? 0 : (words[best.start]?.start ?? 0)
  const ends = end >= words.length ? text.length : (words[end - 1]?.end ?? begins)
  const ranges = found
    .filter(({ first, last }) => first >= best.start && last < end)
    .map(({ first, last }) => ({
      start: (words[first]?.start ?? 0) - begins,
      end: (words[last]?.end ?? 0) - begins,
    }))
  return { text: text.slice(begins, ends), ranges: merged(ranges) }
}

/** In the order of the text. */
function matchesOf(words: readonly string[], terms: readonly SoughtWords[]): Match[] {
  const byFirst = new Map<string, number[]>()
  const prefixes: number[] = []
  for (const [term, { words: sought, prefix }] of terms.entries()) {
    const [first = ''] = sought
    if (prefix && sought.length === 1) prefixes.push(term)
    else byFirst.set(first, [...(byFirst.get(first) ?? []), term])
  }
  return words.flatMap((word, first) =>
    [...(byFirst.get(word) ?? []), ...prefixes].flatMap((term): Match[] => {
      const { words: sought, prefix } = terms[term] as SoughtWords
      const isFound = sought.every((each, index) => {
        const other = words[first + index] ?? ''
        return prefix && index === sought.length - 1 ? other.startsWith(each) : other === each
      })
      return isFound ? [{ term, first, last: first + sought.length - 1 }] : []
    }),
  )
}

function merged(ranges: readonly TextRange[]): TextRange[] {
  const apart: TextRange[] = []
  for (const range of ranges) {
    const last = apart.at(-1)
    if (last !== undefined && range.start < last.end)
      apart[apart.length - 1] = { start: last.start, end: Math.max(last.end, range.end) }
    else apart.push(range)
  }
  return apart
}
