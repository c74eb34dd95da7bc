/** Another process between two statements of this one. No time is needed: SQLite runs statements where they are called. */
import { DatabaseSync } from 'node:sqlite'
import { mock } from 'node:test'
import type { Change } from '../../../src/database/database.ts'
import { connect } from '../../../src/database/sqlite/connection.ts'
import { transact } from '../../../src/database/sqlite/steps.ts'
import { SqliteWriter, type SqliteWriterOptions } from '../../../src/database/sqlite/write/writer.ts'

/** Does the work, and the interruption before the statement of that number that it prepares, if there are so many. */
export async function interrupted<Result>(
  statement: number,
  interruption: () => void,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly wasInterrupted: boolean }> {
  const { prepare } = DatabaseSync.prototype
  let prepared = 0
  type Given = Parameters<DatabaseSync['prepare']>
  const mocked = mock.method(
    DatabaseSync.prototype,
    'prepare',
    function (this: DatabaseSync, ...given: Given) {
      prepared += 1
      // The statements of the interruption itself come after this number.
      if (prepared === statement) interruption()
      return prepare.apply(this, given)
    },
  )
  try {
    const result = await work()
    return { result, wasInterrupted: prepared >= statement }
  } finally {
    mocked.mock.restore()
  }
}

/** Writes in a transaction on a connection of its own, as another process would, before the call returns. */
export function writeAtOnce(path: string, work: (database: DatabaseSync) => void): void {
  const database = connect(path, false)
  try {
    database.exec('pragma synchronous = off')
    transact(database, () => work(database))
  } finally {
    database.close()
  }
}

export function applyAtOnce(path: string, options: SqliteWriterOptions, changes: readonly Change[]): void {
  writeAtOnce(path, (database) => new SqliteWriter(database, options).applyWithin(changes))
}
