/** Statistics of the integers in a group. PostgreSQL computes equal aggregates of a statement once. */
import type { Dialect } from '../../sql/dialect.ts'
import { join, raw, type Sql, sql } from '../../sql/sql.ts'

/** `percentile_disc` and `percentile_cont` take ranks as floating-point numbers, which round to other positions. */
export const ordered = (mean: Dialect['mean']): Dialect['ordered'] => ({
  median: (value, unit) => {
    const [low, high] = [sql`(count(${value}) + 1) / 2`, sql`count(${value}) / 2 + 1`]
    return mean([sql`(${at(value, low)} + ${at(value, high)})`], raw(String(2 * unit)))
  },
  percentiles: (value, ranks) => {
    const found = ranks.map((rank) =>
      at(value, sql`greatest(1, (cast(${rank} as bigint) * count(${value}) + 999999) / 1000000)`),
    )
    return sql`case when count(${value}) > 0 then array[${join(found, ', ')}] end`
  },
  percentileAt: (column, index) => sql`${column}[${raw(String(index + 1))}]`,
  percentilesJson: (column) => sql`coalesce(array_to_json(${column})::text, 'null')`,
})

/**
 * Decimal digits of a variance before it is rounded to a double. The variance of at most 2^31 integers has a denominator
 * below 2^62: it is either halfway between two doubles and has at most 62 digits, or it differs from the halfway point
 * by more than the last digit.
 */
const varianceDigits = 64

export function stddev(value: Sql, isWide: boolean): Sql {
  const [count, sum] = [sql`count(${value})`, sql`cast(sum(${value}) as numeric)`]
  const squares = isWide ? sql`sum(cast(${value} as numeric) * ${value})` : sql`sum(${value} * ${value})`
  const deviation = sql`(${count} * ${squares} - ${sum} * ${sum})`
  const variance = sql`${deviation} * ${raw(`1.${'0'.repeat(varianceDigits)}`)} / (${count} * (${count} - 1))`
  return sql`case when ${count} > 1 then sqrt(cast(${variance} as double precision)) end`
}

/** The integer at a position of the group in ascending order, counted from 1. */
function at(value: Sql, position: Sql): Sql {
  const values = sql`array_agg(${value} order by ${value}) filter (where ${value} is not null)`
  return sql`(${values})[cast(${position} as integer)]`
}
