/** One repository from its host, or from a file, into the database: fetched, verified in a thread, stored in chunks. */
import type { BatchOutcome, Change } from '../database/changes.ts'
import type { Writer } from '../database/database.ts'
import { accountOf, uriOf } from '../database/write/decide.ts'
import type { RepoJob } from '../database/metadata/metadata-store.ts'
import { addOutcome, noOutcome } from '../database/write/outcome.ts'
import { firstTidOf, latestMoment } from '../util/tid.ts'
import { compareRepo, type RepoComparison } from './comparison.ts'
import { whileBusy } from './retries.ts'
import type { NetworkReaderOptions } from './sources/change-reader.ts'
import type { Clock } from './sources/clock.ts'
import { HostError, type Hosts } from './sources/repos/hosts.ts'
import type { Identity } from './sources/repos/identity.ts'
import { askIfPds } from './sources/repos/pds.ts'
import { RepoError } from './sources/repos/repo-blocks.ts'
import {
  loadCar,
  openRepoThread,
  type ReadOptions,
  readRepo,
  type RepoThread,
} from './sources/repos/repo-export.ts'

export interface TransferOptions {
  readonly reader: NetworkReaderOptions
  readonly identity: Identity
  readonly clock: Clock
  readonly hosts: Hosts
  /** Microseconds since 1970; the database's own clock. */
  readonly now: () => bigint
  readonly signal: AbortSignal
  /** URIs of records that are not as they were stored, to be replaced by what their repositories have. */
  readonly damaged: ReadonlySet<string>
  /** Told after each chunk. */
  readonly onStored: (outcome: BatchOutcome) => void
}

export interface Transferred {
  readonly outcome: BatchOutcome
  /** Revisions that could not be, such as of the future; only who compares looks for them. */
  readonly forgotten: number
  /** URIs of records that are still not as the repository has them, because later versions are known. */
  readonly differing: readonly string[]
  /** How many of the repository's records were passed over for that, when it was last read. */
  readonly older: number
}

export interface Transfers extends AsyncDisposable {
  /** What became of its records; null when its host no longer has or shows it. Throws what `isFault` knows. */
  readonly fetch: (job: RepoJob) => Promise<Transferred | null>
  /** The repository in a CAR file. Throws what `isFault` knows, or an `InputError`. */
  readonly load: (path: string, kind: RepoJob['kind']) => Promise<Transferred>
}

