/** Opens a SQLite file: one connection that writes, one that can only read. */
import type { DatabaseSync } from 'node:sqlite'
import type { Database } from '../database.ts'
import { connect } from './connection.ts'
import { assertOurs } from './layout/layout.ts'
import { LongQueries } from './read/long-queries.ts'
import { migrate } from './layout/migrate.ts'
import type { MigrateOptions } from '../migrate-options.ts'
import type { SqliteQueryOptions } from './read/open-reader.ts'
import { SqliteReader } from './read/reader.ts'
import { SqliteWriter } from './write/writer.ts'

/** `path` `:memory:` is one connection for both, which then take turns. */
export async function openSqlite(
  path: string,
  options: MigrateOptions & Pick<SqliteQueryOptions, 'readers'>,
): Promise<Database> {
  const inMemory = path === ':memory:'
  const writing = connect(path, false)
  let reading: DatabaseSync
  try {
    // Before anything is set: the journal's mode is kept in the file, which may be another program's.
    assertOurs(writing)
    writing.exec(fileSettings)
    await migrate(writing, options)
    // From now on the writer itself waits, in its own way.
    writing.exec('pragma busy_timeout = 0')
    reading = inMemory ? writing : connect(path, true)
  } catch (error) {
    writing.close()
    throw error
  }
  const write = new SqliteWriter(writing, options)
  const read = new SqliteReader(reading, {
    fingerprint: options.fingerprint,
    now: options.now,
    idle: () => (inMemory ? write.idle : null),
    long: inMemory ? null : new LongQueries(path, options.readers),
  })
  return {
    read,
    write,
    async [Symbol.asyncDispose]() {
      if (!inMemory) await read[Symbol.asyncDispose]()
      await write[Symbol.asyncDispose]()
    },
  }
}

/** Before a file is laid out. */
export const fileSettings = 'pragma page_size = 8192; pragma journal_mode = wal; pragma synchronous = normal;'
