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
  let [earlier, before]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)]
  let fewestBefore = 0
  for (let row = 1; row <= own.length; row += 1) {
    const now = [row]
    let fewest = row
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = own[row - 1] === other[column - 1]
      const isSwapped = row > 1 && own[row - 1] === other[column - 2] && own[row - 2] === other[column - 1]
      const edits = Math.min(
        before[column - 1]! + (isSame ? 0 : 1),
        before[column]! + 1,
        now[column - 1]! + 1,
        isSwapped ? earlier[column - 2]! + 1 : Number.POSITIVE_INFINITY,
      )
      now.push(edits)
      fewest = Math.min(fewest, edits)
    }
    // Each further row builds on this one or, by a swap, on the one before it.
    if (fewest > most && fewestBefore > most) return null
    earlier = before
    before = now
    fewestBefore = fewest
  }
  const edits = before[other.length]!
  return edits > most ? null : edits
}
