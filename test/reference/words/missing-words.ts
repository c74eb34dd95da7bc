/** `didYouMean` as docs/search.md states it: each word of some texts is compared with each word that nobody wrote. */
import { type Search, wantedTerms } from '../../../src/search/parse-search.ts'
import type { SearchedField } from './search.ts'

export interface MissingWord {
  readonly word: string
  readonly nearest: readonly { readonly word: string; readonly count: number }[]
}

/** `texts`: those of each record. */
export function missingWords(texts: readonly (readonly SearchedField[])[], search: Search): MissingWord[] {
  const counts = new Map<string, number>()
  for (const fields of texts)
    for (const word of new Set(fields.flatMap(({ words }) => words)))
      counts.set(word, (counts.get(word) ?? 0) + 1)
  const asked = wantedTerms(search).flatMap(({ words, prefix }) => (prefix ? words.slice(0, -1) : words))
  return [...new Set(asked)]
    .slice(0, 10)
    .filter((word) => !counts.has(word))
    .map((word) => ({ word, nearest: nearest(word, counts) }))
}

function nearest(word: string, counts: ReadonlyMap<string, number>): MissingWord['nearest'] {
  const own = [...word]
  const most = own.length < 3 ? 0 : own.length < 6 ? 1 : 2
  return [...counts]
    .filter(([other]) => most > 0 && [...other][0] === own[0])
    .map(([other, count]) => ({ word: other, count, edits: edits(own, [...other]) }))
    .filter((found) => found.edits <= most)
    .sort(
      (a, b) => a.edits - b.edits || b.count - a.count || Buffer.from(a.word).compare(Buffer.from(b.word)),
    )
    .slice(0, 5)
    .map(({ word: found, count }) => ({ word: found, count }))
}

/** By the definition, each pair of beginnings once. */
function edits(own: readonly string[], other: readonly string[]): number {
  const known = new Map<string, number>()
  const between = (a: number, b: number): number => {
    if (a === 0 || b === 0) return a + b
    const key = `${a} ${b}`
    const least =
      known.get(key) ??
      Math.min(
        between(a - 1, b) + 1,
        between(a, b - 1) + 1,
        between(a - 1, b - 1) + (own[a - 1] === other[b - 1] ? 0 : 1),
        a > 1 && b > 1 && own[a - 1] === other[b - 2] && own[a - 2] === other[b - 1]
          ? between(a - 2, b - 2) + 1
          : Number.POSITIVE_INFINITY,
      )
    known.set(key, least)
    return least
  }
  return between(own.length, other.length)
}
