/**
 * Fetches whole repositories: those of the given targets and those of the job queue. A repository remains a job in the
 * queue until all of it is stored, so that a crash loses nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type BatchOutcome, addOutcome, noOutcome } from '../database/changes.ts'
import type { Damage } from '../database/verify/verify-counts.ts'
import type { Writer } from '../database/database.ts'
import type { JobKind, RepoJob } from '../database/metadata/metadata-store.ts'
import { retryDelay, whileBusy } from './retries.ts'
import { HostError } from './sources/repos/hosts.ts'
import { InputError } from './sources/files/lines.ts'
import { Fault } from './sources/repos/fault.ts'
import { listTarget, type Target, type TargetPage } from './sources/repos/repo-export.ts'
import { openTransfers, type Transferred, type TransferOptions, type Transfers } from './transfer.ts'
import { counted } from '../util/text/counted.ts'

export interface FetchOptions extends Omit<TransferOptions, 'onStored' | 'damaged'> {
  readonly kind: JobKind
  /** For `reconcile`: lists stored data that does not match the stored records. */
  readonly findDamage?: () => Promise<readonly Damage[]>
  /** In addition to queued jobs. `reconcile` without accounts takes all accounts that have records here. */
  readonly targets: readonly Target[]
  /** `idle`: ends when no work is left. `aborted`: processes incoming jobs until the signal is aborted. */
  readonly until: 'idle' | 'aborted'
  /** Number of repositories at once, each with a thread and in memory while it is read, up to 512 MiB. */
  readonly parallel: number
  readonly onProgress?: (progress: FetchProgress) => void
  readonly onNotice: (text: string) => void
}

export interface FetchProgress {
  /** Number of accounts that targets have listed so far. */
  readonly listed: number
  /** Number of repositories, including those that are gone. */
  readonly done: number
  readonly failed: number
  readonly records: number
  /** DIDs and paths in progress. */
  readonly current: readonly string[]
}

export type FetchResult = ReturnType<Counters['result']>

export interface Failure {
  /** A DID, a path, or a target. */
  readonly name: string
  readonly error: string
}

/** Attempts per repository or page: for half a day, unless a command waits for the end. */
const attempts: Readonly<Record<FetchOptions['until'], number>> = { idle: 5, aborted: 12 }
/** Milliseconds before the second attempt. */
const firstDelay = 5_000
/** Milliseconds between two polls for jobs. */
const pollInterval = 1_000
/** Maximum pause, in milliseconds, that a host may ask for while a command waits for the end. */
const longestWait = 600_000
const keptDifferences = 100
const keptUris = 10
/** Accounts added to the job queue per transaction. */
const actorsAtOnce = 1_000
/** Maximum number of accounts to remember, so that an account is not fetched once per collection. */
const remembered = 1_000_000

/** Faults of the network are reported in the result and in the job queue; a thrown error is a bug of ours. */
export async function fetchRepositories(database: Writer, options: FetchOptions): Promise<FetchResult> {
  const { kind, targets } = options
  const { metadata } = database
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const underWay = new Map<string, Promise<unknown>>()
  const counters = createCounters((counts) =>
    options.onProgress?.({ ...counts, current: [...underWay.keys()] }),
  )
  const isOfAll = targets.every((target) => target.kind === 'host')
  const { findDamage = async () => [] } = kind === 'reconcile' && isOfAll ? options : {}
  const damage = await findDamage()
  const damaged = new Set(damage.map(({ name }) => name))
  await using transfers = openTransfers(database, { ...options, signal, damaged, onStored: counters.stored })
  await fetchAll(database, { ...options, signal }, counters, transfers, { underWay, stop })
  // Failed jobs of streams are not listed: they stay in the queue, and there may be many.
  if (kind === 'ingest') return counters.result([], options.signal.aborted)
  const failed = await whileBusy(options.signal, () => metadata.failedJobs(kind))
  const result = counters.result(
    failed.map(({ did, error }) => ({ name: did, error })),
    options.signal.aborted,
  )
  if (result.complete) await whileBusy(options.signal, () => metadata.endRun(kind))
  if (damage.length === 0) return result
  const left = await findDamage()
  const names = new Set(left.map(({ name }) => name))
  return { ...result, damage: left, repaired: damage.filter(({ name }) => !names.has(name)) }
}

