/** The rows of a list in order, from its page's cursor on; what of them is wanted is the caller's. */
import type { Table } from '../database/tables.ts'
import { allOf, anyOf, identifier, join, raw, type Sql, sql } from '../sql/sql.ts'
import { candidatesInOrder, isMany } from './emit-candidates.ts'
import { columnsRead } from './columns-read.ts'
import { beyondStart } from './bounds.ts'
import { beyondPosition } from './emit-id-order.ts'
import { keyOf, orderOf, segments } from './emit-order.ts'
import { emitAccessPath } from './emit-access-path.ts'
import { emitCondition, linked } from './emit-where.ts'
import { type Emitter, type RecordRow, rowsOf } from './emitter.ts'
import { type Span, spansOf } from './semi-join-spans.ts'
import type { Condition, Direction, Link, ListPlan, SortKey } from './plan.ts'
import { conjuncts } from './index-matching.ts'
import { chooseAccessPath, isDefaultOrder, isIdOrder, orderGiven, type AccessPath } from './access-paths.ts'

export interface RowsRequest {
  /** Against the list's own order. */
  readonly reverse: boolean
  /** Whether the row at the page's cursor counts. */
  readonly inclusive: boolean
  readonly limit: number
  /** What is wanted of a row, and whether only those of the page come to it: none is sorted after it. */
  value(row: RecordRow, comesInOrder: boolean): Sql
  /**
   * What is wanted of all rows together that differ in nothing but the account that an index has them in order by. Where
   * it is not given, they are sorted.
   */
  tied?(row: RecordRow): Sql
}

export function idOf({ alias }: RecordRow): Sql {
  return sql`${alias}.id as id`
}

/** Rows in order from the page's cursor on. */
export function emitRows(
  emitter: Emitter,
  list: ListPlan,
  parent: Sql | null,
  { reverse, inclusive, limit, value, tied }: RowsRequest,
): Sql {
  const { table } = list
  const sort = reverse ? list.sort.map((key) => ({ ...key, direction: opposite(key.direction) })) : list.sort
  const row: RecordRow = { kind: 'record', alias: emitter.alias(), table }
  const { from: position } = list.page
  const where = whereBeyond(emitter, list, sort)
  const condition = emitCondition(emitter, where, row)
  const idOrder = isIdOrder(emitter, table, sort)
  // Of a parent there may be any number, which only their ids give in order.
  if (list.link !== null && !(idOrder && conjuncts(where).length === 0))
    emitter.addEstimatedRows(Number.POSITIVE_INFINITY)
  if (idOrder) {
    const direction = sort[0]?.direction ?? 'desc'
    const bound = position === null ? null : beyondPosition(emitter, table, position, direction, inclusive)
    const order = sql`order by ${row.alias}.id ${raw(direction)}`
    if (list.link !== null && parent !== null) {
      const { from, on } = linkedTo(emitter, list.link, row, parent)
      const beyond = bound === null ? sql`` : sql` and ${row.alias}.id ${bound}`
      const wanted = value(row, list.link.kind === 'columns' && conjuncts(where).length === 0)
      return sql`select ${wanted} from ${from} where ${on}${beyond} and ${condition} ${order} limit ${emitter.dialect.limit(limit)}`
    }
    const accessPath = chooseAccessPath(emitter, table, where, sort)
    const { from, on } = emitAccessPath(emitter, accessPath, row, where, { direction, bound })
    // Looked-up ids come in order by themselves; asking for it again would gather all of them first.
    const ordering = accessPath.kind === 'candidate-ids' ? sql`` : order
    // Along another index rows may have to be sorted.
    const comesInOrder =
      accessPath.kind === 'candidate-ids' || (accessPath.kind === 'index-scan' && accessPath.index === null)
    return sql`select ${value(row, comesInOrder)} from ${from} where ${allOf([...on, condition])} ${ordering} limit ${emitter.dialect.limit(limit)}`
  }
  const { dialect } = emitter
  const { orders, joined } = orderOf(emitter, sort, row)
  const order = join(orders, ', ')
  const starts = position === null ? [] : segments(emitter, sort, position, row, inclusive)
  const end = sql`limit ${dialect.limit(limit)}`
  // SQLite still sorts what has an equal key.
  const isSorted = dialect.joinKeepsOrder
  if (list.link !== null && parent !== null) {
    const { from, on } = linkedTo(emitter, list.link, row, parent)
    const beyond = position === null ? sql`` : sql` and ${anyOf(starts)}`
    // The index of such a link has the default order behind each parent.
    const wanted = value(row, !isSorted && list.link.kind === 'columns' && isDefaultOrder(sort))
    return sql`select ${wanted} from ${from}${joined} where ${on}${beyond} and ${condition} order by ${order} ${end}`
  }
  const accessPath = chooseAccessPath(emitter, table, where, sort)
  if (dialect.plannerControl.kind === 'hints' && accessPath.kind === 'candidate-ids' && isMany(accessPath)) {
    const candidates = candidatesInOrder(emitter, dialect.plannerControl, accessPath, {
      table,
      where,
      sort,
      position,
      inclusive,
      limit,
    })
    return verified(emitter, candidates, accessPath.part, row, value, end)
  }
  const given = orderGiven(accessPath, table, sort)
  // Of all rows the first in an order that has an index: there is nothing to be mistaken in, and no need of a fence.
  const isPlain =
    given === 'all' && position === null && conjuncts(where).length === 0 && !emitter.state.hiding
  const group = tied !== undefined && isSorted && keepsTies(accessPath, table, where, sort) ? tied(row) : null
  const wanted = value(row, !isSorted && given === 'all')
  const part = (start: readonly Sql[], span: Span | null): Sql => {
    const strategy = span === null ? condition : conditionIn(emitter, where, row, span)
    const along =
      given === 'none'
        ? null
        : {
            start,
            order: given === 'all' ? order : (orders[0] as Sql),
            direction: sort[0]?.direction ?? 'asc',
            span,
            columns: columnsRead(table, row.alias, [wanted, ...start, strategy, order]),
          }
    const isFree = isPlain && dialect.plannerControl.kind === 'fences'
    const chosen: AccessPath = isFree ? { kind: 'planner' } : accessPath
    const { from, on, before } = emitAccessPath(emitter, chosen, row, where, null, along)
    const held = allOf([...on, ...start, strategy])
    if (group !== null) {
      const keys = sort.slice(0, -1).map((key) => keyOf(emitter, key, row))
      return sql`select ${group} from ${from} where ${held} group by ${join(keys, ', ')} order by ${join(orders.slice(0, -1), ', ')} ${end}`
    }
    // A condition that the engine cannot look into leaves it the order as it is.
    const [conditions, ordering] =
      before === undefined ? [held, order] : [sql`(${held}) is true`, sql`${before}, ${order}`]
    return sql`select ${wanted} from ${from}${joined} where ${conditions} order by ${ordering} ${end}`
  }
  if (given === 'none') return part(position === null ? [] : [anyOf(starts)], null)
  const spans = given === 'all' ? spansOf(emitter, table, where, limit) : [null]
  // Each segment is one range of the order's index, and they follow each other in order.
  const segment = (start: readonly Sql[]): Sql[] => spans.map((span) => part(start, span))
  const parts = position === null ? segment([]) : starts.flatMap((start) => segment([start]))
  if (position === null && parts.length === 1) return parts[0] as Sql
  const inTurn = parts.map((rows) => sql`select * from (${rows}) ${emitter.alias()}`)
  return sql`${join(inTurn, ' union all ')} ${end}`
}

