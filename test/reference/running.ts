/** Running figures of groups, from the counts of all groups up to one of them, in order of time. */
import { nearestDouble } from './rationals.ts'

export function cumulative(series: readonly number[]): number | null {
  return series.length === 0 ? null : sum(series)
}

/** Null for the first group. */
export function change(series: readonly number[]): number | null {
  const [before, last] = series.slice(-2)
  return before === undefined || last === undefined ? null : last - before
}

/** Null until there are so many groups. */
export function movingAverage(series: readonly number[], over: number): number | null {
  return series.length < over ? null : nearestDouble(BigInt(sum(series.slice(-over))), BigInt(over))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0)
}
