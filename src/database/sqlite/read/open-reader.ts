/** Opens a SQLite file that is there and is only read. What can write is not loaded for it. */
import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { ReadDatabase } from '../../database.ts'
import { BuiltElsewiseError } from '../../refusals.ts'
import { connect } from '../connection.ts'
import { assertOurs, isCurrent, isEmpty } from '../layout/layout.ts'
import { LongQueries } from './long-queries.ts'
import { type ReaderOptions, SqliteReader } from './reader.ts'

export interface SqliteQueryOptions {
  /** Milliseconds that it waits while another process has the file for itself. */
  readonly lockTimeout?: number
  /** Processes that run what may take long, of which none is started before there is something to do. */
  readonly readers?: number
}

/** Only reads: a file that was built otherwise is left as it is. */
export async function openSqliteReader(
  path: string,
  { fingerprint, now, lockTimeout, readers }: Pick<ReaderOptions, 'fingerprint' | 'now'> & SqliteQueryOptions,
): Promise<ReadDatabase> {
  const connection = connectReader(path, fingerprint, lockTimeout)
  const long = new LongQueries(path, readers)
  return new SqliteReader(connection, { fingerprint, now, idle: () => null, long })
}

/** Whether a file that is there must be migrated or rebuilt first. */
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

/** A connection that only reads a file of these lexicons. */
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
