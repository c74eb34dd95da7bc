/** Time buckets in the SQL of SQLite. The steps of a time zone are a balanced expression. */
import type { Dialect } from '../../sql/dialect.ts'
import { literal, raw, sequence, type Sql, sql } from '../../sql/sql.ts'
import type { Floor, TimeBucket } from '../../sql/time-buckets.ts'
import { bucketStart, firstMidnight, floorOnce, floorTo, timePart } from '../../sql/time-buckets.ts'
import { dayLabels, hourLabels, hourSteps, type Label } from '../../sql/zone-steps.ts'
import type { Steps, ZoneRules } from '../../util/time/zone-rules.ts'

const microsPerSecond = 1_000_000
const microsPerHour = 3_600_000_000

/** Months and longer buckets have their first day as key. */
export const bucketKey: Dialect['bucketKey'] = (micros, bucket) => {
  const { zone } = bucket
  if (zone === null) return keyInUtc(micros, bucket, floorTo)
  if (bucket.unit === 'hour') return hourKey(micros, zone)
  const local = stepsAt(micros, zone.offsets, (offset) => inMicros(offset))
  return keyInUtc(sql`(${micros} + ${local})`, bucket, floorOnce)
}

function keyInUtc(micros: Sql, { unit, weekStart }: TimeBucket, floor: Floor): Sql {
  switch (unit) {
    case 'hour':
    case 'day':
      return bucketStart(micros, { unit, weekStart }, floor)
    case 'week': {
      const start = bucketStart(micros, { unit, weekStart }, floor)
      return weekStart === 0 ? start : sql`max(${start}, ${firstMidnight})`
    }
    case 'month':
      return sql`strftime('%Y-%m-01', ${seconds(micros, floor)}, 'unixepoch')`
    case 'quarter': {
      const [year, month] = ['%Y', '%m'].map(
        (format) => sql`strftime(${literal(format)}, ${seconds(micros, floor)}, 'unixepoch')`,
      )
      return sql`(${year} || substr('-01-04-07-10', ((${month} + 2) / 3) * 3 - 2, 3) || '-01')`
    }
    case 'year':
      return sql`strftime('%Y-01-01', ${seconds(micros, floor)}, 'unixepoch')`
    case 'hourOfDay':
    case 'weekday':
      return timePart(micros, unit)
  }
}

/** The first moment of the hour. */
function hourKey(micros: Sql, zone: ZoneRules): Sql {
  return stepsAt(micros, hourSteps(zone), ({ after, isCut }, from) => {
    const start =
      after === 0
        ? floorOnce(micros, microsPerHour)
        : sql`(${floorOnce(sql`(${micros} - ${inMicros(after)})`, microsPerHour)} + ${inMicros(after)})`
    return isCut ? sql`max(${start}, ${inMicros(from)})` : start
  })
}

export const bucketText: Dialect['bucketText'] = (key, { unit, zone }) => {
  switch (unit) {
    case 'hour':
      if (zone !== null) return labelled(key, hourLabels(zone))
      return textOf(key, '%Y-%m-%dT%H:00:00Z')
    case 'day':
    case 'week':
      return zone === null ? textOf(key, '%Y-%m-%d') : labelled(key, dayLabels(zone))
    case 'month':
    case 'quarter':
    case 'year':
      return zone === null ? key : labelled(sql`(unixepoch(${key}) * 1000000)`, dayLabels(zone))
    case 'hourOfDay':
    case 'weekday':
      return key
  }
}

function labelled(moment: Sql, steps: Steps<Label>): Sql {
  return stepsAt(
    moment,
    steps,
    ({ shift, offset }) =>
      sql`strftime(${literal(`%FT%T${offset}`)}, ${moment} / 1000000 + ${raw(String(shift))}, 'unixepoch')`,
  )
}

/** The value of the step at a position, by halving the steps. */
function stepsAt<Value>(position: Sql, steps: Steps<Value>, emit: (value: Value, from: number) => Sql): Sql {
  const parts: Sql[] = []
  const add = (some: Steps<Value>): void => {
    const [first] = some
    const half = some.length >> 1
    const middle = some[half]
    if (first === undefined || middle === undefined) throw new Error('There are no steps.')
    if (half === 0) {
      parts.push(emit(first.value, first.from))
      return
    }
    parts.push(raw('case when '), position, raw(` < ${inMicros(middle.from).sql} then `))
    add(some.slice(0, half))
    parts.push(raw(' else '))
    add(some.slice(half))
    parts.push(raw(' end'))
  }
  add(steps)
  return steps.length === 1 ? sequence(parts) : sql`(${sequence(parts)})`
}

function inMicros(second: number): Sql {
  return raw(second === 0 ? '0' : `${second}000000`)
}

function textOf(micros: Sql, format: string): Sql {
  return sql`strftime(${literal(format)}, ${micros} / ${raw(String(microsPerSecond))}, 'unixepoch')`
}

function seconds(micros: Sql, floor: Floor): Sql {
  return sql`(${floor(micros, microsPerSecond)} / ${raw(String(microsPerSecond))})`
}
