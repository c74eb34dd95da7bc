/** The candidate that `word` most likely misspells, or null when none is similar. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const folded = word.toLowerCase()
  let best: string | null = null
  let least = Math.floor(Math.min(word.length, 40) * 0.4) + 1
  for (const candidate of candidates) {
    const distance = editDistance(folded, candidate.toLowerCase(), least - 1)
    if (distance === null) continue
    best = candidate
    least = distance
  }
  return best
}

/**
 * The least number of characters to insert, remove, replace, or (with `maySwap`) swap with their neighbour, until one word
 * is the other; null if that takes more than `most`. Swaps make it the distance of optimal string alignment, instead of
 * Levenshtein's.
 */
export function editDistance(
  own: ArrayLike<string>,
  other: ArrayLike<string>,
  most: number,
  maySwap = false,
): number | null {
  if (Math.abs(own.length - other.length) > most) return null
  let [earlier, before]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)]
  let fewestBefore = 0
  for (let row = 1; row <= own.length; row += 1) {
    const now = [row]
    let fewest = row
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = own[row - 1] === other[column - 1]
      const isSwapped =
        maySwap && row > 1 && own[row - 1] === other[column - 2] && own[row - 2] === other[column - 1]
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
