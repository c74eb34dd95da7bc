/**
 * Names of the next generation of tables, which a rebuild fills, and of the former one, which is to be dropped; renames
 * and drops tables. They are dropped one by one, because dropping a large one takes long.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Table } from '../../layout/tables.ts'
import { readPragma } from '../open-file.ts'
import { quote } from './ddl.ts'

/** Unambiguous, because no name of a collection has a slash. */
export const nextPrefix = 'next/'
export const formerPrefix = 'former/'

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
    stories: table.stories && { ...table.stories, marks: nextPrefix + table.stories.marks },
    sums: renamed(table.sums).map((sums) => ({
      ...sums,
      of: nextPrefix + sums.of,
      between: nextPrefix + sums.between,
    })),
  }))
}

/** Renames the old table and all that belongs to it. Call it within a transaction. */
export function moveAside(database: DatabaseSync, table: string): void {
  const belongs = (name: string): boolean => name === table || name.startsWith(`${table}/`)
  renameTables(database, (name) => (belongs(name) ? formerPrefix + name : null))
}

/** Renames the new tables after all old ones were moved aside. Call it within a transaction. */
export function moveInPlace(database: DatabaseSync): void {
  renameTables(database, (name) => (name.startsWith(nextPrefix) ? name.slice(nextPrefix.length) : null))
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

type Renaming = readonly [name: string, renamed: string]

/**
 * SQLite renames tables; an index, which it would have to build again, is renamed in the schema table. The vocabulary
 * of a trigram or word index (`/terms`) stores nothing and is dropped. `rename`: null leaves a name as it is.
 */
function renameTables(database: DatabaseSync, rename: (name: string) => string | null): void {
  const find = (condition: string): readonly Renaming[] =>
    database
      .prepare(`select name from sqlite_master where ${condition}`)
      .all()
      .flatMap(({ name }) => {
        const renamed = rename(String(name))
        return renamed === null ? [] : [[String(name), renamed]]
      })
  const findVirtual = (module: string): readonly Renaming[] =>
    find(`type = 'table' and sql like 'create virtual table%using ${module}(%'`)
  const alter = ([name, renamed]: Renaming): void =>
    database.exec(`alter table ${quote(name)} rename to ${quote(renamed)}`)
  for (const [name] of findVirtual('fts5vocab')) database.exec(`drop table ${quote(name)}`)
  const indexes = find(`type = 'index' and sql is not null`)
  // No view or trigger names these tables; otherwise SQLite searches all of them at each renaming.
  database.exec('pragma legacy_alter_table = on')
  try {
    // SQLite renames their shadow tables too.
    for (const table of findVirtual('fts5')) alter(table)
    for (const table of find(`type = 'table'`)) alter(table)
  } finally {
    database.exec('pragma legacy_alter_table = off')
  }
  renameIndexes(database, indexes)
}

/** See https://sqlite.org/pragma.html#pragma_writable_schema. */
function renameIndexes(database: DatabaseSync, indexes: readonly Renaming[]): void {
  const find = database.prepare(`select sql from sqlite_master where type = 'index' and name = ?`)
  const version = readPragma(database, 'schema_version')
  database.enableDefensive(false)
  database.exec('pragma writable_schema = on')
  try {
    const set = database.prepare(
      `update sqlite_schema set name = ?, sql = ? where type = 'index' and name = ?`,
    )
    for (const [name, renamed] of indexes) {
      const sql = String(find.get(name)?.sql)
      const begin = /^(CREATE (?:UNIQUE )?INDEX )"(?:[^"]|"")*"/.exec(sql)
      if (begin === null) throw new Error(`The index ${name} cannot be renamed: ${sql}`)
      set.run(renamed, `${begin[1]}${quote(renamed)}${sql.slice(begin[0].length)}`, name)
    }
    // Before the schema is read again, so that every connection with a cached schema, this one included, notices.
    database.exec(`pragma schema_version = ${version + 1}`)
  } finally {
    database.exec('pragma writable_schema = reset')
    database.enableDefensive(true)
  }
}
