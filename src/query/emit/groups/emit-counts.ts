/** Counts as SQL: sums of materialized counts, or a count of rows. */
import { type CountTable, countKeys } from '../../../database/layout/counts.ts'
import type { Table } from '../../../database/layout/tables.ts'
import { allOf, identifier, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { emitFilters, emitFrom } from '../emit-access-path.ts'
import { emitFilter } from '../emit-filter.ts'
import { repoCollectionIds } from '../emit-membership.ts'
import { linkedTo } from '../lists/emit-rows.ts'
import { type Emitter, newRow } from '../emitter.ts'
import type { CountAccess } from '../../plan/physical-plan.ts'

/** The number of records of a table; `parent` is the alias of the row to which a link refers. */
export function emitCount(emitter: Emitter, access: CountAccess, table: Table, parent: Sql | null): Sql {
  switch (access.kind) {
    case 'counts': {
      const { counts, columns, filter } = access
      if (filter === null) return sumOf(emitter, counts, null)
      // The filter names columns of the collection's table.
      const row = newRow(emitter, table)
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
    case 'rows': {
      const row = newRow(emitter, table)
      const { from, on } = emitFrom(emitter, access.rows, row)
      const where = emitFilters(emitter, access.rows.filter, row)
      return sql`(select count(*) from ${from} where ${allOf([...on, where])})`
    }
    case 'linked-rows': {
      const row = newRow(emitter, table)
      const where = emitFilters(emitter, access.rows.filter, row)
      const { from, on } = linkedTo(emitter, access.link, row, around(parent), access.linkIndex)
      return sql`(select count(*) from ${from} where ${allOf([on, where])})`
    }
  }
}

function sumOf({ dialect }: Emitter, counts: CountTable, where: Sql | null): Sql {
  const condition = where === null ? sql`` : sql` where ${where}`
  return sql`(select coalesce(${dialect.sum(raw('n'))}, 0) from ${identifier(counts.name)}${condition})`
}

function around(parent: Sql | null): Sql {
  if (parent === null) throw new Error('A link needs the row that it refers to.')
  return parent
}