/** Fetches what targets list and what is due in the job queue. An unexpected error ends the whole run. */
async function fetchAll(
  database: Writer,
  options: FetchOptions,
  counters: Counters,
  transfers: Transfers,
  { underWay, stop }: { readonly underWay: Map<string, Promise<unknown>>; readonly stop: AbortController },
): Promise<void> {
  const { kind, targets, until, parallel, signal } = options
  const { metadata } = database
  const { doJob, doFile } = createTasks(database, options, counters, transfers)
  const call = <Result>(work: () => Promise<Result>): Promise<Result> => whileBusy(signal, work)
  const failures: unknown[] = []
  const watch = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      if (!signal.aborted) failures.push(error)
      stop.abort()
    })
  const begin = (name: string, work: Promise<void>): void =>
    void underWay.set(
      name,
      watch(work).finally(() => underWay.delete(name)),
    )
  const files = targets.flatMap((target) => (target.kind === 'file' ? [target.name] : []))
  const pages = listJobs(database, options, counters)
  const listing: { next: Promise<unknown> | null; ended: boolean } = { next: null, ended: false }
  const listNext = async (): Promise<void> => {
    const { done } = await pages.next()
    listing.next = null
    listing.ended = done === true
  }
  try {
    while (!signal.aborted) {
      if (!listing.ended) listing.next ??= watch(listNext())
      for (const path of files.splice(0, parallel - underWay.size)) begin(path, doFile(path))
      const free = parallel - underWay.size
      // Jobs in progress are still due.
      const due = free > 0 ? await call(() => metadata.dueJobs(kind, parallel)) : []
      for (const job of due.filter(({ did }) => !underWay.has(did)).slice(0, free)) begin(job.did, doJob(job))
      const waiting = [...underWay.values()]
      // A page may have ended meanwhile without adding accounts, so the next page is awaited too.
      if (!listing.ended) waiting.push((listing.next ??= watch(listNext())))
      if (waiting.length === 0 && until === 'idle' && (await call(() => metadata.nextJobAt(kind))) === null)
        break
      if (underWay.size < parallel) waiting.push(sleep(pollInterval, undefined, { signal }))
      await Promise.race(waiting)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    stop.abort()
    await Promise.all([...underWay.values(), listing.next])
  }
  if (failures.length > 0) throw failures[0]
}

function createTasks({ metadata }: Writer, options: FetchOptions, counters: Counters, transfers: Transfers) {
  const { kind, signal, onNotice } = options
  const finish = (name: string, transferred: Transferred | null): void => {
    counters.done(name, transferred)
    const older = transferred?.older ?? 0
    // A comparison lists them with what differs.
    if (older === 0 || kind === 'reconcile') return
    onNotice(
      `${name}: ${counted(older, 'record')} ${older === 1 ? 'was' : 'were'} passed over as older than what is stored here; \`lexigraph reconcile\` looks into it.`,
    )
  }
  return {
    async doJob(job: RepoJob): Promise<void> {
      try {
        const transferred = await transfers.fetch(job)
        await whileBusy(signal, () => metadata.finishJob(job))
        finish(job.did, transferred)
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof Fault)) throw error
        const { dueAt, message } = nextAttempt(job, error, options)
        await whileBusy(signal, () => metadata.failJob(job, message, dueAt))
        if (dueAt === null) counters.failed()
      }
    },
    async doFile(path: string): Promise<void> {
      try {
        finish(path, await transfers.load(path, kind))
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof Fault || error instanceof InputError)) throw error
        counters.failed({ name: path, error: error.message })
      }
    },
  }
}

/** `dueAt`: microseconds; null when no attempts are left, for the reason in `message`. */
function nextAttempt(
  job: RepoJob,
  error: Fault,
  { until, now }: FetchOptions,
): { readonly dueAt: bigint | null; readonly message: string } {
  const { message } = error
  const failures = job.attempts + 1
  if (!error.shouldRetry() || failures >= attempts[until]) return { dueAt: null, message }
  const retryAt = error instanceof HostError ? error.retryAt : null
  const asked = retryAt === null ? 0 : retryAt - Date.now()
  if (retryAt !== null && until === 'idle' && asked > longestWait) {
    const at = new Date(retryAt).toISOString()
    return { dueAt: null, message: `${message} The host wants to be asked again at ${at}.` }
  }
  const wait = Math.round(Math.max(asked, retryDelay(firstDelay, failures)))
  return { dueAt: now() + BigInt(wait) * 1_000n, message }
}

