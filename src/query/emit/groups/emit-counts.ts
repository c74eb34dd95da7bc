/** Counts as SQL: sums of materialized counts, or a count of rows. */
import { type CountTable, countKeys, dayLength } from '../../../database/layout/counts.ts'
import type { Table } from '../../../database/layout/tables.ts'
import { allOf, identifier, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { emitFilters, emitRowCount } from '../emit-access-path.ts'
import { emitFilter } from '../emit-filter.ts'
import { repoCollectionIds } from '../emit-membership.ts'
import { columnOf, leftJoin } from '../emit-operand.ts'
import { linkedTo } from '../lists/emit-rows.ts'
import type { Emitter, RecordRow } from '../emitter.ts'
import type { CountAccess, GroupAccess } from '../../plan/physical-plan.ts'
import type { GroupKey } from '../../plan/plan.ts'

/** The number of records of a table; `parent` is the alias of the row to which a link refers. */
export function emitCount(emitter: Emitter, access: CountAccess, table: Table, parent: Sql | null): Sql {
  switch (access.kind) {
    case 'counts': {
      const { counts, columns, filter } = access
      if (filter === null) return sumOf(emitter, counts, null)
      // The filter names columns of the collection's table.
      const row: RecordRow = { kind: 'record', alias: emitter.alias(), table }
      const named = countKeys(counts).map(
        (key, index) => sql`${raw(key)} as ${identifier(columns[index]?.name ?? '')}`,
      )
      const from = sql`(select ${join(named, ', ')}, n from ${identifier(counts.name)}) ${row.alias}`
      const sum = sql`coalesce(${emitter.dialect.sum(raw('n'))}, 0)`
      return sql`(select ${sum} from ${from} where ${emitFilter(emitter, filter, row)})`
    }
    case 'account-counts':
      return sumOf(emitter, access.counts, sql`value in (${repoCollectionIds(table, access.dids)})`)
    case 'link-counts':
      return sumOf(
        emitter,
        access.counts,
        sql`base = ${around(parent)}.base and rkey = ${around(parent)}.rkey`,
      )
    case 'rows':
      return emitRowCount(emitter, access.rows)
    case 'linked-rows': {
      const row: RecordRow = { kind: 'record', alias: emitter.alias(), table }
      const where = emitFilters(emitter, access.rows.filter, row)
      const { from, on } = linkedTo(emitter, access.link, row, around(parent), access.linkIndex)
      return sql`(select count(*) from ${from} where ${allOf([on, where])})`
    }
  }
}

/** Groups by the only key, as a table expression with the key's values, named `names`, and `n`. */
export function emitGroups(
  emitter: Emitter,
  { counts }: Extract<GroupAccess, { kind: 'counts' }>,
  { bucket }: GroupKey,
  name: Sql,
  names: readonly Sql[],
): Sql {
  const { dialect } = emitter
  const from = identifier(counts.name)
  if (bucket === null) {
    const values = countKeys(counts).map(
      (column, index) => sql`${dialect.countedValue(raw(column))} as ${names[index] as Sql}`,
    )
    return sql`${name} as not materialized (select ${join(values, ', ')}, n from ${from})`
  }
  const micros = sql`${dialect.countedValue(raw('value'))} * ${raw(String(dayLength))}`
  const key = names[0] as Sql
  if (bucket === counts.kind)
    return sql`${name} as not materialized (select ${dialect.bucketKey(micros, bucket)} as ${key}, n from ${from})`
  const days = sql`(select ${micros} as micros, n from ${from}) ${emitter.alias()}`
  return sql`${name} as materialized (select ${dialect.bucketKey(raw('micros'), bucket)} as ${key}, ${dialect.sum(raw('n'))} as n
    from ${days} group by ${key})`
}

/** Groups by a value of the records that one reference names: sums of the counts of these records. */
export function emitJoinedGroups(
  emitter: Emitter,
  { counts, join: reference }: Extract<GroupAccess, { kind: 'joined-counts' }>,
  { leaf, bucket }: GroupKey,
  name: Sql,
  names: readonly Sql[],
): Sql {
  if (leaf.kind !== 'column' && leaf.kind !== 'reference')
    throw new Error('Counts are joined with single values.')
  const { dialect } = emitter
  const [each, target] = [emitter.alias(), emitter.alias()]
  const columns = leaf.kind === 'column' ? [leaf.column] : [leaf.base, leaf.key]
  const values = columns.map((column, index) => {
    const value = columnOf(emitter, target, column)
    return sql`${bucket === null ? value : dialect.bucketKey(value, bucket)} as ${names[index] as Sql}`
  })
  const parts = { base: sql`${each}.base`, key: sql`${each}.rkey` }
  const from = sql`${identifier(counts.name)} ${each} ${leftJoin(emitter, reference.table, target, parts)}`
  return sql`${name} as materialized (select ${join(values, ', ')}, ${dialect.sum(sql`${each}.n`)} as n
    from ${from} group by ${join(names, ', ')})`
}

function sumOf({ dialect }: Emitter, counts: CountTable, where: Sql | null): Sql {
  const condition = where === null ? sql`` : sql` where ${where}`
  return sql`(select coalesce(${dialect.sum(raw('n'))}, 0) from ${identifier(counts.name)}${condition})`
}

function around(parent: Sql | null): Sql {
  if (parent === null) throw new Error('A link needs the row that it refers to.')
  return parent
}
