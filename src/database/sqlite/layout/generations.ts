/**
 * Names of tables of which there are two: the next generation, which a rebuild fills, and the former one, which waits
 * to be dropped. They are rid of one by one, because a large table takes its time.
 */
import type { DatabaseSync } from 'node:sqlite'
import { quote } from './ddl.ts'
import { renameTables } from './rename.ts'

/** No collection's name has a slash. */
export const nextPrefix = 'next/'
const formerPrefix = 'former/'

/** Within the caller's transaction: the old table makes room, with all that belongs to it. */
export function moveAside(database: DatabaseSync, table: string): void {
  renameTables(
    database,
    (name) => name === table || name.startsWith(`${table}/`),
    (name) => formerPrefix + name,
  )
}

/** Where the old table is then. */
export function formerName(table: string): string {
  return formerPrefix + table
}

/** Within the caller's transaction, when all old tables have made room. */
export function moveInPlace(database: DatabaseSync): void {
  renameTables(
    database,
    (name) => name.startsWith(nextPrefix),
    (name) => name.slice(nextPrefix.length),
  )
}

/** A table of an unfinished or finished rebuild that nobody needs any more; null when there is none. */
export function nextLeftover(database: DatabaseSync): string | null {
  const find = database.prepare(
    `select name from sqlite_master
     where type = 'table' and (substr(name, 1, ?) = ? or substr(name, 1, ?) = ?)
     order by sql like '%using fts5vocab(%' desc, sql like 'create virtual%' desc limit 1`,
  )
  const row = find.get(nextPrefix.length, nextPrefix, formerPrefix.length, formerPrefix)
  return row === undefined ? null : String(row.name)
}

export function dropLeftover(database: DatabaseSync, name: string): void {
  database.exec(`drop table if exists ${quote(name)}`)
}
