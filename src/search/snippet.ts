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

/** The positions of the first and the last word of a place where a term is found, and the position of the term. */
interface Match {
  readonly term: number
  readonly first: number
  readonly last: number
}

/** The part of a passage that precedes what was found. */
const lead = 0.2

/** The passage of at most `length` words with the most different terms, then the most matches, then the earliest. */
export function snippetOf(text: string, terms: readonly SoughtWords[], length: number): Snippet {
  const words = wordsOf(text)
  const found = matchesOf(
    words.map(({ word }) => word),
    terms.filter((term) => term.words.length <= length),
  )
  const start = bestStart(found, words.length, length)
  const end = start + length
  const begins = start === 0 ? 0 : (words[start]?.start ?? 0)
  const ends = end >= words.length ? text.length : (words[end - 1]?.end ?? begins)
  const ranges = found
    .filter(({ first, last }) => first >= start && last < end)
    .map(({ first, last }) => ({
      start: (words[first]?.start ?? 0) - begins,
      end: (words[last]?.end ?? 0) - begins,
    }))
  return { text: text.slice(begins, ends), ranges: merged(ranges) }
}

/**
 * The position of the first word of the best passage. Passages are visited in the order of the text; `inside` has the
 * number of matches of each term within the current one.
 */
function bestStart(found: readonly Match[], words: number, length: number): number {
  const byLast = found.toSorted((a, b) => a.last - b.last)
  const inside = new Map<number, number>()
  let [entered, left] = [0, 0]
  let best = { start: 0, terms: 0, matches: 0 }
  const change = (match: Match, by: 1 | -1): void => {
    const count = (inside.get(match.term) ?? 0) + by
    if (count === 0) inside.delete(match.term)
    else inside.set(match.term, count)
  }
  for (const { first } of found) {
    const start = Math.max(0, Math.min(first - Math.floor(length * lead), words - length))
    while ((byLast[entered]?.last ?? Infinity) < start + length) change(byLast[entered++] as Match, 1)
    // No match is longer than a passage, so a match that begins before it has entered.
    while ((found[left]?.first ?? Infinity) < start) change(found[left++] as Match, -1)
    const [terms, matches] = [inside.size, entered - left]
    if (terms > best.terms || (terms === best.terms && matches > best.matches))
      best = { start, terms, matches }
  }
  return best.start
}

/** All places where terms are found, in the order of the text. */
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

/** Joins ranges that overlap. */
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
