/**
 * Names of the next generation of tables, which a rebuild fills, and of the former one, which is to be dropped. Tables
 * are dropped one by one, because dropping a large one takes long.
 */
import type { DatabaseSync } from 'node:sqlite'
import { quote } from './ddl.ts'
import { renameTables } from './rename.ts'

/** Unambiguous, because no name of a collection has a slash. */
export const nextPrefix = 'next/'
const formerPrefix = 'former/'

/** Renames the old table and all that belongs to it. Call it within a transaction. */
export function moveAside(database: DatabaseSync, table: string): void {
  renameTables(
    database,
    (name) => name === table || name.startsWith(`${table}/`),
    (name) => formerPrefix + name,
  )
}

/** The name of the old table after `moveAside`. */
export function formerName(table: string): string {
  return formerPrefix + table
}

/** Renames the new tables after all old ones were moved aside. Call it within a transaction. */
export function moveInPlace(database: DatabaseSync): void {
  renameTables(
    database,
    (name) => name.startsWith(nextPrefix),
    (name) => name.slice(nextPrefix.length),
  )
}

/** A leftover table of an unfinished or finished rebuild; null when there is none. */
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
