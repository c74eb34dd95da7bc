/**
 * Which words are near to one that no record has: how many edits they may differ by, and how edits are counted. Both
 * engines and docs/search.md follow it; PostgreSQL has the same function in its own language (layout/functions.ts).
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

/**
 * The least number of characters to insert, remove, replace, or swap with their neighbour, until one word is the other
 * (the distance of optimal string alignment); null if that takes more than `most`.
 */
export function editDistance(from: string, to: string, most: number): number | null {
  const [own, other] = [[...from], [...to]]
  if (Math.abs(own.length - other.length) > most) return null
  let earlier: number[] = []
  let before = other.map((_, column) => column + 1)
  before.unshift(0)
  for (const [row, character] of own.entries()) {
    const now = [row + 1]
    for (const [column, candidate] of other.entries()) {
      const isSame = character === candidate
      let least = Math.min((before[column] ?? 0) + (isSame ? 0 : 1), (before[column + 1] ?? 0) + 1)
      least = Math.min(least, (now[column] ?? 0) + 1)
      const isSwapped = row > 0 && column > 0 && character === other[column - 1] && own[row - 1] === candidate
      if (isSwapped) least = Math.min(least, (earlier[column - 1] ?? 0) + 1)
      now.push(least)
    }
    // Each further row builds on this one or, by a swap, on the one before it.
    if (Math.min(...now) > most && Math.min(...before) > most) return null
    earlier = before
    before = now
  }
  const edits = before[other.length] ?? 0
  return edits > most ? null : edits
}
