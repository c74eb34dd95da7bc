/** The candidate that `word` was most likely meant to be, or null when none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const folded = word.toLowerCase()
  let best: string | null = null
  let least = Math.floor(Math.min(word.length, 40) * 0.4) + 1
  for (const candidate of candidates) {
    const distance = editDistance(folded, candidate.toLowerCase(), least)
    if (distance < least) {
      best = candidate
      least = distance
    }
  }
  return best
}

/** Insertions, deletions and replacements between two texts; anything from `limit` up is as good as far. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let above = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = above[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, above[column]! + 1, current[column - 1]! + 1))
    }
    above = current
  }
  return above[b.length]!
}
