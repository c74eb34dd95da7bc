/**
 * Rewrites a file. SQLite keeps deleted data in free pages until these are reused, in text indexes until their
 * segments are merged, and in former pages of the log: a compacted file contains none of it.
 */
import type { DatabaseSync } from 'node:sqlite'
import { databaseBusy } from '../../refusals.ts'
import type { Table } from '../../layout/tables.ts'
import { optimizeText, refreshCounts } from '../layout/ddl.ts'
import { untilFree } from '../steps.ts'
import { nextLeftover } from '../layout/generations.ts'

/** Milliseconds to wait for other processes' transactions. */
const lockTimeout = 30_000

/**
 * False while a reader uses former pages of the log, or during a rebuild, which later drops its own tables. `transact` runs
 * work in a transaction of its own.
 */
export async function compactFile(
  database: DatabaseSync,
  tables: readonly Table[],
  transact: (work: () => void) => Promise<void>,
): Promise<boolean> {
  if (nextLeftover(database) !== null) return false
  for (const text of tables.flatMap(({ texts }) => texts))
    await transact(() => database.exec(`${optimizeText(text)} ${refreshCounts(text)}`))
  for (const words of tables.flatMap((table) => table.words ?? []))
    await transact(() => database.exec(optimizeText(words)))
  // An in-memory database has no file.
  if (database.location() === null) return true
  const vacuumed = await untilFree(lockTimeout, () => {
    // VACUUM makes a temporary copy as large as the file.
    database.exec('pragma temp_store = file')
    try {
      database.exec('vacuum')
    } finally {
      database.exec('pragma temp_store = memory')
    }
    return true
  })
  if (!vacuumed) throw databaseBusy()
  return untilFree(lockTimeout, () => database.prepare('pragma wal_checkpoint(truncate)').get()?.busy === 0)
}
