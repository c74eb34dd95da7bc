/**
 * Adds the usage of keys to a file that other processes write to. The connection exists for that alone and never waits
 * for a lock, because the calling process also answers queries.
 */
import { realpathSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { addUsage } from '../metadata/keys.ts'
import type { KeyUsage } from '../metadata/metadata-store.ts'
import { isBusy } from './failures.ts'
import { assertSameFile, claimLog } from './open-file.ts'
import { createRunner } from './steps.ts'

/** Milliseconds between attempts, and their number. */
const between = 50
const attempts = 100

/** Fails when the file stays locked for five seconds. */
export async function addUsageToFile(
  path: string,
  usage: readonly KeyUsage[],
  today: number,
  identity: string | null,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      assertSameFile(path, identity)
      return addNow(path, usage, today)
    } catch (error) {
      if (!isBusy(error) || attempt === attempts) throw error
      await pause(between)
    }
  }
}

function addNow(path: string, usage: readonly KeyUsage[], today: number): void {
  using database = new DatabaseSync(path, { timeout: 0 })
  database.exec('pragma synchronous = normal; begin immediate')
  claimLog(database, realpathSync(path))
  createRunner(database)(addUsage(usage, today))
  database.exec('commit')
}
