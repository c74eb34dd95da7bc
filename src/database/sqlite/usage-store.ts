/** Adds the usage of keys to a file. It never waits for a lock, because the calling process also answers queries. */
import { DatabaseSync } from 'node:sqlite'
import { addUsage } from '../metadata/keys.ts'
import type { KeyUsage } from '../metadata/metadata-store.ts'
import { assertSameFile, identityOf, OpenFile } from './open-file.ts'
import { databaseBusy, ReplacedFileError } from '../refusals.ts'
import { createRunner, untilFree } from './steps.ts'

/** Milliseconds. */
const lockTimeout = 5_000

export async function addUsageToFile(
  path: string,
  usage: readonly KeyUsage[],
  today: number,
  identity: string | null,
): Promise<void> {
  const add = (): void => {
    const before = identity ?? identityOf(path)
    if (before === null) throw new ReplacedFileError(path, true)
    assertSameFile(path, before)
    using database = new DatabaseSync(path, { timeout: 0 })
    const file = new OpenFile(database, path, before)
    try {
      file.assertSame()
      database.exec('pragma synchronous = normal; begin immediate')
      file.claimLog()
      createRunner(database)(addUsage(usage, today))
      file.assertSame()
      database.exec('commit')
    } finally {
      file.leave()
    }
  }
  if (!(await untilFree(lockTimeout, add))) throw databaseBusy()
}
