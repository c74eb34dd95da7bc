/** Spans and parts of time by which instants are grouped, and the arithmetic of them that engines share. */
import { raw, type Sql, sequence, sql } from './sql.ts'

/** Spans of time, from the shortest to the longest. */
export type Bucket = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'

/** Parts of a time: 0 to 23, and 1 (Monday) to 7. */
export type TimePart = 'hourOfDay' | 'weekday'

export interface TimeBucket {
  readonly unit: Bucket | TimePart
}

export const micros = { hour: 3_600_000_000, day: 86_400_000_000, week: 604_800_000_000 } as const

/** Weeks begin on Monday, and 1970-01-01 was a Thursday. */
const mondayOffset = 3 * micros.day
/** Days that make the number of any day positive, so that division rounds towards the past; whole weeks. */
const positiveDays = 999_999

/** The first microsecond of a bucket of fixed length. */
export function bucketStart(instant: Sql, unit: 'hour' | 'day' | 'week'): Sql {
  if (unit !== 'week') return floorTo(instant, micros[unit])
  const offset = raw(String(mondayOffset))
  return sql`(${floorTo(sql`(${instant} + ${offset})`, micros.week)} - ${offset})`
}

export function timePart(instant: Sql, part: TimePart): Sql {
  const [day, hour] = [raw(String(micros.day)), raw(String(micros.hour))]
  if (part === 'hourOfDay') return sql`((${instant} % ${day} + ${day}) % ${day} / ${hour})`
  const offset = raw(String(positiveDays * micros.day + mondayOffset))
  return sql`((${instant} + ${offset}) / ${day} % 7 + 1)`
}

/** Rounds towards the past, also before 1970, where integer division rounds towards zero. */
export function floorTo(value: Sql, unit: number): Sql {
  const by = raw(String(unit))
  return sequence([sql`(${value} - ((${value} % `, by, sql`) + `, by, sql`) % `, by, sql`)`])
}
