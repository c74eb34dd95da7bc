/** Opens a SQLite file with one connection that writes and one that can only read. */
import type { DatabaseSync } from 'node:sqlite'
import type { Database } from '../database.ts'
import { previewRebuild, type PreviewOptions } from '../rebuild/preview.ts'
import type { RebuildReport } from '../rebuild/rebuild-report.ts'
import { connect, createMissing } from './connection.ts'
import { assertOurs, isEmpty } from './layout/layout.ts'
import { assertSameFile, identify, identityOf, OpenFile } from './open-file.ts'
import { LongQueries } from './read/long-queries.ts'
import { migrate, recordText } from './layout/migrate.ts'
import type { MigrateOptions } from '../migrate-options.ts'
import { SqliteReader, type SqliteQueryOptions } from './read/reader.ts'
import { createRunner } from './steps.ts'
import { SqliteWriter } from './write/writer.ts'

/** With the `path` `:memory:` one connection does both, in turns. */
export async function openSqlite(
  path: string,
  options: MigrateOptions & Pick<SqliteQueryOptions, 'readers'> & { readonly file?: string | null },
): Promise<Database> {
  const inMemory = path === ':memory:'
  assertSameFile(path, options.file ?? null)
  createMissing(path)
  const identity = options.file ?? identityOf(path)
  const writing = connect(path, false, { identity })
  const file = new OpenFile(writing, path, identity)
  let reading: DatabaseSync
  try {
    file.assertSame()
    // Before any pragma: the journal mode is stored in the file, which may belong to another program.
    assertOurs(writing)
    writing.exec(fileSettings)
    // Before it is written, and before others open the file, so that they know whose log this is.
    file.claimLog()
    await migrate(writing, options, () => file.assertSame())
    if (!inMemory) identify(writing)
    file.claimLog()
    // From now on the writer waits for locks itself, without blocking the thread.
    writing.exec('pragma busy_timeout = 0')
    reading = inMemory ? writing : connect(path, true)
    file.assertSame()
  } catch (error) {
    file.leave()
    writing.close()
    throw error
  }
  const write = new SqliteWriter(writing, { ...options, file })
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

/** To be set before a file is initialised. */
export const fileSettings = 'pragma page_size = 8192; pragma journal_mode = wal; pragma synchronous = normal;'

/** Previews the rebuild of a file for other lexicons, through a read-only connection. */
export async function previewFile(path: string, options: PreviewOptions): Promise<RebuildReport> {
  using database = connect(path, true)
  if (isEmpty(database)) throw new Error('it is empty.')
  assertOurs(database)
  // One snapshot; closing ends it.
  database.exec('begin')
  return createRunner(database)(previewRebuild(options, recordText))
}
