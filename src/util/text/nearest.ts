/** The candidate that `word` most likely misspells, or null when none is similar. */
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

/** Levenshtein distance; may return `limit` for any larger distance. */
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
