/** Records that refer to a row, as SQL: where they are found, and how many there are. */
import { identifier, type Sql, sql } from '../../sql/sql.ts'
import type { Link, ReferringCount } from '../plan/conditions.ts'
import { columnOf, type Emitter, newRow, type RecordRow, type UriParts } from './emitter.ts'
import { refuseStages, staged } from './steps.ts'

/** Records that refer by a link, by `index` if given: the `from` clause, and the parts of the URI they refer to. */
export function linked(
  emitter: Emitter,
  link: Link,
  { alias, table }: RecordRow,
  index: string | null,
): { readonly from: Sql } & UriParts {
  // The record of an entry is found by its id alone.
  const rows = emitter.rows(table, alias, link.kind === 'array' ? null : (index ?? undefined))
  if (link.kind === 'columns')
    return { from: rows, base: columnOf(emitter, alias, link.base), key: columnOf(emitter, alias, link.key) }
  const side = emitter.alias()
  return {
    from: sql`${identifier(link.array.name)} ${side} ${emitter.dialect.join} ${rows} on ${isSameRecord(emitter, side, alias)}`,
    base: sql`${side}.base`,
    key: sql`${side}.rkey`,
  }
}

/** Records that refer by a link to a parent: the `from` clause, and the condition that they do. */
export function linkedTo(
  emitter: Emitter,
  link: Link,
  row: RecordRow,
  { alias: parent, shard }: Pick<RecordRow, 'alias' | 'shard'>,
  index: string | null,
): { readonly from: Sql; readonly on: Sql } {
  const { from, base, key } = linked(emitter, link, row, index)
  const isIt = sql`${base} = ${parent}.base and ${key} = ${parent}.rkey`
  if (shard === undefined) return { from, on: isIt }
  // Where each node has a copy of the rows, a cluster's planner refuses correlated sub-queries on them without this join.
  const own = emitter.alias()
  return {
    from: sql`${identifier('shards')} ${own} ${emitter.dialect.join} ${from} on ${own}.shard = ${row.alias}.shard`,
    on: sql`${isIt} and ${own}.shard = ${shard}.shard`,
  }
}

/** The number of visible records that refer to a parent. */
export function emitReferringCount(emitter: Emitter, of: ReferringCount, parent: Sql): Sql {
  const { table, link, counts } = of
  const at = emitter.alias()
  if (counts !== null)
    return sql`coalesce((select ${at}.n from ${identifier(counts.name)} ${at} where ${countedAt(emitter, of, at, parent)}), 0)`
  if (emitter.dialect.isSpread) refuseStages('orders by referring records that are not counted beforehand')
  // A side table has an entry for each record and URI, so its records are read only to leave out hidden ones.
  if (link.kind === 'array' && !emitter.state.hiding)
    return sql`(select count(*) from ${identifier(link.array.name)} ${at} where ${countedAt(emitter, of, at, parent)})`
  const { from, on } = linkedTo(emitter, link, newRow(emitter, table), { alias: parent }, null)
  return sql`(select count(*) from ${from} where ${on})`
}

/** How many visible records refer to each record that some refer to: rows with its `base` and `rkey`, and `n`. */
export function emitReferringCounts(emitter: Emitter, { table, link, counts }: ReferringCount): Sql {
  if (counts !== null) return identifier(counts.name)
  const { from, base, key } = linked(emitter, link, newRow(emitter, table), null)
  return staged(
    emitter,
    sql`select ${base} as base, ${key} as rkey, count(*) as n from ${from} group by ${base}, ${key}`,
  )
}

/** The condition that a row of counts, or an entry of a side table, is of the parent. */
export function countedAt(
  { dialect }: Emitter,
  { counts }: Pick<ReferringCount, 'counts'>,
  at: Sql,
  parent: Sql,
): Sql {
  const isIt = sql`${at}.base = ${parent}.base and ${at}.rkey = ${parent}.rkey`
  // Counts lie where the records do that they are of.
  return !dialect.isSpread || counts === null ? isIt : sql`${isIt} and ${at}.shard = ${parent}.shard`
}

/** The condition that an entry of a side table is of a record. */
export function isSameRecord({ dialect }: Emitter, side: Sql, record: Sql): Sql {
  const isIt = sql`${side}.id = ${record}.id`
  return dialect.isSpread ? sql`${isIt} and ${side}.shard = ${record}.shard` : isIt
}
