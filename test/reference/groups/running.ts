/** Running figures of groups, from a value of all groups up to one of them, in order of time. */
import { nearestDouble } from './rationals.ts'
import type { Measured } from './measures.ts'
import type { Share } from './shares.ts'

/** One group of a series, with its values as numbers. */
export interface Point extends Share {
  value(of: Measured): number | null
}

const counts = { measure: 'COUNT' } as const

/** What adds up: counts, what shares divide, and sums. Null without any value, and in no series. */
export function cumulative(series: readonly Point[], of: Measured = counts): number | null {
  if (of.measure === 'SHARE') {
    const total = sum(series.map((point) => point.total ?? 0))
    const matched = sum(series.map((point) => point.matched ?? 0))
    return total === 0 ? null : nearestDouble(BigInt(matched), BigInt(total))
  }
  const values = series.map((point) => point.value(of)).filter((value) => value !== null)
  return values.length === 0 ? null : sum(values)
}

/** Null for the first group, and where a value is missing. */
export function change(series: readonly Point[], of: Measured = counts): number | null {
  const [before = null, last = null] = series.slice(-2).map((point) => point.value(of))
  return before === null || last === null ? null : last - before
}

/** Null until there are so many groups, and where a value is missing. */
export function movingAverage(series: readonly Point[], over: number, of: Measured = counts): number | null {
  const values = series.slice(-over).map((point) => point.value(of))
  const present = values.filter((value) => value !== null)
  return present.length < over ? null : sum(present) / over
}

/** Adds from the first to the last. */
function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0)
}
