/** Statistics of the integers in a group: SQLite lists them, and functions in JavaScript read the list. */
import type { Dialect } from '../../sql/dialect.ts'
import { join, raw, type Sql, sql } from '../../sql/sql.ts'

export const ordered: Dialect['ordered'] = {
  median: (value, unit) => sql`median_of(${listed(value)}, ${raw(String(unit))})`,
  percentiles: (value, ranks) =>
    sql`percentiles_of(${join([listed(value), ...ranks.map((rank) => sql`${rank}`)], ', ')})`,
  percentileAt: (column, index) => sql`(${column} ->> ${raw(String(index))})`,
  percentilesJson: (column) => sql`ifnull(${column}, 'null')`,
}

export function stddev(value: Sql): Sql {
  return sql`stddev_of(${listed(value)})`
}

/** SQLite computes equal aggregates of a statement once. */
function listed(value: Sql): Sql {
  return sql`group_concat(${value})`
}
