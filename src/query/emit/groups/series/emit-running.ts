/** Adds running figures to the groups of a time series, computed over all groups before any are left out. */
import { join, raw, type Sql, sql } from '../../../../sql/sql.ts'
import type { MeasurePlan, RunningFigure } from '../../../plan/groups/group-plan.ts'
import type { PhysicalAggregate } from '../../../plan/physical-plan.ts'
import type { Emitter } from '../../emitter.ts'
import type { Grouping } from '../emit-grouping.ts'
import { numberJson } from '../../emit-output.ts'
import { shareValue } from '../emit-shares.ts'

/** What the second pass reads. `row`: an alias of the groups with columns of the first; `rows`: a window's rows. */
interface Pass {
  readonly row: Sql
  readonly rows: Sql
}

type Series = Pick<PhysicalAggregate['aggregate'], 'running' | 'measures'>

/**
 * The groups of one time bucket with a column for each figure. All figures of counts are read from sums and numbers of
 * the groups in one order, so that many averages are one pass: SQLite makes a pass for each different frame.
 */
export function runningGroups(emitter: Emitter, { running, measures }: Series, groups: Grouping): Grouping {
  if (running.length === 0) return groups
  const [summed, name, row, sum] = [emitter.alias(), emitter.alias(), emitter.alias(), emitter.alias()]
  // Records without a time are in a partition of their own, and have no number.
  const isTimed = groups.isMissing(0, row, false)
  const place = sql`case when ${isTimed} then row_number() over w end as running_place`
  const inTime = rowsOf(isTimed, groups.keyOrder(0, row))
  const byPlace = rowsOf(sql`${sum}.running_place is null`, sql`${sum}.running_place`)
  const parts = running.map((figure) => partsOf(emitter, figure, measures, groups, row))
  const named = parts.flatMap((values, index) =>
    values.map((value, part) => sql`${value} as ${partName(index, part)}`),
  )
  const columns = running.map((figure, index) => {
    const own = (parts[index] ?? []).map((_, part) => sql`${sum}.${partName(index, part)}`)
    return sql`${valueOf(emitter, figure, own, { row: sum, rows: byPlace })} as ${runningName(index)}`
  })
  const first = join([sql`${row}.*`, sql`sum(${row}.n) over w as running_sum`, place, ...named], ', ')
  const tables = [
    sql`${summed} as materialized (select ${first}
    from ${groups.name} ${row} ${windowOf(inTime)})`,
    sql`${name} as materialized (select ${join([sql`${sum}.*`, ...columns], ', ')}
    from ${summed} ${sum} ${windowOf(byPlace)})`,
  ]
  return { ...groups, name, tables: [...groups.tables, ...tables] }
}

function rowsOf(partition: Sql, order: Sql): Sql {
  return sql`partition by ${partition} order by ${order}`
}

function windowOf(rows: Sql): Sql {
  return sql`window w as (${rows} rows unbounded preceding)`
}

/** The figure of the group whose alias is `row`, as JSON. */
export function runningJson(emitter: Emitter, figure: number, row: Sql): Sql {
  return numberJson(emitter, sql`${row}.${runningName(figure)}`)
}

/** What the first pass computes for a figure: sums up to each group, or the value of each group as a double. */
function partsOf(
  emitter: Emitter,
  { kind, of }: RunningFigure,
  measures: readonly MeasurePlan[],
  groups: Grouping,
  row: Sql,
): readonly Sql[] {
  const { dialect } = emitter
  switch (of.kind) {
    case 'count':
      return []
    case 'share':
      if (kind !== 'cumulative') return [shareValue(emitter, row)]
      return ['matched', 'total'].map((column) => sql`sum(${row}.${raw(column)}) over w`)
    case 'measure': {
      const values = groups.measureValues(of.measure, row)
      if (kind === 'cumulative') return dialect.addedSums(values, raw('w'))
      const [value] = values as readonly [Sql]
      const measure = measures[of.measure]?.measure
      if (measure === 'sum') return [dialect.asFloat(dialect.checkedSum(values))]
      return [dialect.asFloat(value)]
    }
  }
}

/** `parts`: the columns of the first pass. */
function valueOf({ dialect }: Emitter, figure: RunningFigure, parts: readonly Sql[], pass: Pass): Sql {
  const { row, rows } = pass
  const [all, place] = [sql`${row}.running_sum`, sql`${row}.running_place`]
  const [first, second] = parts
  switch (figure.kind) {
    case 'cumulative': {
      const isTimed = sql`case when ${place} is not null then`
      if (first === undefined) return sql`${isTimed} ${all} end`
      // Both are exact as doubles, so one division rounds once.
      if (figure.of.kind === 'share' && second !== undefined)
        return sql`${isTimed} ${dialect.asFloat(first)} / nullif(${second}, 0) end`
      return sql`${isTimed} ${dialect.checkedSum(parts)} end`
    }
    case 'change': {
      const value = first ?? sql`${row}.n`
      return sql`case when ${place} is not null then ${value} - lag(${value}) over w end`
    }
    case 'movingAverage': {
      if (first !== undefined) return dialect.movingMean(first, figure.over, rows)
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

function partName(figure: number, part: number): Sql {
  return raw(`running${figure}_${part}`)
}
