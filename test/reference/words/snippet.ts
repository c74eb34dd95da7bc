/** Snippets as docs/search.md states them: every passage is tried. */
import type { SearchTerm } from '../../../src/search/parse-search.ts'
import { wordsOf } from '../../../src/search/words.ts'

export interface Snippet {
  readonly text: string
  readonly ranges: readonly { readonly start: number; readonly end: number }[]
}

/** `terms`: what the search asks for in this text, each once; `length`: words of a passage, at most. */
export function snippetOf(
  text: string,
  terms: readonly Pick<SearchTerm, 'words' | 'prefix'>[],
  length: number,
): Snippet {
  const words = wordsOf(text)
  const found = words.flatMap((_, first) =>
    terms
      .filter(({ words: wanted, prefix }) =>
        wanted.every((word, index) => {
          const other = words[first + index]?.word
          return prefix && index === wanted.length - 1 ? other?.startsWith(word) : other === word
        }),
      )
      .map((term) => ({ term, first, last: first + term.words.length - 1 }))
      .filter(({ last }) => last < first + length),
  )
  const fifth = Math.floor(length / 5)
  const latest = Math.max(0, words.length - length)
  const starts = words
    .map((_, start) => start)
    .filter((start) => found.some(({ first }) => start === Math.max(0, Math.min(first - fifth, latest))))
  const passages = starts.map((start) => {
    const inside = found.filter(({ first, last }) => first >= start && last < start + length)
    return { start, inside, terms: new Set(inside.map(({ term }) => term)).size }
  })
  const [best = { start: 0, inside: [] }] = passages.sort(
    (a, b) => b.terms - a.terms || b.inside.length - a.inside.length || a.start - b.start,
  )
  const from = best.start === 0 ? 0 : words[best.start]!.start
  const to = best.start + length >= words.length ? text.length : words[best.start + length - 1]!.end
  const parts = best.inside.map(({ first, last }) => ({ start: words[first]!.start, end: words[last]!.end }))
  // A range begins where a part does that no other part goes across, and ends at the next such place.
  const isWithin = (at: number) => parts.some(({ start, end }) => start < at && at < end)
  const begins = [...new Set(parts.map(({ start }) => start))].filter((at) => !isWithin(at))
  const endOf = (at: number): number => (isWithin(at) ? endOf(at + 1) : at)
  const ranges = begins.map((start) => ({ start: start - from, end: endOf(start + 1) - from }))
  return { text: text.slice(from, to), ranges: ranges.toSorted((a, b) => a.start - b.start) }
}
