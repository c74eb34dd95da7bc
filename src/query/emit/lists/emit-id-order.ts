/**
 * If ids follow the default order, a position or a time in that order is found as an id, by binary search. The search
 * reads hidden rows too, because it only needs their place in the order.
 */
import type { ColumnValue } from '../../../database/database.ts'
import type { Table } from '../../../database/layout/tables.ts'
import { identifier, type Sql, sql } from '../../../sql/sql.ts'
import type { Emitter, Row } from '../emitter.ts'
import type { Conjunct } from '../../plan/physical-plan.ts'
import type { Direction } from '../../plan/plan.ts'

/** The id ranges that conditions on `indexedAt` imply; without them a scan by id would not know where to end. */
export function idRange(
  emitter: Emitter,
  { alias, table }: Extract<Row, { kind: 'record' }>,
  filter: readonly Conjunct[],
): readonly Sql[] {
  if (!emitter.state.ordered.has(table.collection.nsid)) return []
  const name = identifier(table.name)
  const lastWhere = (sign: Sql, value: ColumnValue): Sql => {
    const at = emitter.alias()
    return lastIdBefore(
      emitter,
      table,
      (id) => sql`coalesce((select ${at}.indexed_at ${sign} ${value} from ${name} ${at}
        where ${at}.id <= ${id} order by ${at}.id desc limit 1), true)`,
    )
  }
  return filter.flatMap(({ filter: part }): readonly Sql[] => {
    if (part.kind !== 'compare' || part.operand.kind !== 'system' || part.operand.name !== 'indexed_at')
      return []
    const [before, upTo] = [(): Sql => lastWhere(sql`<`, part.to), (): Sql => lastWhere(sql`<=`, part.to)]
    switch (part.op) {
      case 'gt':
        return [sql`${alias}.id > ${upTo()}`]
      case 'gte':
        return [sql`${alias}.id > ${before()}`]
      case 'lt':
        return [sql`${alias}.id <= ${before()}`]
      case 'lte':
        return [sql`${alias}.id <= ${upTo()}`]
      case 'eq':
        return [sql`${alias}.id > ${before()}`, sql`${alias}.id <= ${upTo()}`]
      case 'ne':
        return []
    }
  })
}

/**
 * The bound on ids beyond a position, if ids follow the default order: the id of the record at the position, or, if
 * that record is gone or has moved, of the last record before the position, found by binary search.
 */
export function beyondPosition(
  emitter: Emitter,
  table: Table,
  [indexedAt, rkey, did]: readonly ColumnValue[],
  direction: Direction,
  inclusive: boolean,
): Sql {
  const name = identifier(table.name)
  const [here, at] = [emitter.alias(), emitter.alias()]
  const base = `at://${String(did)}/${table.collection.nsid}/`
  const exact = sql`select ${here}.id from ${name} ${here} where ${here}.base = (select id from base where uri = ${base})
    and ${here}.rkey = ${rkey} and ${here}.indexed_at = ${indexedAt}`
  const precedes = (
    id: Sql,
  ): Sql => sql`coalesce((select (${at}.indexed_at, ${at}.rkey, ${emitter.dialect.did(at)}) < (${indexedAt}, ${rkey}, ${did})
    from ${name} ${at} where ${at}.id <= ${id} order by ${at}.id desc limit 1), true)`
  const last = lastIdBefore(emitter, table, precedes)
  // The binary search is needed only if the record is gone: `limit 1` stops before it, `coalesce` would not.
  const bound = (otherwise: Sql): Sql => sql`(${exact} union all select ${otherwise} limit 1)`
  if (direction === 'asc') return inclusive ? sql`>= ${bound(sql`${last} + 1`)}` : sql`> ${bound(last)}`
  return inclusive ? sql`<= ${bound(last)}` : sql`< ${bound(sql`${last} + 1`)}`
}

/** The last id for which `precedes` holds, or 0; it must hold for all ids up to some id, and for none after that id. */
function lastIdBefore(emitter: Emitter, table: Table, precedes: (id: Sql) => Sql): Sql {
  const steps = emitter.alias()
  const low = sql`case when p then (low + high) / 2 else low end`
  const high = sql`case when p then high else (low + high) / 2 end`
  const end = sql`(select coalesce(max(id), 0) + 1 from ${identifier(table.name)})`
  return sql`(with recursive ${steps}(low, high, p) as (
    select 0, ${end}, ${precedes(sql`${end} / 2`)}
    union all select ${low}, ${high}, ${precedes(sql`(${low} + ${high}) / 2`)} from ${steps} where high - low > 1
    ) select max(low) from ${steps})`
}
