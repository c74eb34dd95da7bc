/** Opens an existing SQLite file for reading only, without loading the code that writes. */
import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { ReadDatabase } from '../../database.ts'
import { BuiltElsewiseError } from '../../refusals.ts'
import { connect } from '../connection.ts'
import { assertOurs, isCurrent, isEmpty } from '../layout/layout.ts'
import { LongQueries } from './long-queries.ts'
import { type ReaderOptions, SqliteReader } from './reader.ts'

export interface SqliteQueryOptions {
  /** Milliseconds to wait while another process holds an exclusive lock. */
  readonly lockTimeout?: number
  /** The number of query workers; each starts on demand. */
  readonly readers?: number
}

/** Fails on a file with another derivation and leaves it unchanged. */
export async function openSqliteReader(
  path: string,
  { fingerprint, now, lockTimeout, readers }: Pick<ReaderOptions, 'fingerprint' | 'now'> & SqliteQueryOptions,
): Promise<ReadDatabase> {
  const connection = connectReader(path, fingerprint, lockTimeout)
  const long = new LongQueries(path, readers)
  return new SqliteReader(connection, { fingerprint, now, idle: () => null, long })
}

/** True if an existing file must be migrated or rebuilt first. */
export function isFileOutdated(path: string, fingerprint: string): boolean {
  if (path === ':memory:' || !existsSync(path)) return false
  const connection = connect(path, true)
  try {
    assertOurs(connection)
    return !isEmpty(connection) && !isCurrent(connection, fingerprint)
  } finally {
    connection.close()
  }
}

/** Opens a read-only connection to a file that was built for these lexicons. */
export function connectReader(path: string, fingerprint: string, lockTimeout?: number): DatabaseSync {
  const connection = connect(path, true, undefined, lockTimeout)
  try {
    assertOurs(connection)
    if (!isCurrent(connection, fingerprint)) throw new BuiltElsewiseError()
  } catch (error) {
    connection.close()
    throw error
  }
  return connection
}
