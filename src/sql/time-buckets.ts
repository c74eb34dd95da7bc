/** Spans and parts of time by which instants are grouped, and the arithmetic of them that engines share. */
import type { ZoneRules } from '../util/time/zone-rules.ts'
import { raw, type Sql, sequence, sql } from './sql.ts'

/** Spans of time, from the shortest to the longest. */
export type Bucket = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'

/** Parts of a time: 0 to 23, and 1 (Monday) to 7. */
export type TimePart = 'hourOfDay' | 'weekday'

export interface TimeBucket {
  readonly unit: Bucket | TimePart
  /** Days from Monday to the first day of a week. */
  readonly weekStart: number
  /** Null: UTC, with labels that do not name it. */
  readonly zone: ZoneRules | null
}

/** A bucket in UTC, of weeks that begin on Monday. */
export function utcBucket(unit: TimeBucket['unit']): TimeBucket {
  return { unit, weekStart: 0, zone: null }
}

const micros = { hour: 3_600_000_000, day: 86_400_000_000, week: 604_800_000_000 } as const

/** 1970-01-01 was a Thursday. */
const thursday = 3
/** Days that make the number of any day positive; whole weeks. */
const positiveDays = 999_999
/** 0001-01-01, a Monday, in microseconds. A week that begins earlier has this as its first moment. */
export const firstMidnight = raw('-62135596800000000')

/** Rounds an instant towards the past, to a multiple of microseconds. */
export type Floor = (value: Sql, unit: number) => Sql

/** The first microsecond of a bucket of fixed length. */
export function bucketStart(
  instant: Sql,
  { unit, weekStart }: { readonly unit: 'hour' | 'day' | 'week'; readonly weekStart: number },
  floor: Floor = floorTo,
): Sql {
  if (unit !== 'week') return floor(instant, micros[unit])
  const offset = raw(String(((thursday - weekStart + 7) % 7) * micros.day))
  return sql`(${floor(sql`(${instant} + ${offset})`, micros.week)} - ${offset})`
}

export function timePart(instant: Sql, part: TimePart): Sql {
  const [day, hour] = [raw(String(micros.day)), raw(String(micros.hour))]
  if (part === 'hourOfDay') return sql`((${instant} % ${day} + ${day}) % ${day} / ${hour})`
  const offset = raw(String((positiveDays + thursday) * micros.day))
  return sql`((${instant} + ${offset}) / ${day} % 7 + 1)`
}

/** Rounds towards the past, also before 1970, where integer division rounds towards zero. */
export function floorTo(value: Sql, unit: number): Sql {
  const by = raw(String(unit))
  return sequence([sql`(${value} - ((${value} % `, by, sql`) + `, by, sql`) % `, by, sql`)`])
}

/** The same for an expression that is long to evaluate; of units that divide a week. */
export function floorOnce(value: Sql, unit: number): Sql {
  const [by, shift] = [raw(String(unit)), raw(String(positiveDays * micros.day))]
  return sql`((${value} + ${shift}) / ${by} * ${by} - ${shift})`
}
