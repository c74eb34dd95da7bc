/** Which columns of a row are read, so that others need not be carried along. */
import type { Table } from '../database/tables.ts'
import { identifier, join, type Sql, sql } from '../sql/sql.ts'

const kept = ['id', 'base', 'rkey', 'did', 'cid', 'rev', 'indexed_at', 'changed_at', 'record']

/** Told from the text: a row's alias is its own, and stands before each of its columns. */
export function columnsRead(table: Table, alias: Sql, texts: readonly Sql[]): ReadonlySet<string> {
  // Literals and other names are passed whole, whatever they hold.
  const named = new RegExp(String.raw`'[^']*'|\b${alias.sql}\.("(?:[^"]|"")+"|\w+)|"[^"]*"`, 'g')
  const found = new Set(
    texts.flatMap(({ sql: text }) => Array.from(text.matchAll(named), ([, name]) => name)),
  )
  const names = [...kept, ...table.columns.flatMap(({ name, virtual }) => (virtual ? [] : [name]))]
  return new Set(names.filter((name) => found.has(name) || found.has(identifier(name).sql)))
}

/** Never none: a row without columns is still a row. */
export function columnList(alias: Sql, names: ReadonlySet<string>): Sql {
  const list = names.size === 0 ? ['id'] : [...names]
  return join(
    list.map((name) => sql`${alias}.${identifier(name)}`),
    ', ',
  )
}
