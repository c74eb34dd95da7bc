/** Brings one repository from its host or a file into the database: fetched, verified in a thread, stored in chunks. */
import type { BatchOutcome, Change } from '../database/changes.ts'
import { accountOf, uriOf, addOutcome, noOutcome } from '../database/changes.ts'
import type { Writer } from '../database/database.ts'
import type { RepoJob, RepoRecord } from '../database/metadata/metadata-store.ts'
import { formatCid } from '../lexicon/records/cid.ts'
import { firstTidOf, latestMoment, now as wallClock } from '../util/instant.ts'
import { whileBusy } from './retries.ts'
import type { Clock } from './sources/clock.ts'
import { HostError } from './sources/repos/hosts.ts'
import { askIfPds } from './sources/repos/pds.ts'
import { RepoError } from './sources/repos/repo-blocks.ts'
import type { ListOptions, ReadOptions, RepoThread } from './sources/repos/repo-export.ts'
import { loadCar, openRepoThread, readRepo } from './sources/repos/repo-export.ts'

export interface TransferOptions extends Pick<ListOptions, 'reader' | 'identity' | 'hosts' | 'signal'> {
  readonly clock: Clock
  /** Microseconds since 1970; the database's own clock. */
  readonly now: () => bigint
  /** URIs of records that are damaged in the database; the repository's versions replace them. */
  readonly damaged: ReadonlySet<string>
  /** Called after each chunk. */
  readonly onStored: (outcome: BatchOutcome) => void
}

export interface Transferred {
  readonly outcome: BatchOutcome
  /** Impossible revisions that were dropped, such as revisions of the future; 0 unless reconciling. */
  readonly forgotten: number
  /** URIs of records that still differ from the repository, because later versions are known. */
  readonly differing: readonly string[]
  /** Records of the repository that were skipped as older, when it was last read. */
  readonly older: number
  /** The revision of the repository; empty if it has none. */
  readonly rev: string
}

type Car = Uint8Array<ArrayBuffer>

export type Transfers = ReturnType<typeof openTransfers>

/** Any number of transfers may run at once, each with a thread. */
export function openTransfers(database: Writer, options: TransferOptions) {
  const { identity, hosts, now, signal } = options
  const repos = openRepoStore(database, options)
  const { collections } = repos
  /** `car`: as fetched from this host. The account's own host knows which deletions are true. */
  const storeFrom = async (host: string, { kind, did }: RepoJob, car: Car, isOwn = false) => {
    const what = { kind, did, source: `repo-export:${host}` }
    const first = await repos.store(car, what)
    const isAgain = kind === 'reconcile' || (kind === 'backfill' && isOwn)
    if (!isAgain || first.differing.length + first.older === 0) return first
    if (isOwn) await whileBusy(signal, () => database.metadata.forgetDeletions(did, first.rev, collections))
    // The repository may have changed during the fetch, so that stored records are newer.
    const second = await repos.store(await hosts.fetchRepo(host, did, signal), what)
    const outcome = noOutcome()
    for (const each of [first.outcome, second.outcome]) addOutcome(outcome, each)
    return { ...second, outcome, forgotten: first.forgotten + second.forgotten }
  }

  /** Fetches a repository from its account's own host; null when that no longer has or shows it. */
  const fetchOwn = async (job: RepoJob, pds: string, isPresent: boolean): Promise<Transferred | null> => {
    const { kind, did } = job
    const eventAt = now()
    const stands = async (status: string | null): Promise<void> => {
      const change = { kind: 'account' as const, did, active: status === null, status, eventAt }
      await whileBusy(signal, () => database.applyBatch([change]))
    }
    try {
      const car = await hosts.fetchRepo(pds, did, signal)
      // Streams report active accounts themselves, and a relay may hide an account that its host shows.
      if (kind !== 'ingest') await stands(null)
      return await storeFrom(pds, job, car, true)
    } catch (error) {
      if (!(error instanceof HostError)) throw error
      // The cached identity may be an hour old; the answer of a former host does not count.
      const present = isPresent ? pds : (await identity.account(did, { fresh: true })).pds
      if (present === null) return null
      if (present !== pds) return fetchOwn(job, present, true)
      if (error.code === 'RepoNotFound') {
        // An event just named the repository: it will appear, or its deletion will have an event of its own.
        if (kind === 'ingest') throw new HostError(error.message, { code: error.code, cause: error })
        // Only reconciling handles deletions without events.
        if (kind === 'backfill') return null
      }
      const status = hiddenBy.get(error.code ?? '')
      if (status === undefined) throw error
      await stands(status)
      return null
    }
  }

  const isPds = new Map<string, boolean | null>()
  /** A relay's copies are up to date; a PDS may have an old copy of an account that has moved away. */
  const isRelay = async (host: string): Promise<boolean> => {
    const known = isPds.get(host) ?? (await askIfPds(host, identity.fetch, signal))
    isPds.set(host, known)
    return known !== true
  }

  return {
    /** Outcomes of its records; null when its host no longer has or shows it. Throws a `Fault`. */
    fetch: async (job: RepoJob): Promise<Transferred | null> => {
      const { did, host } = job
      const { pds } = await identity.account(did)
      if (host !== null && host !== pds && (pds === null || (await isRelay(host)))) {
        try {
          return await storeFrom(host, job, await hosts.fetchRepo(host, did, signal))
        } catch (error) {
          // The relay has no copy or a bad one: try the account's own host.
          const isItsOwn = error instanceof RepoError || (error instanceof HostError && !error.shouldRetry())
          if (pds === null || !isItsOwn) throw error
        }
      }
      return pds === null ? null : fetchOwn(job, pds, false)
    },
    /** Stores the repository in a CAR file. Throws a `Fault` or an `InputError`. */
    load: async (path: string, kind: RepoJob['kind']): Promise<Transferred> =>
      repos.store(await loadCar(path), { kind, did: null, source: path }),
    [Symbol.asyncDispose]: repos[Symbol.asyncDispose],
  }
}