/** Of near rows other records are asked one by one, of far ones all at once. */
function conditionIn(emitter: Emitter, where: Condition, row: RecordRow, { side }: Span): Sql {
  const strategy = side === 'near' ? 'each' : 'once'
  return emitCondition(emitter, where, row, { reference: null, nested: false, strategy })
}

/** Whether rows come along an index that is over all keys but the account, one value of it after the other. */
function keepsTies(
  accessPath: AccessPath,
  table: Table,
  where: Condition,
  sort: readonly SortKey[],
): boolean {
  if (accessPath.kind !== 'index-scan' || orderGiven(accessPath, table, sort) !== 'all') return false
  const isPair = table.indexes.some(({ name, kind }) => name === accessPath.index && kind === 'pair')
  return !isPair && conjuncts(where).every(({ kind }) => kind !== 'in')
}

/**
 * Candidates in order, as many as a condition holds for. Reading and folding a text costs more than sorting a row does,
 * and of many candidates only the first have to be read.
 */
function verified(
  emitter: Emitter,
  candidates: Sql,
  condition: Condition,
  { table }: RecordRow,
  value: RowsRequest['value'],
  end: Sql,
): Sql {
  const [candidate, alias] = [emitter.alias(), emitter.alias()]
  const row: RecordRow = { kind: 'record', alias, table }
  const holds = emitCondition(emitter, condition, row)
  // What was found may be seen.
  const found = sql`${identifier(table.name)} ${alias} on ${alias}.id = ${candidate}.id`
  return sql`select ${value(row, true)} from (${candidates}) ${candidate} ${emitter.dialect.join} ${found} where ${holds} ${end}`
}

/** The conditions beside the page's start. A start outside of them is nobody's page: what lies between is walked. */
function whereBeyond(
  emitter: Emitter,
  { table, where, page }: ListPlan,
  sort: readonly SortKey[],
): Condition {
  if (page.from === null) return where
  const parts = conjuncts(where)
  const beyond = beyondStart(parts, sort[0], page.from[0] ?? null)
  if (!beyond.isWithin) emitter.addEstimatedRows(rowsOf(emitter, table))
  return beyond.parts.length === parts.length ? where : { kind: 'all', of: beyond.parts }
}

function opposite(direction: Direction): Direction {
  return direction === 'asc' ? 'desc' : 'asc'
}

/** The records of a linked list: what to read from, and that they refer to the parent. */
export function linkedTo(
  emitter: Emitter,
  link: Link,
  row: RecordRow,
  parent: Sql,
): { readonly from: Sql; readonly on: Sql } {
  const { from, base, key } = linked(emitter, link, row, 'by its link')
  return { from, on: sql`${base} = ${parent}.base and ${key} = ${parent}.rkey` }
}
