/** A road as a `from` clause and what must hold beside the list's own conditions. */
import type { OptimizationFences, OptimizerHints } from '../sql/dialect.ts'
import type { Table } from '../database/tables.ts'
import { allOf, identifier, join, raw, type Sql, sql } from '../sql/sql.ts'
import { columnList } from './columns-read.ts'
import type { Emitter, RecordRow } from './emitter.ts'
import { idRange } from './emit-id-order.ts'
import { emitCondition, entry } from './emit-where.ts'
import { sourceIds, mayFind } from './candidate-sources.ts'
import type { Span } from './semi-join-spans.ts'
import type { Condition, Direction } from './plan.ts'
import { columnIndex, conjuncts, heldBy } from './index-matching.ts'
import type { CandidateIds, AccessPath } from './access-paths.ts'

/** Where ids are to come in order, and from where on. */
interface IdOrder {
  readonly direction: Direction
  readonly bound: Sql | null
}

/** The road gives the list's own order, or that of its first key, from a start on. */
interface Along {
  readonly start: readonly Sql[]
  readonly order: Sql
  readonly direction: Direction
  /** Which of its rows; null for all. */
  readonly span: Span | null
  /** Those that are read of a row. */
  readonly columns: ReadonlySet<string>
}

export interface From {
  readonly from: Sql
  readonly on: readonly Sql[]
  /** What rows are ordered by before the list's own keys; the same of all that the list's conditions hold for. */
  readonly before?: Sql
}

export function emitAccessPath(
  emitter: Emitter,
  accessPath: AccessPath,
  row: RecordRow,
  where: Condition,
  order: IdOrder | null,
  along: Along | null = null,
): From {
  const { plannerControl } = emitter.dialect
  if (plannerControl.kind === 'fences') return fenced(emitter, plannerControl, accessPath, row, where, along)
  return hinted(emitter, plannerControl, accessPath, row, where, order)
}

function hinted(
  emitter: Emitter,
  plannerControl: OptimizerHints,
  accessPath: AccessPath,
  row: RecordRow,
  where: Condition,
  order: IdOrder | null,
): From {
  const { alias, table } = row
  const range = idRange(emitter, row, where)
  const beyond = order?.bound == null ? range : [sql`${alias}.id ${order.bound}`, ...range]
  switch (accessPath.kind) {
    case 'planner':
      return { from: emitter.rows(table, alias), on: beyond }
    case 'index-scan':
      return { from: emitter.rows(table, alias, plannerControl.scan(accessPath.index)), on: beyond }
    case 'candidate-ids': {
      return fromIds(emitter, sql`(${idsOf(emitter, plannerControl, accessPath, order)})`, row, where)
    }
  }
}

/** The condition on the rows of a road, in any order. Where the engine chooses the index, a condition may be looked up in one. */
export function conditionBeside(
  emitter: Emitter,
  accessPath: AccessPath,
  row: RecordRow,
  where: Condition,
): Sql {
  const isEntered = (part: Condition): boolean =>
    accessPath.kind === 'planner' && columnIndex(row.table, part) !== undefined
  return allOf(
    conjuncts(where).map((part) => emitCondition(emitter, part, row, isEntered(part) ? entry : undefined)),
  )
}

/** The ids that a road's look-ups find, each once. */
export function idsOf(
  emitter: Emitter,
  plannerControl: OptimizerHints,
  { of }: CandidateIds,
  order: IdOrder | null,
): Sql {
  const bound = order?.bound ?? null
  const lists = of.map((referencedValue) => {
    const { from, id, where } = sourceIds(emitter, plannerControl, referencedValue)
    const within = bound === null ? sql`` : sql` and ${id} ${bound}`
    return sql`select ${id} as id from ${from} where ${where}${within}`
  })
  const ids = join(lists, ' union ')
  // Ordered within, a union of ordered lists is merged and stops early; a limit that is none keeps the order, which the
  // engine would otherwise drop as a sub-query's.
  if (order !== null) return sql`${ids} order by 1 ${raw(order.direction)} limit -1`
  // It also keeps the conditions around it out: one that never holds would take the place of that which an index over
  // some rows is used for.
  return of.some(({ kind }) => kind === 'rows') ? sql`${ids} limit -1` : ids
}

/** The rows of ids that were found. */
export function fromIds(emitter: Emitter, ids: Sql, row: RecordRow, where: Condition): From {
  const { alias, table } = row
  const found = emitter.alias()
  const from = sql`${ids} ${found} cross join ${emitter.rows(table, alias)} on ${alias}.id = ${found}.id`
  return { from, on: idRange(emitter, row, where) }
}

/** Behind a fence there is nothing but what the road's index answers, so that the engine has no other choice. */
function fenced(
  emitter: Emitter,
  plannerControl: OptimizationFences,
  accessPath: AccessPath,
  row: RecordRow,
  where: Condition,
  along: Along | null,
): From {
  const { alias, table } = row
  const { fence, fenceAlong } = plannerControl
  const rows = emitter.rows(table, alias)
  switch (accessPath.kind) {
    case 'planner':
      return { from: rows, on: [] }
    case 'index-scan': {
      const held = heldBy(table, accessPath.index, where)
      const conditions = (parts: readonly Condition[]) =>
        parts.map((part) => emitCondition(emitter, part, row, entry))
      if (along === null) return { from: fence(rows, alias, conditions(held)), on: [] }
      const { start, order, direction, span, columns } = along
      const code = pairOf(table, accessPath.index)
      const list = columnList(alias, code === undefined ? columns : new Set([...columns, code]))
      const inOrder = (found: readonly Sql[], by: Sql): Sql => fenceAlong(rows, alias, list, found, by, span)
      if (code === undefined) return { from: inOrder([...start, ...conditions(held)], order), on: [] }
      // As a range, the code stays part of the order, which only the one index over both gives.
      const before = sql`${alias}.${identifier(code)} ${raw(direction)}`
      const ranges = held.flatMap((part) => asRange(part, code))
      return {
        from: inOrder([...start, ...conditions(ranges)], sql`${before}, ${order}`),
        on: [],
        before,
      }
    }
    case 'candidate-ids':
      return {
        from: fence(rows, alias, [mayFind(emitter, plannerControl, row, accessPath.of)]),
        on: [],
      }
  }
}

/** The code that comes first in an index over a code and a moment. */
function pairOf(table: Table, index: string | null): string | undefined {
  const found = table.indexes.find(({ name, kind }) => name === index && kind === 'pair')
  return found?.columns[0]
}

function asRange(part: Condition, column: string): readonly Condition[] {
  const isEquality = part.kind === 'compare' && part.op === 'eq' && part.operand.kind === 'column'
  if (!isEquality || part.operand.column.name !== column) return [part]
  return [
    { ...part, op: 'gte' },
    { ...part, op: 'lte' },
  ]
}
