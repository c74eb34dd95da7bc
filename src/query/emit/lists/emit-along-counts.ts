/**
 * Rows in the order of how many records refer to them: along an index over materialized counts, which end a page early,
 * and, as no record has a count of zero, the other records before or after them.
 */
import { rankingIndex } from '../../../database/layout/counts.ts'
import { allOf, identifier, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { emitFilters } from '../emit-access-path.ts'
import { countedAt } from '../emit-links.ts'
import { type Emitter, newRow, type RecordRow } from '../emitter.ts'
import type { AlongCounts, OrderedRows } from '../../plan/physical-plan.ts'
import { orderOf, segments, type Selection } from './emit-order.ts'

export function emitAlongCounts(
  emitter: Emitter,
  rows: OrderedRows,
  { of, counts }: AlongCounts,
  { value }: Selection,
): Sql {
  const { table, sort, filter, position, inclusive, limit } = rows
  const end = sql`limit ${emitter.dialect.limit(limit)}`
  const name = identifier(counts.name)
  const counted = (): Sql[] => {
    const at = emitter.alias()
    const plain = newRow(emitter, table)
    const row: RecordRow = { ...plain, counted: { of, n: sql`${at}.n` } }
    // Each segment is one range of the counts.
    const starts = position === null ? [sql``] : segments(emitter, sort, position, row, inclusive)
    const { orders, joined } = orderOf(emitter, sort, row)
    const from = sql`${name} ${at}${emitter.dialect.scan(rankingIndex(counts))} ${emitter.dialect.join} ${emitter.rows(table, row.alias)} on ${countedAt(row.alias, at)}${joined}`
    return starts.map((start) => {
      const where = allOf([...(position === null ? [] : [start]), emitFilters(emitter, filter, row)])
      return sql`select ${value(row)} from ${from} where ${where} order by ${join(orders, ', ')} ${end}`
    })
  }
  const others = (): Sql[] => {
    const [at, plain] = [emitter.alias(), newRow(emitter, table)]
    const row: RecordRow = { ...plain, counted: { of, n: raw('cast(0 as bigint)') } }
    const { orders, joined } = orderOf(emitter, sort.slice(1), row)
    const start = startAmongOthers(emitter, rows, row)
    if (start === null) return []
    const isOther = sql`not exists (select 1 from ${name} ${at} where ${countedAt(at, row.alias)})`
    const where = allOf([isOther, ...start, emitFilters(emitter, filter, row)])
    const from = sql`${emitter.rows(table, row.alias)}${joined}`
    return [sql`select ${value(row)} from ${from} where ${where} order by ${join(orders, ', ')} ${end}`]
  }
  const parts = sort[0]?.direction === 'asc' ? [...others(), ...counted()] : [...counted(), ...others()]
  const inTurn = parts.map((each) => sql`select * from (${each}) ${emitter.alias()}`)
  return sql`${join(inTurn, ' union all ')} ${end}`
}

/** Where the page begins among the records without a count; null: behind them. */
function startAmongOthers(
  emitter: Emitter,
  { sort, position, inclusive }: OrderedRows,
  row: RecordRow,
): readonly Sql[] | null {
  if (position === null) return []
  const [count, ...rest] = position
  const order = Math.sign(Number(count)) * (sort[0]?.direction === 'asc' ? 1 : -1)
  if (order > 0) return null
  if (order < 0) return []
  const starts = segments(emitter, sort.slice(1), rest, row, inclusive)
  return [sql`(${join(starts, ' or ')})`]
}
