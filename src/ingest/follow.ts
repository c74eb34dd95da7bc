/** Follows several sources at once, and runs the background work that their events cause. */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Writer } from '../database/database.ts'
import type { IngestLog } from './log.ts'
import { pump, type FloodGuard } from './pump.ts'
import { whileBusy } from './retries.ts'
import type { Source } from './source.ts'

export interface FollowOptions {
  readonly signal: AbortSignal
  readonly log: IngestLog
  readonly flood: FloodGuard
  /** Background work while sources are followed, such as verifying handles; ends when its signal is aborted. */
  readonly beside: readonly ((signal: AbortSignal) => Promise<void>)[]
}

/** Ends when all sources have ended, the signal is aborted, or a source or the background work throws. */
export async function follow(
  sources: readonly Source[],
  database: Writer,
  { signal, log, flood, beside }: FollowOptions,
): Promise<void> {
  const stop = new AbortController()
  const until = AbortSignal.any([signal, stop.signal])
  const failOnce = async (work: Promise<void>): Promise<void> => {
    try {
      await work
    } catch (error) {
      stop.abort()
      throw error
    }
  }
  const pumps = sources.map((source) => failOnce(pump(source, database, { signal: until, log, flood })))
  const others = [settle(database, until), ...beside.map((work) => work(until))].map(failOnce)
  const ended = Promise.allSettled(pumps).finally(() => stop.abort())
  // Awaited together, because an unhandled rejection ends the process.
  const all = await Promise.all([ended, Promise.allSettled(others)])
  const failed = all.flat().find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/** Rows per transaction; small, so that events do not wait long. */
const rowsAtOnce = 200

/** Moves rows of accounts into or out of quarantine as they are hidden or shown again. */
async function settle(database: Writer, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const moved = await whileBusy(signal, () => database.metadata.settleAccounts(rowsAtOnce))
    if (moved > 0) await nextTurn()
    else await pause(1000, undefined, { signal }).catch(() => {})
  }
}
