/**
 * Which words are near to one that no record has: how many edits they may differ by. Both engines and docs/search.md
 * follow it; edits are counted as in util/text/nearest.ts, and in postgres/layout/functions.ts.
 */

/** Words of a search that are looked up, and near words that are shown for each. */
export const mostMissingWords = 10
export const mostNearWords = 5

/** As many as full-text search engines permit: one in words of three to five characters, two in longer ones. */
export function mostEdits(word: string): 0 | 1 | 2 {
  const { length } = [...word]
  return length < 3 ? 0 : length < 6 ? 1 : 2
}

/** Near words begin with the same character: they follow `from` and precede `to`, in the order of code points. */
export function spanOfNear(word: string): { readonly from: string; readonly to: string } {
  const from = [...word][0] ?? ''
  return { from, to: `${from}\u{10ffff}` }
}
