/** The first record of each combination of values, in the order of a list, and the number of combinations. */
import { allOf, identifier, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { beyondPosition, emitAccess } from '../emit-access-path.ts'
import { emitReferringCount } from '../emit-links.ts'
import { columnOf, type Emitter, newRow, type Parent, type RecordRow } from '../emitter.ts'
import { refuseStages, staged } from '../steps.ts'
import { emitCount } from '../groups/emit-counts.ts'
import type { Distinct, OrderedRows, PhysicalList } from '../../plan/physical-plan.ts'
import type { KeyValue } from '../../plan/plan.ts'
import { idOf, orderOf, segments, type SelectedRows } from './emit-order.ts'

/** The first of the first rows are the first of all: others are read only if these do not fill a page. */
export function emitDistinct(emitter: Emitter, rows: SelectedRows, order: Distinct): Sql {
  const { parent } = rows
  const all = (): Sql => firstOf(emitter, order, rows)
  if (order.near === null || emitter.dialect.isSpread) return pageOf(emitter, rows, order, all(), null)
  const near = emitter.alias()
  const nameAt = (at: number): Sql => raw(`key${at}`)
  const value = (row: RecordRow): Sql => {
    const keys = keysOf(emitter, order.keys, row).map((key, at) => sql`${key} as ${nameAt(at)}`)
    return join([idOf(row), ...keys], ', ')
  }
  const found = sql`(${emitter.inOrder(emitter, order.near, parent, { value })}) ${emitter.alias()}`
  // The rows have their keys and their places, so that on the first page only its own rows are read a second time.
  const names = keysOf(emitter, order.keys, newRow(emitter, rows.table)).map((_, at) => nameAt(at))
  const placed = sql`select id, n, row_number() over (partition by ${join(names, ', ')} order by n) as place from ${near}`
  const end = rows.position === null ? sql` order by n limit ${emitter.dialect.limit(rows.limit)}` : sql``
  const first = sql`select id from (${placed}) ${emitter.alias()} where place = 1${end}`
  const parts = [
    sql`select * from (${pageOf(emitter, rows, order, first, null)}) ${emitter.alias()}`,
    sql`select * from (${pageOf(emitter, rows, order, all(), near)}) ${emitter.alias()}
      where (select count(*) from ${near}) >= ${raw(String(order.near.limit))}`,
  ]
  return sql`with ${near} as materialized (select *, row_number() over () as n from ${found})
    ${join(parts, ' union all ')} limit ${emitter.dialect.limit(rows.limit)}`
}

/** How many records a list has. For `distinctOn` a missing value is a value, as in any group. */
export function emitTotal(emitter: Emitter, { total: count, list }: PhysicalList, parent: Parent): Sql {
  if (count === null) throw new Error('The list counts no rows.')
  const { table } = list
  if (count.kind !== 'distinct' && count.kind !== 'distinct-counts')
    return emitCount(emitter, count, table, parent)
  if (count.kind === 'distinct-counts')
    return staged(emitter, sql`select count(*) from ${identifier(count.counts.name)}`)
  if (parent !== null && emitter.dialect.isSpread)
    refuseStages('the number of distinct values of referring records')
  const row = newRow(emitter, table)
  const { from, where } = emitAccess(emitter, count.rows, row, parent)
  const keys = join(keysOf(emitter, count.keys, row), ', ')
  return staged(
    emitter,
    sql`select count(*) from (select 1 from ${from} where ${where} group by ${keys}) ${emitter.alias()}`,
  )
}

/** The ids of the first records. Where ids are in the order of the list, a group has its first record at an end. */
function firstOf(emitter: Emitter, order: Distinct, { table, parent }: SelectedRows): Sql {
  const { keys, sort, idOrder, all } = order
  const row = newRow(emitter, table)
  const { from, where } = emitAccess(emitter, all, row, parent)
  const by = join(keysOf(emitter, keys, row), ', ')
  if (idOrder) {
    const end = raw(sort[0]?.direction === 'asc' ? 'min' : 'max')
    return sql`select ${end}(${row.alias}.id) as id from ${from} where ${where} group by ${by}`
  }
  const { orders, joined } = orderOf(emitter, sort, row)
  const place = sql`row_number() over (partition by ${by} order by ${join(orders, ', ')})`
  const numbered = sql`select ${row.alias}.id as id, ${place} as place from ${from}${joined} where ${where}`
  return sql`select id from (${numbered}) ${emitter.alias()} where place = 1`
}

/** The page's rows of those whose ids are given; `near`: without the rows that it has. */
function pageOf(
  emitter: Emitter,
  { table, sort, position, inclusive, limit, selection }: SelectedRows,
  { idOrder }: Distinct,
  ids: Sql,
  near: Sql | null,
): Sql {
  const [first, row] = [emitter.alias(), newRow(emitter, table)]
  const direction = sort[0]?.direction ?? 'desc'
  // The ids belong to visible rows, so hidden rows need no second check.
  const from = sql`${staged(emitter, ids)} ${first} ${emitter.dialect.join} ${identifier(table.name)} ${row.alias} on ${row.alias}.id = ${first}.id`
  const { orders, joined } = idOrder
    ? { orders: [sql`${row.alias}.id ${raw(direction)}`], joined: sql`` }
    : orderOf(emitter, sort, row)
  const beyond = (from: NonNullable<OrderedRows['position']>): Sql =>
    idOrder
      ? sql`${row.alias}.id ${beyondPosition(emitter, table, from, direction, inclusive)}`
      : sql`(${join(segments(emitter, sort, from, row, inclusive), ' or ')})`
  const where = allOf([
    ...(near === null ? [] : [sql`${row.alias}.id not in (select id from ${near})`]),
    ...(position === null ? [] : [beyond(position)]),
  ])
  return sql`select ${selection.value(row)} from ${from}${joined} where ${where}
    order by ${join(orders, ', ')} limit ${emitter.dialect.limit(limit)}`
}

/** The expressions by which rows with equal values are together. */
function keysOf(emitter: Emitter, keys: readonly KeyValue[], { alias }: RecordRow): readonly Sql[] {
  return keys.flatMap((key): readonly Sql[] => {
    switch (key.kind) {
      case 'column':
        return [columnOf(emitter, alias, key.column)]
      case 'uriText':
        return [columnOf(emitter, alias, key.base), columnOf(emitter, alias, key.key)]
      case 'system':
        // In one collection, each account has one repo collection.
        return [sql`${alias}.${raw(key.name === 'did' || key.name === 'baseUri' ? 'base' : key.name)}`]
      case 'count':
        return [emitReferringCount(emitter, key, alias)]
      case 'relevance':
        throw new Error('Relevance is no value of a record.')
    }
  })
}