/** Verifies repositories in threads, and stores them in chunks. */
function openRepoStore(
  database: Writer,
  { damaged, reader, identity, clock, signal, onStored }: TransferOptions,
) {
  const idle: RepoThread[] = []
  const unrepaired = new Set(damaged)
  /** Marks the repair of a damaged record: one transaction rewrites the row, so that the record is never missing. */
  const repairing = (change: Change): Change =>
    change.kind === 'put' && unrepaired.has(uriOf(change)) ? { ...change, repairs: true } : change

  const collections = reader.tables.map(({ collection }) => collection.nsid)
  const store = async (
    car: Car,
    { kind, ...what }: Pick<ReadOptions, 'did' | 'source'> & Pick<RepoJob, 'kind'>,
  ): Promise<Transferred> => {
    const thread = idle.pop() ?? openRepoThread(reader)
    const total = noOutcome()
    let comparison: ReturnType<typeof compareRepo> | null = null
    let forgotten = 0
    let rev = ''
    const apply = async (changes: readonly Change[]): Promise<void> => {
      const outcome = await whileBusy(signal, () => database.applyBatch(changes, 'repositories'))
      addOutcome(total, outcome)
      onStored(outcome)
    }
    try {
      for await (const changes of readRepo(thread, car, { ...what, identity, clock, signal })) {
        signal.throwIfAborted()
        const did = kind === 'reconcile' && comparison === null ? accountIn(changes) : null
        if (did !== null) {
          comparison = compareRepo(database, did, collections)
          const latest = latestMoment(wallClock(), reader.maxClockSkew)
          forgotten = await whileBusy(signal, () =>
            database.metadata.forgetRevisions(did, firstTidOf(latest), collections),
          )
        }
        comparison?.add(changes)
        for (const change of changes) if (change.kind === 'repo-end') rev = change.rev
        await apply(changes.map(repairing))
        for (const change of changes) if (change.kind === 'put') unrepaired.delete(uriOf(change))
      }
    } catch (error) {
      // A thread that was interrupted still holds its repository.
      await thread[Symbol.asyncDispose]()
      throw error
    }
    idle.push(thread)
    if (comparison === null) return { outcome: total, forgotten, differing: [], older: total.older, rev }
    const { compare } = comparison
    const compared = () => whileBusy(signal, () => compare(rev))
    const { extra, uris } = await compared()
    if (extra.length > 0) await apply(extra)
    const differing = extra.length > 0 ? (await compared()).uris : uris
    return { outcome: total, forgotten, differing, older: total.older, rev }
  }

  return {
    collections,
    store,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await Promise.all(idle.map((thread) => thread[Symbol.asyncDispose]()))
    },
  }
}

/**
 * Compares the stored records of an account with its repository, record by record. Comparing revisions is not enough:
 * a wrong revision outranks all versions that could replace it.
 */
function compareRepo({ metadata }: Writer, did: string, collections: readonly string[]) {
  /** CIDs by URI. */
  const held = new Map<string, string>()
  return {
    add: (changes: readonly Change[]): void => {
      for (const change of changes) if (change.kind === 'put') held.set(uriOf(change), formatCid(change.cid))
    },
    /**
     * Reads the stored records, after the whole repository was added. `rev`: of the repository. `extra`: deletions of
     * stored records that it does not have and that are not newer. `uris`: of stored records that differ, including these.
     */
    compare: async (rev: string) => {
      const stored = await metadata.readRepoRecords(did, collections)
      const differing = stored.filter((record) => held.get(uriOf({ did, ...record })) !== cidOf(record))
      return {
        extra: differing
          .filter((record) => !held.has(uriOf({ did, ...record })) && (record.rev ?? '') <= rev)
          .map(({ collection, rkey }) => ({ kind: 'delete' as const, did, collection, rkey, rev })),
        uris: differing.map((record) => uriOf({ did, ...record })),
      }
    },
  }
}

function cidOf({ cid }: RepoRecord): string {
  return cid instanceof Uint8Array ? formatCid(cid) : String(cid)
}

/** The account of the changes; null when no change has it. The end of a repository always has. */
function accountIn(changes: readonly Change[]): string | null {
  for (const change of changes) {
    if (change.kind === 'put' || change.kind === 'repo-end') return change.did
    if (change.kind === 'reject' && change.uri !== null) return accountOf(change.uri)
  }
  return null
}

/** Account statuses by error code of a host that does not show a repository (https://atproto.com/specs/account). */
const hiddenBy: ReadonlyMap<string, string> = new Map([
  ['RepoTakendown', 'takendown'],
  ['RepoSuspended', 'suspended'],
  ['RepoDeactivated', 'deactivated'],
  // Perhaps deleted, but a host may have lost it temporarily: its records are hidden, not deleted.
  ['RepoNotFound', 'missing'],
])
