/** Shares: the records that match both conditions, divided by those of the denominator, or by all under `where`. */
import { nearestDouble } from './rationals.ts'
import type { PlainRecord } from '../dataset.ts'

export interface Share {
  /** Null without `denominator` and `numerator`. */
  readonly total: number | null
  readonly matching: number | null
  /** Null if there are no records to divide by, too. */
  readonly share: number | null
}

/** The records of the denominator, or those under `where` that meet the numerator. */
export interface Others {
  readonly of: 'denominator' | 'numerator'
  readonly records: readonly PlainRecord[]
}

export function shareOf(members: readonly PlainRecord[], others: Others | null): Share {
  if (others === null) return { total: null, matching: null, share: null }
  const { of, records } = others
  const total = of === 'numerator' ? members.length : records.length
  const matching = records.filter((record) => members.includes(record)).length
  return { total, matching, share: total === 0 ? null : nearestDouble(BigInt(matching), BigInt(total)) }
}
