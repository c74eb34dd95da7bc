/**
 * How far a page that asks of other records looks each of them up by itself. Along an order the first rows are asked
 * of one by one, which a page that soon is full needs alone; only the rows beyond are asked of all at once. So the
 * worst that can happen is twice what either would have taken.
 */
import type { Table } from '../database/tables.ts'
import { type Emitter, rowsOf } from './emitter.ts'
import type { Condition } from './plan.ts'

/** Of the rows that a road comes by: the first so many, or those that follow. */
export interface Span {
  readonly side: 'near' | 'far'
  /** Null: all of them are near. */
  readonly rows: number | null
}

/** A look-up takes as long as going through so many records and remembering which they refer to. */
const recordsPerProbe = 8

/** Where it is of no use to tell them apart: one span of everything, null. */
export function spansOf(
  emitter: Emitter,
  table: Table,
  where: Condition,
  limit: number,
): readonly (Span | null)[] {
  if (emitter.dialect.plannerControl.kind !== 'fences') return [null]
  const strategy = semiJoinedTables(where)
  if (strategy === null || strategy.length === 0) return [null]
  const all = strategy.reduce((sum, other) => sum + rowsOf(emitter, other), 0) / strategy.length
  // Rounded, so that statements stay the same while records come.
  const rows = 2 ** Math.round(Math.log2(2 * limit + 1 + all / recordsPerProbe))
  if (!Number.isFinite(rows)) return [null]
  // How many rows there are is an estimate, and there may be more by the time that the statement runs: where none is
  // expected to be far, the near ones have no end.
  if (rowsOf(emitter, table) < rows / 2) return [{ side: 'near', rows: null }]
  return [
    { side: 'near', rows },
    { side: 'far', rows },
  ]
}

/** The tables that are asked for every row; null when those are asked of others in turn. */
function semiJoinedTables(condition: Condition): readonly Table[] | null {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.reduce<readonly Table[] | null>((found, part) => {
        const more = semiJoinedTables(part)
        return found === null || more === null ? null : [...found, ...more]
      }, [])
    case 'not':
      return semiJoinedTables(condition.of)
    case 'target':
    case 'referring':
      return semiJoinedTables(condition.where)?.length === 0 ? [condition.table] : null
    default:
      return []
  }
}