/** Adds the accounts of the targets to the job queue, page by page; counts failures to list them. */
async function* listJobs(
  { metadata }: Writer,
  options: FetchOptions,
  counters: Counters,
): AsyncGenerator<undefined> {
  const { kind, targets, until, signal, onNotice } = options
  const { publishers } = options.reader
  const seen = new Set<string>()
  const call = <Result>(work: () => Promise<Result>): Promise<Result> => whileBusy(signal, work)
  const add = async (name: string, host: string | null, { dids, cursor }: TargetPage): Promise<void> => {
    const jobs = dids
      .filter((did) => !seen.has(did))
      .map((did) => ({ did, host, reason: `The ${kind} of ${name} has it.` }))
    await call(() => metadata.addJobs(kind, jobs, { target: name, cursor, done: cursor === null }))
    for (const { did } of jobs) if (seen.size < remembered) seen.add(did)
    counters.listed(jobs.length)
  }

  const all = 'all accounts'
  const takesAll = kind === 'reconcile' && targets.every((target) => target.kind === 'host')
  const begun = takesAll ? await call(() => metadata.readListing(kind, all)) : null
  if (takesAll && begun?.done !== true)
    for (let after: string | null = begun?.cursor ?? null; ; ) {
      const dids: readonly string[] = await call(() => metadata.readActors(actorsAtOnce, after))
      after = dids.at(-1) ?? null
      await add(all, null, { dids: dids.filter((did) => publishers?.has(did) ?? true), cursor: after })
      yield
      if (after === null) break
    }
  for (const target of targets) {
    if (target.kind === 'file') continue
    const known = await call(() => metadata.readListing(kind, target.name))
    if (known?.done === true) continue
    try {
      const listing = { ...options, attempts: attempts[until], onFailure: onNotice }
      for await (const page of listTarget(target, known?.cursor ?? null, listing)) {
        await add(target.name, target.kind === 'host' ? target.name : null, page)
        yield
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof Fault || error instanceof InputError)) throw error
      counters.unlisted({ name: target.name, error: error.message }, error instanceof Fault)
    }
  }
}

type Counters = ReturnType<typeof createCounters>

function createCounters(onProgress: (counts: Omit<FetchProgress, 'current'>) => void) {
  const counts = { listed: 0, done: 0, failed: 0, records: 0 }
  const differences: (Pick<BatchOutcome, 'stored' | 'updated' | 'deleted'> & Pick<Failure, 'name'>)[] = []
  const unsettled: { readonly name: string; readonly records: number; readonly uris: readonly string[] }[] =
    []
  const failures: Failure[] = []
  const outcome = noOutcome()
  let forgotten = 0
  let differing = 0
  let gone = 0
  let interrupted = false
  const count = (name: keyof typeof counts, by: number): void => {
    counts[name] += by
    onProgress(counts)
  }
  return {
    listed: (accounts: number) => count('listed', accounts),
    stored: (some: BatchOutcome) => {
      addOutcome(outcome, some)
      const { deleted: _, ...read } = some
      const records = Object.values(read).reduce((sum, each) => sum + each, 0)
      count('records', records)
    },
    /** `transferred` is null when the repository is gone. */
    done: (name: string, transferred: Transferred | null) => {
      if (transferred === null) gone += 1
      else {
        const { stored, updated, deleted } = transferred.outcome
        const { differing: uris, older } = transferred
        forgotten += transferred.forgotten
        if (stored + updated + deleted > 0) {
          differing += 1
          if (differences.length < keptDifferences) differences.push({ name, stored, updated, deleted })
        }
        const records = Math.max(uris.length, older)
        if (records > 0 && unsettled.length < keptDifferences)
          unsettled.push({ name, records, uris: uris.slice(0, keptUris) })
      }
      count('done', 1)
    },
    /** After the last attempt; a job stays in the queue with its error. */
    failed: (failure?: Failure) => {
      if (failure !== undefined) failures.push(failure)
      count('failed', 1)
    },
    /** `passing`: a later run may succeed. */
    unlisted: (failure: Failure, passing: boolean) => {
      failures.push(failure)
      interrupted ||= passing
    },
    result: (failedJobs: readonly Failure[], aborted: boolean) => ({
      outcome,
      /** Number of repositories that were read, and of those that differed from the stored records. */
      read: counts.done - gone,
      differing,
      /** Up to a hundred differing repositories with the missed creations, updates and deletions. */
      differences,
      /** Impossible revisions that were dropped, such as revisions of the future. */
      forgotten,
      /** Up to a hundred repositories whose stored records (up to ten URIs) still differ, as later versions are known. */
      unsettled,
      /** Damage that was repaired, and damage that remains; only when all accounts are reconciled. */
      repaired: [] as readonly Damage[],
      damage: [] as readonly Damage[],
      /** Number of repositories that their hosts no longer have or show. */
      gone,
      failed: [...failedJobs, ...failures],
      /** Whether all targets were listed and all repositories tried; if not, the next run resumes. */
      complete: !aborted && !interrupted,
    }),
  }
}
