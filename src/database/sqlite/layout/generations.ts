/**
 * Names of the next generation of tables, which a rebuild fills, and of the former one, which is to be dropped. Tables
 * are dropped one by one, because dropping a large one takes long.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Table } from '../../layout/tables.ts'
import { quote } from './ddl.ts'
import { renameTables } from './rename.ts'

/** Unambiguous, because no name of a collection has a slash. */
export const nextPrefix = 'next/'
const formerPrefix = 'former/'

/** The tables under the names by which the next generation is filled next to the one in use. */
export function nextTables(tables: readonly Table[]): readonly Table[] {
  const renamed = <Named extends { readonly name: string }>(all: readonly Named[]): readonly Named[] =>
    all.map((one) => ({ ...one, name: nextPrefix + one.name }))
  return tables.map((table) => ({
    ...table,
    name: nextPrefix + table.name,
    arrays: renamed(table.arrays),
    texts: renamed(table.texts),
    words: table.words && { ...table.words, name: nextPrefix + table.words.name },
    indexes: renamed(table.indexes),
    counts: renamed(table.counts),
    sums: renamed(table.sums).map((sums) => ({
      ...sums,
      of: nextPrefix + sums.of,
      between: nextPrefix + sums.between,
    })),
  }))
}

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
