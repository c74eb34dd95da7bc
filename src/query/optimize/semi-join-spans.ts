/**
 * Decides how far a page evaluates its semi-joins row by row. In an ordered scan, the first rows probe the other table
 * by index, which suffices if the page fills early; only later rows use a hash of the whole other table. The worst case
 * is therefore twice the cheaper of the two methods.
 */
import type { Table } from '../../database/layout/tables.ts'
import { type Optimizer, rowsOf } from './optimizer.ts'
import { isSemiJoin, simpleConditions } from '../plan/plan-facts.ts'
import type { Span } from '../plan/physical-plan.ts'
import type { Condition } from '../plan/plan.ts'

/** An index lookup takes as long as reading this many records and hashing their references. */
const recordsPerProbe = 8

/** The spans of a page; one null span if treating rows differently has no use. */
export function spansOf(
  optimizer: Optimizer,
  table: Table,
  where: Condition,
  limit: number,
): readonly (Span | null)[] {
  if (optimizer.dialect.plannerControl.kind !== 'fences') return [null]
  const joined = semiJoinedTables(where)
  if (joined === null || joined.length === 0) return [null]
  const average = joined.reduce((sum, other) => sum + rowsOf(optimizer, other), 0) / joined.length
  // Rounded to a power of two, so that statements stay the same while the table grows.
  const rows = 2 ** Math.round(Math.log2(2 * limit + 1 + average / recordsPerProbe))
  if (!Number.isFinite(rows)) return [null]
  // The number of rows is an estimate, and there may be more when the statement runs. If no row is expected to be far,
  // the near span has no end.
  if (rowsOf(optimizer, table) < rows / 2) return [{ side: 'near', rows: null }]
  return [
    { side: 'near', rows },
    { side: 'far', rows },
  ]
}

/** The tables of semi-joins that are evaluated for every row; null if semi-joins nest. */
function semiJoinedTables(where: Condition): readonly Table[] | null {
  const joins = simpleConditions(where).filter(isSemiJoin)
  const isNesting = joins.some((join) => simpleConditions(join.where).some(isSemiJoin))
  return isNesting ? null : joins.map(({ table }) => table)
}
