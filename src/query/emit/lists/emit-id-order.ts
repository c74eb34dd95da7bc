/**
 * Where ids follow the default order, positions and moments of that order are ids, found by halving.
 * Here rows only say where in the order an id stands, so that hidden ones do as well as others.
 */
import type { ColumnValue } from '../../../database/database.ts'
import type { Table } from '../../../database/tables.ts'
import { identifier, type Sql, sql } from '../../../sql/sql.ts'
import type { Emitter, Row } from '../emitter.ts'
import type { Conjunct } from '../../plan/physical-plan.ts'
import type { Direction } from '../../plan/plan.ts'

/** What conditions on `indexedAt` say of ids; without it a walk along the ids would not know where to end. */
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
 * The ids beyond a position where ids follow the default order: those past the record at the position,
 * or, when it is gone or has moved, past the last record before it, found by halving the ids.
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
  // Halving is work for when the record is gone: a limit stops before it, where `coalesce` would not.
  const bound = (otherwise: Sql): Sql => sql`(${exact} union all select ${otherwise} limit 1)`
  if (direction === 'asc') return inclusive ? sql`>= ${bound(sql`${last} + 1`)}` : sql`> ${bound(last)}`
  return inclusive ? sql`<= ${bound(last)}` : sql`< ${bound(sql`${last} + 1`)}`
}

/** The last id that `precedes` holds for, 0 when there is none; it must hold up to some id and for none beyond. */
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
