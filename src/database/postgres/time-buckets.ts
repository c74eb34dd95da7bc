/** Time buckets in the SQL of PostgreSQL. The steps of a time zone are arrays, which `width_bucket` searches. */
import type { Dialect } from '../../sql/dialect.ts'
import { literal, raw, type Sql, sql } from '../../sql/sql.ts'
import type { Floor, TimeBucket } from '../../sql/time-buckets.ts'
import { bucketStart, firstMidnight, floorOnce, floorTo, timePart } from '../../sql/time-buckets.ts'
import { dayLabels, hourLabels, hourSteps, type Label } from '../../sql/zone-steps.ts'
import type { Steps, ZoneRules } from '../../util/time/zone-rules.ts'

const microsPerHour = 3_600_000_000
const beforeAll = '-9223372036854775808'

/** Months and longer buckets have their first day as key, a timestamp. */
export const bucketKey: Dialect['bucketKey'] = (micros, bucket) => {
  const { unit, weekStart, zone } = bucket
  if (zone !== null && unit === 'hour') return hourKey(micros, zone)
  const key =
    zone === null
      ? keyInUtc(micros, bucket, floorTo)
      : keyInUtc(sql`(${micros} + ${stepsAt(micros, zone.offsets, 'bigint', microsText)})`, bucket, floorOnce)
  if (unit !== 'week' || weekStart === 0) return key
  // `greatest` leaves nulls out.
  return sql`(case when ${micros} is not null then greatest(${key}, ${firstMidnight}) end)`
}

function keyInUtc(micros: Sql, { unit, weekStart }: TimeBucket, floor: Floor): Sql {
  switch (unit) {
    case 'hour':
    case 'day':
    case 'week':
      return bucketStart(micros, { unit, weekStart }, floor)
    case 'month':
    case 'quarter':
    case 'year':
      return sql`date_trunc(${literal(unit)}, ${dayOf(micros)}::timestamp)`
    case 'hourOfDay':
    case 'weekday':
      return timePart(micros, unit)
  }
}

function dayOf(micros: Sql): Sql {
  const day = raw('86400000000')
  return sql`(date '1970-01-01' + (${bucketStart(micros, { unit: 'day', weekStart: 0 }, floorOnce)} / ${day})::int)`
}

/** The first moment of the hour. */
function hourKey(micros: Sql, zone: ZoneRules): Sql {
  const steps = hourSteps(zone)
  const after = stepsAt(micros, steps, 'bigint', (step) => microsText(step.after))
  const start = sql`(${floorOnce(sql`(${micros} - ${after})`, microsPerHour)} + ${after})`
  if (!steps.some(({ value }) => value.isCut)) return start
  const cut = stepsAt(micros, steps, 'bigint', ({ isCut }, from) => (isCut ? microsText(from) : beforeAll))
  return sql`greatest(${start}, ${cut})`
}

export const bucketText: Dialect['bucketText'] = (key, { unit, zone }) => {
  switch (unit) {
    case 'hour':
      return zone === null ? sql`(left(instant_text(${key}), 19) || 'Z')` : labelled(key, hourLabels(zone))
    case 'day':
    case 'week':
      return zone === null ? sql`left(instant_text(${key}), 10)` : labelled(key, dayLabels(zone))
    case 'month':
    case 'quarter':
    case 'year':
      if (zone === null) return sql`to_char(${key}, 'YYYY-MM-DD')`
      return labelled(sql`((${key}::date - date '1970-01-01') * 86400000000)`, dayLabels(zone))
    case 'hourOfDay':
    case 'weekday':
      return key
  }
}

function labelled(moment: Sql, steps: Steps<Label>): Sql {
  const shift = stepsAt(moment, steps, 'bigint', (label) => microsText(label.shift))
  const offset = stepsAt(moment, steps, 'text', (label) => label.offset)
  return sql`(left(instant_text(${moment} + ${shift}), 19) || ${offset})`
}

/** The value of the step at a position. */
function stepsAt<Value>(
  position: Sql,
  steps: Steps<Value>,
  type: 'bigint' | 'text',
  write: (value: Value, from: number) => string,
): Sql {
  const values = arrayOf(
    steps.map(({ value, from }) => write(value, from)),
    type,
  )
  const starts = arrayOf(
    steps.map(({ from }, index) => (index === 0 ? beforeAll : microsText(from))),
    'bigint',
  )
  return sql`(${values})[width_bucket(${position}, ${starts})]`
}

function arrayOf(values: readonly string[], type: 'bigint' | 'text'): Sql {
  return sql`cast(${`{${values.join(',')}}`} as ${raw(type)}[])`
}

function microsText(second: number): string {
  return second === 0 ? '0' : `${second}000000`
}
