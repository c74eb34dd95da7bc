/** Renames tables together with all that is named after them, within the caller's transaction. */
import type { DatabaseSync } from 'node:sqlite'
import { quote } from './ddl.ts'

interface Entry {
  readonly name: string
  readonly sql: string
}

/**
 * SQLite renames tables; an index, which it would have to build again, is renamed in the schema table. The vocabulary
 * of a trigram or word index (`/terms`) stores nothing and is dropped.
 */
export function renameTables(
  database: DatabaseSync,
  belongs: (name: string) => boolean,
  rename: (name: string) => string,
): void {
  const entries = (condition: string): readonly Entry[] =>
    (
      database.prepare(`select name, sql from sqlite_master where ${condition}`).all() as unknown as Entry[]
    ).filter(({ name }) => belongs(name))
  const virtual = (module: string): readonly Entry[] =>
    entries(`type = 'table' and sql like 'create virtual table%using ${module}(%'`)
  for (const { name } of virtual('fts5vocab')) database.exec(`drop table ${quote(name)}`)
  const indexes = entries(`type = 'index' and sql is not null`)
  // No view or trigger names these tables; otherwise SQLite searches all of them at each renaming.
  database.exec('pragma legacy_alter_table = on')
  try {
    // SQLite renames their shadow tables too.
    for (const { name } of virtual('fts5'))
      database.exec(`alter table ${quote(name)} rename to ${quote(rename(name))}`)
    for (const { name } of entries(`type = 'table'`))
      database.exec(`alter table ${quote(name)} rename to ${quote(rename(name))}`)
  } finally {
    database.exec('pragma legacy_alter_table = off')
  }
  renameIndexes(
    database,
    indexes.map(({ name }) => name),
    rename,
  )
}

/** See https://sqlite.org/pragma.html#pragma_writable_schema. */
function renameIndexes(
  database: DatabaseSync,
  names: readonly string[],
  rename: (name: string) => string,
): void {
  const find = database.prepare(`select sql from sqlite_master where type = 'index' and name = ?`)
  const version = Number(Object.values(database.prepare('pragma schema_version').get() ?? {})[0])
  database.enableDefensive(false)
  database.exec('pragma writable_schema = on')
  try {
    const set = database.prepare(
      `update sqlite_schema set name = ?, sql = ? where type = 'index' and name = ?`,
    )
    for (const name of names) {
      const sql = String(find.get(name)?.sql)
      const begin = /^(CREATE (?:UNIQUE )?INDEX )"(?:[^"]|"")*"/.exec(sql)
      if (begin === null) throw new Error(`The index ${name} cannot be renamed: ${sql}`)
      set.run(rename(name), `${begin[1]}${quote(rename(name))}${sql.slice(begin[0].length)}`, name)
    }
    // Before the schema is read again, so that every connection with a cached schema, this one included, notices.
    database.exec(`pragma schema_version = ${version + 1}`)
  } finally {
    database.exec('pragma writable_schema = reset')
    database.enableDefensive(true)
  }
}
