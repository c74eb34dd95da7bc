/**
 * Follows several sources at once, with the background work that their events cause: stores the deliveries of each in
 * order, at least once. It writes batches one after the other, so that the cursor never passes an unstored change; a slow
 * database slows the source. A flood of one account is cut off before it.
 */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { DatabaseBusyError, type Writer } from '../database/database.ts'
import type { Change, SourceState } from '../database/changes.ts'
import { grouped, untilAborted } from './channel.ts'
import type { IngestLog } from './log.ts'
import { whileBusy } from './retries.ts'
import type { Delivery, Source, SourceContext } from './source.ts'

/** Returns the change itself, nothing, or a rejection and a request for the repository. */
export type FloodGuard = (change: Change) => readonly Change[]

export interface PumpOptions {
  readonly signal: AbortSignal
  readonly log: IngestLog
  readonly flood: FloodGuard
}

/** Changes per transaction, unless a single delivery has more. */
const batchSize = 500
/** Changes that may wait for the database before the source must wait. */
const queueSize = 2_000
/** Milliseconds between two writes of the source's state. */
const heartbeat = 5_000

/** Milliseconds after a signal to stop in which deliveries that wait are still stored. */
const stopTime = 10_000

/** Ends with the source or, once aborted, when earlier deliveries are stored or `stopTime` is over. */
export async function pump(source: Source, database: Writer, options: PumpOptions): Promise<void> {
  const { signal, log } = options
  const flood: FloodGuard = source.crowded === true ? options.flood : (change) => [change]
  let cursor = await whileBusy(signal, () => database.metadata.readCursor(source.name))
  // Not created before the read above, which may fail: its timer runs until `end` is called.
  const report = createReport(source.name, database, options)
  const context: Omit<SourceContext, 'signal'> = {
    cursor: () => cursor,
    onState: report.state,
    onNotice: (text) => log.warn(`${source.name}: ${text}`),
  }
  const receive = async function* (signal: AbortSignal): AsyncGenerator<Delivery> {
    for await (const delivery of source.deliveries({ ...context, signal })) {
      report.events(delivery.events)
      yield delivery
    }
  }
  let stopAt = Number.POSITIVE_INFINITY
  signal.addEventListener('abort', () => (stopAt = performance.now() + stopTime))
  const open = (signal: AbortSignal) =>
    grouped(receive(signal), queueSize, ({ changes }) => changes.length + 1)
  try {
    for await (const waiting of untilAborted(signal, open)) {
      for (const batch of batches(waiting)) {
        if (performance.now() > stopAt) break
        const changes = batch.flatMap((delivery) => delivery.changes.flatMap(flood))
        const mark = {
          source: source.name,
          cursor: batch.findLast((delivery) => delivery.cursor !== null)?.cursor ?? null,
          eventAt: batch.findLast((delivery) => delivery.eventAt !== null)?.eventAt ?? null,
        }
        const durable = batch.some(({ acknowledge }) => acknowledge !== undefined)
        await whileBusy(signal, () => database.applyBatch(changes, mark, { durable }))
        cursor = mark.cursor ?? cursor
        log.refusals(source.name, changes)
        for (const { acknowledge } of batch) await acknowledge?.()
      }
      if (performance.now() > stopAt) break
    }
    await report.end(signal.aborted ? 'stopped' : 'finished', null)
  } catch (error) {
    await report.end('stopped', error instanceof Error ? error.message : String(error))
    throw error
  }
}

/** Combines deliveries into batches; a delivery is never split. */
function* batches(deliveries: readonly Delivery[]): Generator<readonly Delivery[]> {
  let batch: Delivery[] = []
  let size = 0
  for (const delivery of deliveries) {
    if (batch.length > 0 && size + delivery.changes.length > batchSize) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(delivery)
    size += delivery.changes.length
  }
  if (batch.length > 0) yield batch
}

/** Writes the state of a source to the database, and its changes to the log. */
function createReport(name: string, database: Writer, { log, signal }: PumpOptions) {
  let state: SourceState = 'connecting'
  let detail: string | null = null
  let events = 0
  let since = performance.now()
  let rate = 0
  const save = async (): Promise<void> => {
    const elapsed = performance.now() - since
    if (elapsed >= heartbeat / 2) {
      rate = Math.round((events / elapsed) * 10_000) / 10
      events = 0
      since = performance.now()
    }
    await database.metadata.writeState(name, state, detail, rate)
  }
  const complain = (error: unknown): void => {
    if (!(error instanceof DatabaseBusyError)) log.error(`${name}: ${String(error)}`)
  }
  /** A failed write is repeated with the next heartbeat; a source without heartbeats counts as stopped. */
  const trySave = (): void => {
    save().catch(complain)
  }
  const timer = setInterval(trySave, heartbeat)
  return {
    events: (count: number): void => {
      events += count
    },
    state: (next: SourceState, why: string | null): void => {
      if (next === state && why === detail) return
      if (next === 'unavailable') log.warn(`${name} is unavailable: ${why ?? 'no reason is known.'}`)
      if (next === 'live' && state !== next) log.info(`${name} is live.`)
      state = next
      detail = why
      trySave()
    },
    end: async (last: SourceState, why: string | null): Promise<void> => {
      clearInterval(timer)
      await whileBusy(signal, () => database.metadata.writeState(name, last, why, 0)).catch(complain)
    },
  }
}

/** Microseconds. */
const minute = 60_000_000n
/** From a flood until the repository is fetched. */
const calm = 10n * minute

/**
 * Limits the records of one account per minute, so that a flood does not delay other accounts. Excess records are
 * skipped, and the whole repository is fetched afterwards, so that nothing is lost. `now`: microseconds.
 */
export function createFloodGuard(limit: number, now: () => bigint): FloodGuard {
  let started = 0n
  const counts = new Map<string, number>()
  return (change) => {
    const did = authorOf(change)
    if (did === null) return [change]
    const at = now()
    if (at - started >= minute || at < started) {
      started = at
      counts.clear()
    }
    const count = (counts.get(did) ?? 0) + 1
    counts.set(did, count)
    if (count <= limit) return [change]
    if (count > limit + 1) return []
    const message = `More than ${limit} records of ${did} came within a minute; the rest is passed over.`
    const record = JSON.stringify({ did, limit })
    return [
      { kind: 'reject', source: 'flood', uri: null, reason: 'flood', message, record },
      { kind: 'repo-request', did, reason: 'It sent too much at once.', dueAt: at + calm },
    ]
  }
}

function authorOf(change: Change): string | null {
  if (change.kind === 'put' || change.kind === 'delete') return change.did
  return change.kind === 'reject' ? (change.uri?.split('/')[2] ?? null) : null
}

export interface FollowOptions extends PumpOptions {
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
