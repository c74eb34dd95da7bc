/** From a database's URL to its engine. */
import type { Database, ReadDatabase, RecordCheck } from './database.ts'
import type { ReadingOptions } from './postgres/servers.ts'
import { openSqlite, openSqliteReader } from './sqlite/open.ts'
import type { Table } from './tables.ts'

export interface OpenOptions {
  readonly tables: readonly Table[]
  /** Of the lexicons the tables were built from. */
  readonly fingerprint: string
  /** Judges kept records when the lexicons have changed. */
  readonly check: RecordCheck
  /** Microseconds since 1970. */
  readonly now: () => bigint
  /** Only of PostgreSQL. */
  readonly reading?: ReadingOptions
}

/** `sqlite:PATH`, or a bare path. Creates the file when there is none, and migrates an older one. */
export async function openDatabase(url: string, options: OpenOptions): Promise<Database> {
  return openSqlite(sqlitePath(url), options)
}

/** The same for reading alone: nothing is created, migrated or rebuilt. */
export async function openReadDatabase(
  url: string,
  options: Pick<OpenOptions, 'fingerprint' | 'now' | 'reading'>,
): Promise<ReadDatabase> {
  return openSqliteReader(sqlitePath(url), options)
}

function sqlitePath(url: string): string {
  const scheme = /^([a-z][a-z0-9+]*):/.exec(url)?.[1]
  if (scheme === undefined) return url
  if (scheme === 'sqlite') return url.slice('sqlite:'.length)
  throw new Error(`The database "${url}" has the unknown scheme "${scheme}:". Write sqlite:PATH.`)
}