/** Any number of transfers may go on at once, each with a thread. */
export function openTransfers(database: Writer, options: TransferOptions): Transfers {
  const { damaged, reader, identity, clock, hosts, now, signal, onStored } = options
  const idle: RepoThread[] = []
  const unrepaired = new Set(damaged)
  /** The row is written again in one transaction, so that the record is never missing. */
  const repairing = (change: Change): Change =>
    change.kind === 'put' && unrepaired.has(uriOf(change)) ? { ...change, repairs: true } : change

  const store = async (
    car: Uint8Array<ArrayBuffer>,
    { kind, ...what }: Pick<ReadOptions, 'did' | 'source'> & Pick<RepoJob, 'kind'>,
  ): Promise<Transferred> => {
    const thread = idle.pop() ?? openRepoThread(reader)
    const total = noOutcome()
    const collections = reader.tables.map(({ collection }) => collection.nsid)
    let comparison: RepoComparison | null = null
    let forgotten = 0
    let whole = false
    const apply = async (changes: readonly Change[]): Promise<void> => {
      const outcome = await whileBusy(signal, () => database.applyBatch(changes, 'repositories'))
      addOutcome(total, outcome)
      onStored(outcome)
    }
    try {
      for await (const changes of readRepo(thread, car, { ...what, identity, clock, signal })) {
        signal.throwIfAborted()
        const repo = kind === 'reconcile' && comparison === null ? repoOf(changes) : null
        if (repo !== null) {
          const { did } = repo
          comparison = compareRepo(database, did, collections)
          const latest = latestMoment(BigInt(Date.now()) * 1_000n, reader.maxClockSkew)
          forgotten = await whileBusy(signal, () =>
            database.metadata.forgetRevisions(did, firstTidOf(latest), collections),
          )
        }
        comparison?.add(changes)
        await apply(changes.map(repairing))
        for (const change of changes) if (change.kind === 'put') unrepaired.delete(uriOf(change))
      }
      whole = true
    } finally {
      // One that was left in the middle of a repository still holds it.
      if (whole) idle.push(thread)
      else await thread[Symbol.asyncDispose]()
    }
    if (comparison === null) return { outcome: total, forgotten, differing: [], older: total.older }
    const { compare } = comparison
    const { extra, uris } = await whileBusy(signal, compare)
    if (extra.length > 0) await apply(extra)
    const differing = extra.length > 0 ? (await whileBusy(signal, compare)).uris : uris
    return { outcome: total, forgotten, differing, older: total.older }
  }

  const storeFrom = async (
    host: string,
    { kind, did }: Pick<RepoJob, 'kind' | 'did'>,
    fetchCar: () => Promise<Uint8Array<ArrayBuffer>>,
  ): Promise<Transferred> => {
    const what = { kind, did, source: `repo-export:${host}` }
    const first = await store(await fetchCar(), what)
    if (kind !== 'reconcile' || first.differing.length + first.older === 0) return first
    // It may have been written to meanwhile, so that what is stored is newer.
    const second = await store(await fetchCar(), what)
    const outcome = noOutcome()
    for (const each of [first.outcome, second.outcome]) addOutcome(outcome, each)
    return { ...second, outcome, forgotten: first.forgotten + second.forgotten }
  }

  /** From the account's own host. */
  const fetchOwn = async (
    { kind, did }: Pick<RepoJob, 'kind' | 'did'>,
    pds: string,
    isPresent: boolean,
  ): Promise<Transferred | null> => {
    const eventAt = now()
    const stands = async (status: string | null): Promise<void> => {
      const change = { kind: 'account' as const, did, active: status === null, status, eventAt }
      await whileBusy(signal, () => database.applyBatch([change]))
    }
    try {
      const car = await hosts.fetchRepo(pds, did, signal)
      // A stream tells by itself who is back, and a relay may have hidden what the host has not.
      if (kind !== 'ingest') await stands(null)
      let once: Uint8Array<ArrayBuffer> | null = car
      return await storeFrom(pds, { kind, did }, async () => {
        const first = once
        once = null
        return first ?? (await hosts.fetchRepo(pds, did, signal))
      })
    } catch (error) {
      if (!(error instanceof HostError)) throw error
      // It may have been the account's host until an hour ago; then nothing that it says counts.
      const present = isPresent ? pds : (await identity.account(did, { fresh: true })).pds
      if (present === null) return null
      if (present !== pds) return fetchOwn({ kind, did }, present, true)
      if (error.code === 'RepoNotFound') {
        // Somebody has just heard of it, so that it is on its way, or gone with an event of its own.
        if (kind === 'ingest') throw new HostError(error.message, { code: error.code, cause: error })
        // Only who compares looks for what was deleted unheard.
        if (kind === 'backfill') return null
      }
      const status = hiddenBy.get(error.code ?? '')
      if (status === undefined) throw error
      await stands(status)
      return null
    }
  }

  const isPds = new Map<string, boolean | null>()
  /** A copy of somebody else's accounts that is kept up to date: an old one is left where an account has moved away. */
  const isRelay = async (host: string): Promise<boolean> => {
    const known = isPds.get(host) ?? (await askIfPds(host, identity.fetch, signal))
    isPds.set(host, known)
    return known !== true
  }

  return {
    fetch: async (job) => {
      const { did, host } = job
      const { pds } = await identity.account(did)
      if (host !== null && host !== pds && (pds === null || (await isRelay(host)))) {
        try {
          return await storeFrom(host, job, () => hosts.fetchRepo(host, did, signal))
        } catch (error) {
          // What a relay has no copy of, or a bad one, the account's own host has.
          const isItsOwn = error instanceof RepoError || (error instanceof HostError && !error.shouldRetry())
          if (pds === null || !isItsOwn) throw error
        }
      }
      return pds === null ? null : fetchOwn(job, pds, false)
    },
    load: async (path, kind) => store(await loadCar(path), { kind, did: null, source: path }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(idle.map((thread) => thread[Symbol.asyncDispose]()))
    },
  }
}

/** Whose changes these are and of which revision; null when none says, as the end of a repository always does. */
function repoOf(changes: readonly Change[]): { readonly did: string; readonly rev: string } | null {
  for (const change of changes) {
    if ((change.kind === 'put' || change.kind === 'repo-end') && change.rev !== null)
      return { did: change.did, rev: change.rev }
    if (change.kind === 'reject' && change.uri !== null && change.rev !== undefined)
      return { did: accountOf(change.uri), rev: change.rev }
  }
  return null
}

/** What a host answers when it does not show a repository (https://atproto.com/specs/account). */
const hiddenBy: ReadonlyMap<string, string> = new Map([
  ['RepoTakendown', 'takendown'],
  ['RepoSuspended', 'suspended'],
  ['RepoDeactivated', 'deactivated'],
  // Perhaps deleted, but a host may also have lost it for a while: its records wait.
  ['RepoNotFound', 'missing'],
])
