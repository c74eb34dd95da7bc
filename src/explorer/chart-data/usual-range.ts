/** Which years of a chart over time are those of most records. */

export interface Dated {
  /** The first moment of a year, in milliseconds since 1970. */
  readonly at: number
  readonly count: number
}

/**
 * Without the records at both ends whose times are wrong, such as the year 9999, as all others would be in one period:
 * up to one in 200 at each end, and one of few. Nothing is left out unless the range becomes a quarter. From the earliest to
 * the latest.
 */
export function usualRange(dated: readonly Dated[]): readonly Dated[] {
  const spare = Math.max(1, Math.floor(sumOf(dated) / 200))
  const sorted = dated.toSorted((one, other) => one.at - other.at)
  const usual = withoutFirst(withoutFirst(sorted, spare).toReversed(), spare).toReversed()
  return usual.length > 0 && Math.max(spanOf(usual), shortest) * 4 < spanOf(sorted) ? usual : sorted
}

/** Milliseconds, a year: shorter ranges are drawn well with all records. */
const shortest = 365 * 86_400_000

/** Without as many from the beginning as have `spare` records together. */
function withoutFirst(sorted: readonly Dated[], spare: number): readonly Dated[] {
  let left = spare
  const from = sorted.findIndex(({ count }) => (left -= count) < 0)
  return from < 0 ? [] : sorted.slice(from)
}

function spanOf(sorted: readonly Dated[]): number {
  return (sorted.at(-1)?.at ?? 0) - (sorted[0]?.at ?? 0)
}

function sumOf(dated: readonly Dated[]): number {
  return dated.reduce((sum, { count }) => sum + count, 0)
}
