/**
 * How far a page evaluates its semi-joins row by row. Along an order, the first rows ask for each other record by itself,
 * which is all that a page needs when it is soon full; only the rows beyond use a hash of all other records. So the worst
 * case is twice the cheaper of the two.
 */
import type { Table } from '../../database/tables.ts'
import { type Optimizer, rowsOf } from './optimizer.ts'
import type { Span } from '../plan/physical-plan.ts'
import type { Condition } from '../plan/plan.ts'

/** An index lookup takes as long as reading so many records and remembering which they refer to. */
const recordsPerProbe = 8

/** One span of everything, null, where it is of no use to tell rows apart. */
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
  // Rounded, so that statements stay the same while records come.
  const rows = 2 ** Math.round(Math.log2(2 * limit + 1 + average / recordsPerProbe))
  if (!Number.isFinite(rows)) return [null]
  // The number of rows is an estimate, and there may be more when the statement runs: where no row is expected to be far,
  // the near ones have no end.
  if (rowsOf(optimizer, table) < rows / 2) return [{ side: 'near', rows: null }]
  return [
    { side: 'near', rows },
    { side: 'far', rows },
  ]
}

/** The tables of semi-joins that are evaluated for every row; null when semi-joins nest. */
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
    case 'compare':
    case 'in':
    case 'missing':
    case 'text':
    case 'absent':
    case 'has':
    case 'element':
    case 'uri':
    case 'indexed':
    case 'current':
    case 'outerCurrent':
      return []
  }
}
