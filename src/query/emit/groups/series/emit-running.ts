/** Adds running figures to the groups of a series in time, over all of them, whatever is shown later. */
import { join, raw, type Sql, sql } from '../../../../sql/sql.ts'
import type { RunningFigure } from '../../../plan/groups/group-plan.ts'
import type { Emitter } from '../../emitter.ts'
import type { Grouping } from '../emit-grouping.ts'

/** The groups of one time bucket with a column for each figure. */
export function runningGroups(
  emitter: Emitter,
  figures: readonly RunningFigure[],
  groups: Grouping,
): Grouping {
  if (figures.length === 0) return groups
  const [name, row] = [emitter.alias(), emitter.alias()]
  const missing = groups.isMissing(0, row, true)
  const order = sql`partition by ${missing} order by ${groups.keyOrder(0, row)}`
  const columns = figures.map(
    (figure, index) =>
      sql`case when not (${missing}) then ${valueOf(emitter, figure, row, order)} end as ${runningName(index)}`,
  )
  const table = sql`${name} as materialized (select ${join([sql`${row}.*`, ...columns], ', ')} from ${groups.name} ${row})`
  return { ...groups, name, tables: [...groups.tables, table] }
}

/** The figure of the group whose alias is `row`, as JSON. */
export function runningJson({ dialect }: Emitter, figure: number, row: Sql): Sql {
  return dialect.toJson(sql`${row}.${runningName(figure)}`)
}

/** Records without a time are in a partition of their own, which has no figures. */
function valueOf({ dialect }: Emitter, figure: RunningFigure, row: Sql, order: Sql): Sql {
  const count = sql`${row}.n`
  switch (figure.kind) {
    case 'cumulative':
      return sql`sum(${count}) over (${order} rows unbounded preceding)`
    case 'change':
      return sql`${count} - lag(${count}) over (${order})`
    case 'movingAverage': {
      const before = sql`cast(${figure.over - 1} as bigint)`
      // The sum is exact as a double, so one division rounds once.
      const sum = dialect.asFloat(sql`sum(${count}) over (${order} rows ${before} preceding)`)
      const isFull = sql`row_number() over (${order}) > ${before}`
      return sql`case when ${isFull} then ${sum} / cast(${figure.over} as bigint) end`
    }
  }
}

function runningName(figure: number): Sql {
  return raw(`running${figure}`)
}
