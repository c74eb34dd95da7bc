/** From a database's URL to its engine. */
import type { Database, RecordCheck } from './database.ts'
import { openSqlite } from './sqlite/open.ts'
import type { Table } from './tables.ts'

export interface OpenOptions {
  readonly tables: readonly Table[]
  /** Of the lexicons the tables were built from. */
  readonly fingerprint: string
  /** Judges kept records when the lexicons have changed. */
  readonly check: RecordCheck
  /** Microseconds since 1970. */
  readonly now: () => bigint
}

/** `sqlite:PATH`, or a bare path. Creates the file when there is none, and migrates an older one. */
export async function openDatabase(url: string, options: OpenOptions): Promise<Database> {
  const scheme = /^([a-z][a-z0-9+]*):/.exec(url)?.[1]
  if (scheme === undefined) return openSqlite(url, options)
  if (scheme === 'sqlite') return openSqlite(url.slice('sqlite:'.length), options)
  throw new Error(`The database "${url}" has the unknown scheme "${scheme}:". Write sqlite:PATH.`)
}
