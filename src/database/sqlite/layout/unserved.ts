/** Tables of collections that the lexicons no longer have; they stay in case the collections return. */
import type { DatabaseSync } from 'node:sqlite'
import { rowsOf } from '../../metadata/purges.ts'
import { quote } from './ddl.ts'

/** Drops all but the table itself and its key. */
export function dropDerived(database: DatabaseSync, table: string): void {
  const derived = database.prepare(
    `select type, name, sql from sqlite_master where substr(name, 1, ?) = ? and name <> ? and sql is not null
     order by sql like '%fts5vocab%' desc, sql like 'create virtual%' desc`,
  )
  const prefix = `${table}/`
  for (const { type, name } of derived.all(prefix.length, prefix, `${table}/key`))
    database.exec(`drop ${type} if exists ${quote(String(name))}`)
}

/** Removes a subject's rows and all derived tables, which are derived again when the collection is served. */
export function eraseUnserved(database: DatabaseSync, subject: string, served: ReadonlySet<string>): void {
  for (const { nsid, table_name } of database.prepare('select nsid, table_name from collection').all()) {
    const [collection, table] = [String(nsid), String(table_name)]
    if (served.has(collection)) continue
    const [condition, values] = rowsOf(subject, collection)
    const found = database.prepare(`select 1 from ${quote(table)} where ${condition} limit 1`).get(...values)
    if (found === undefined) continue
    dropDerived(database, table)
    database.prepare(`delete from ${quote(table)} where ${condition}`).run(...values)
  }
}
