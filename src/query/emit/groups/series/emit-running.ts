/** Adds running figures to the groups of a time series, computed over all groups before any are left out. */
import { join, raw, type Sql, sql } from '../../../../sql/sql.ts'
import type { RunningFigure } from '../../../plan/groups/group-plan.ts'
import type { Emitter } from '../../emitter.ts'
import type { Grouping } from '../emit-grouping.ts'

/**
 * The groups of one time bucket with a column for each figure. All figures are read from sums and numbers of the groups
 * in one order, so that many averages are one pass: SQLite makes a pass for each different frame.
 */
export function runningGroups(
  emitter: Emitter,
  figures: readonly RunningFigure[],
  groups: Grouping,
): Grouping {
  if (figures.length === 0) return groups
  const [summed, name, row, sum] = [emitter.alias(), emitter.alias(), emitter.alias(), emitter.alias()]
  // Records without a time are in a partition of their own, and have no number.
  const isTimed = groups.isMissing(0, row, false)
  const place = sql`case when ${isTimed} then row_number() over w end as running_place`
  const inTime = windowOf(isTimed, groups.keyOrder(0, row))
  const byPlace = windowOf(sql`${sum}.running_place is null`, sql`${sum}.running_place`)
  const columns = figures.map(
    (figure, index) => sql`${valueOf(emitter, figure, sum)} as ${runningName(index)}`,
  )
  const tables = [
    sql`${summed} as materialized (select ${row}.*, sum(${row}.n) over w as running_sum, ${place}
    from ${groups.name} ${row} ${inTime})`,
    sql`${name} as materialized (select ${join([sql`${sum}.*`, ...columns], ', ')}
    from ${summed} ${sum} ${byPlace})`,
  ]
  return { ...groups, name, tables: [...groups.tables, ...tables] }
}

function windowOf(partition: Sql, order: Sql): Sql {
  return sql`window w as (partition by ${partition} order by ${order} rows unbounded preceding)`
}

/** The figure of the group whose alias is `row`, as JSON. */
export function runningJson({ dialect }: Emitter, figure: number, row: Sql): Sql {
  return dialect.toJson(sql`${row}.${runningName(figure)}`)
}

/** `row`: an alias of the groups with their sums and numbers. */
function valueOf({ dialect }: Emitter, figure: RunningFigure, row: Sql): Sql {
  const [all, place] = [sql`${row}.running_sum`, sql`${row}.running_place`]
  switch (figure.kind) {
    case 'cumulative':
      return sql`case when ${place} is not null then ${all} end`
    case 'change':
      return sql`case when ${place} is not null then ${row}.n - lag(${row}.n) over w end`
    case 'movingAverage': {
      const over = sql`cast(${figure.over} as integer)`
      // The sum is exact as a double, so one division rounds once.
      const sum = dialect.asFloat(sql`${all} - coalesce(lag(${all}, ${over}) over w, 0)`)
      return sql`case when ${place} >= ${over} then ${sum} / ${over} end`
    }
  }
}

function runningName(figure: number): Sql {
  return raw(`running${figure}`)
}
