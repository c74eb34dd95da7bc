/** Spans and parts of time by which instants are grouped, as SQL that engines share but for a few expressions. */
import type { Steps, ZoneRules } from '../util/time/zone-rules.ts'
import { raw, type Sql, sequence, sql } from './sql.ts'
import { dayLabels, hourLabels, hourSteps, type Label } from './zone-steps.ts'

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
const firstMidnight = raw('-62135596800000000')

/** Rounds an instant towards the past, to a multiple of microseconds. */
export type Floor = (value: Sql, unit: number) => Sql

/** What engines spell differently of time buckets. Instants are microseconds. */
export interface TimeSpelling {
  /** The value of the step at an instant: an integer or a text, which `write` gives. */
  stepsAt<Value>(
    instant: Sql,
    steps: Steps<Value>,
    type: 'bigint' | 'text',
    write: (value: Value, from: number) => string,
  ): Sql
  /** A value, but not below `least`; null without an instant. */
  atLeast(value: Sql, least: Sql, instant: Sql): Sql
  /** The first day of a span, as the key of a bucket. */
  firstDay(instant: Sql, unit: 'month' | 'quarter' | 'year', floor: Floor): Sql
  /** The text of such a key, and its midnight in UTC. */
  dayText(key: Sql): Sql
  midnight(key: Sql): Sql
  /** Date and time of an instant that is a whole second, in UTC, without a zone. */
  timeText(instant: Sql): Sql
}

/** The expression by which buckets are grouped and ordered, and the start of a bucket as text. */
export function createTimeBuckets(spelling: TimeSpelling) {
  return {
    bucketKey(instant: Sql, bucket: TimeBucket): Sql {
      const { unit, zone } = bucket
      if (zone === null) return keyInUtc(spelling, instant, bucket, floorTo)
      if (unit === 'hour') return hourKey(spelling, instant, zone)
      const offset = spelling.stepsAt(instant, zone.offsets, 'bigint', inMicros)
      return keyInUtc(spelling, sql`(${instant} + ${offset})`, bucket, floorOnce)
    },
    bucketText(key: Sql, { unit, zone }: TimeBucket): Sql {
      switch (unit) {
        case 'hour':
          return zone === null
            ? sql`(${spelling.timeText(key)} || 'Z')`
            : labelled(spelling, key, hourLabels(zone))
        case 'day':
        case 'week':
          return zone === null
            ? sql`substr(${spelling.timeText(key)}, 1, 10)`
            : labelled(spelling, key, dayLabels(zone))
        case 'month':
        case 'quarter':
        case 'year':
          return zone === null
            ? spelling.dayText(key)
            : labelled(spelling, spelling.midnight(key), dayLabels(zone))
        case 'hourOfDay':
        case 'weekday':
          return key
      }
    },
  }
}

/** Months and longer buckets have their first day as key. */
function keyInUtc(spelling: TimeSpelling, instant: Sql, { unit, weekStart }: TimeBucket, floor: Floor): Sql {
  switch (unit) {
    case 'hour':
    case 'day':
      return bucketStart(instant, { unit, weekStart }, floor)
    case 'week': {
      const start = bucketStart(instant, { unit, weekStart }, floor)
      return weekStart === 0 ? start : spelling.atLeast(start, firstMidnight, instant)
    }
    case 'month':
    case 'quarter':
    case 'year':
      return spelling.firstDay(instant, unit, floor)
    case 'hourOfDay':
    case 'weekday':
      return timePart(instant, unit)
  }
}

/** The first moment of the hour. */
function hourKey(spelling: TimeSpelling, instant: Sql, zone: ZoneRules): Sql {
  const steps = hourSteps(zone)
  const after = spelling.stepsAt(instant, steps, 'bigint', (step) => inMicros(step.after))
  const start = sql`(${floorOnce(sql`(${instant} - ${after})`, micros.hour)} + ${after})`
  if (!steps.some(({ value }) => value.isCut)) return start
  const cut = spelling.stepsAt(instant, steps, 'bigint', ({ isCut }, from) =>
    isCut ? inMicros(from) : beforeAll,
  )
  return spelling.atLeast(start, cut, instant)
}

function labelled(spelling: TimeSpelling, moment: Sql, steps: Steps<Label>): Sql {
  const shift = spelling.stepsAt(moment, steps, 'bigint', (label) => inMicros(label.shift))
  const offset = spelling.stepsAt(moment, steps, 'text', (label) => label.offset)
  return sql`(${spelling.timeText(sql`(${moment} + ${shift})`)} || ${offset})`
}

/** The least integer of 64 bits. */
export const beforeAll = '-9223372036854775808'

export function inMicros(second: number): string {
  return second === 0 ? '0' : `${second}000000`
}

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

function timePart(instant: Sql, part: TimePart): Sql {
  const [day, hour] = [raw(String(micros.day)), raw(String(micros.hour))]
  if (part === 'hourOfDay') return sql`((${instant} % ${day} + ${day}) % ${day} / ${hour})`
  const offset = raw(String((positiveDays + thursday) * micros.day))
  return sql`((${instant} + ${offset}) / ${day} % 7 + 1)`
}

/** Rounds towards the past, also before 1970, where integer division rounds towards zero. */
function floorTo(value: Sql, unit: number): Sql {
  const by = raw(String(unit))
  return sequence([sql`(${value} - ((${value} % `, by, sql`) + `, by, sql`) % `, by, sql`)`])
}

/** The same for an expression that is long to evaluate; of units that divide a week. */
export function floorOnce(value: Sql, unit: number): Sql {
  const [by, shift] = [raw(String(unit)), raw(String(positiveDays * micros.day))]
  return sql`((${value} + ${shift}) / ${by} * ${by} - ${shift})`
}
