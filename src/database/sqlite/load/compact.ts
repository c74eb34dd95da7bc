/**
 * Writes a file anew. SQLite leaves what was deleted in free space until that is used again, trigram indexes keep
 * entries of it until their parts are merged, and the log has former pages: afterwards none of that is left.
 */
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseBusyError } from '../../database.ts'
import type { Table } from '../../layout/tables.ts'
import { optimizeText, refreshCounts } from '../layout/ddl.ts'
import { isBusy } from '../failures.ts'
import { nextLeftover } from '../layout/generations.ts'

export interface CompactOptions {
  readonly tables: readonly Table[]
  /** Each time a transaction of its own. */
  readonly transact: (work: () => void) => Promise<void>
}

/** Milliseconds that others' transactions are waited for, and between two attempts. */
const lockTimeout = 30_000
const rest = 20

/** False when somebody still reads what was in the log, or a rebuild is under way, which removes it from its own tables later. */
export async function compactFile(
  database: DatabaseSync,
  { tables, transact }: CompactOptions,
): Promise<boolean> {
  if (nextLeftover(database) !== null) return false
  for (const text of tables.flatMap(({ texts }) => texts))
    await transact(() => database.exec(`${optimizeText(text)} ${refreshCounts(text)}`))
  // In memory there is no file to read it from.
  if (database.location() === null) return true
  const vacuumed = await untilFree(() => {
    // The copy that it makes on the way is as large as the file.
    database.exec('pragma temp_store = file')
    try {
      database.exec('vacuum')
    } finally {
      database.exec('pragma temp_store = memory')
    }
    return true
  })
  if (!vacuumed)
    throw new DatabaseBusyError('Another process is writing to the database. Try again when it is done.')
  return untilFree(() => database.prepare('pragma wal_checkpoint(truncate)').get()?.busy === 0)
}

async function untilFree(work: () => boolean): Promise<boolean> {
  for (const end = performance.now() + lockTimeout; performance.now() < end; await pause(rest)) {
    try {
      if (work()) return true
    } catch (error) {
      if (!isBusy(error)) throw error
    }
  }
  return false
}
