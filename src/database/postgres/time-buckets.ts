/** Time buckets in the SQL of PostgreSQL. The steps of a time zone are arrays, which `width_bucket` searches. */
import { literal, raw, type Sql, sql } from '../../sql/sql.ts'
import { beforeAll, bucketStart, createTimeBuckets, floorOnce, inMicros } from '../../sql/time-buckets.ts'

/** The first days of months and longer buckets are timestamps. */
export const { bucketKey, bucketText } = createTimeBuckets({
  stepsAt(instant, steps, type, write) {
    const values = steps.map(({ value, from }) => write(value, from))
    const starts = steps.map(({ from }, index) => (index === 0 ? beforeAll : inMicros(from)))
    return sql`(${arrayOf(values, type)})[width_bucket(${instant}, ${arrayOf(starts, 'bigint')})]`
  },
  // `greatest` leaves nulls out.
  atLeast: (value, least, instant) =>
    sql`(case when ${instant} is not null then greatest(${value}, ${least}) end)`,
  firstDay(instant, unit) {
    const start = bucketStart(instant, { unit: 'day', weekStart: 0 }, floorOnce)
    const day = sql`(date '1970-01-01' + (${start} / 86400000000)::int)`
    return sql`date_trunc(${literal(unit)}, ${day}::timestamp)`
  },
  dayText: (key) => sql`to_char(${key}, 'YYYY-MM-DD')`,
  midnight: (key) => sql`((${key}::date - date '1970-01-01') * 86400000000)`,
  timeText: (instant) => sql`left(instant_text(${instant}), 19)`,
})

function arrayOf(values: readonly string[], type: 'bigint' | 'text'): Sql {
  return sql`cast(${`{${values.join(',')}}`} as ${raw(type)}[])`
}
