/** Follows several sources at once, and does beside them what their events leave to be done. */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Writer } from '../database/database.ts'
import type { IngestLog } from './log.ts'
import type { FloodGuard } from './flood.ts'
import { pump } from './pump.ts'
import { whileBusy } from './retries.ts'
import type { Source } from './source.ts'

export interface FollowOptions {
  readonly signal: AbortSignal
  readonly log: IngestLog
  readonly flood: FloodGuard
  /** What goes on as long as sources are followed, such as looking handles up; each ends when its signal is aborted. */
  readonly beside: readonly ((signal: AbortSignal) => Promise<void>)[]
}

/** Ends when all sources are at their end, or the signal is aborted, or something of our own fails. */
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
  // Together, because a failure that nobody waits for ends the process where it is.
  const all = await Promise.all([ended, Promise.allSettled(others)])
  const failed = all.flat().find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/** Rows that one transaction moves, so that events need not wait long. */
const rowsAtOnce = 200

/** Moves rows of accounts that were hidden or came back, whenever there are some. */
async function settle(database: Writer, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const moved = await whileBusy(signal, () => database.metadata.settleAccounts(rowsAtOnce))
    if (moved > 0) await nextTurn()
    else await pause(1000, undefined, { signal }).catch(() => {})
  }
}
