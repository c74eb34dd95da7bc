/** Shares: the records that match both conditions, divided by those of the denominator. */
import { nearestDouble } from './rationals.ts'
import type { PlainRecord } from '../dataset.ts'

export interface Share {
  /** Null without `denominator`. */
  readonly total: number | null
  /** Null without `denominator`, and if it has no records. */
  readonly share: number | null
}

/** `divisors`: the records of the denominator; null without it. */
export function shareOf(records: readonly PlainRecord[], divisors: readonly PlainRecord[] | null): Share {
  if (divisors === null) return { total: null, share: null }
  const total = divisors.length
  const matched = records.filter((record) => divisors.includes(record)).length
  return { total, share: total === 0 ? null : nearestDouble(BigInt(matched), BigInt(total)) }
}
