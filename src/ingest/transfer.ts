/** One repository from its host, or from a file, into the database: fetched, verified in a thread, stored in chunks. */
import type { BatchOutcome } from '../database/changes.ts'
import type { Writer } from '../database/database.ts'
import type { RepoJob } from '../database/ledger.ts'
import { addOutcome, noOutcome } from '../database/outcome.ts'
import { whileBusy } from './retries.ts'
import type { NetworkReaderOptions } from './sources/change-reader.ts'
import type { Clock } from './sources/clock.ts'
import { HostError, type Hosts } from './sources/hosts.ts'
import type { Identity } from './sources/identity.ts'
import { askIfPds } from './sources/pds.ts'
import { RepoError } from './sources/repo-blocks.ts'
import {
  loadCar,
  openRepoThread,
  type ReadOptions,
  readRepo,
  type RepoThread,
} from './sources/repo-export.ts'

export interface TransferOptions {
  readonly reader: NetworkReaderOptions
  readonly identity: Identity
  readonly clock: Clock
  readonly hosts: Hosts
  /** Microseconds since 1970; the database's own clock. */
  readonly now: () => bigint
  readonly signal: AbortSignal
  /** Told after each chunk. */
  readonly onStored: (outcome: BatchOutcome) => void
}

export interface Transfers extends AsyncDisposable {
  /** What became of its records; null when its host no longer has or shows it. Throws what `isFault` knows. */
  readonly fetch: (job: RepoJob) => Promise<BatchOutcome | null>
  /** The repository in a CAR file. Throws what `isFault` knows, or an `InputError`. */
  readonly load: (path: string) => Promise<BatchOutcome>
}

/** Any number of transfers may go on at once, each with a thread. */
export function openTransfers(database: Writer, options: TransferOptions): Transfers {
  const { reader, identity, clock, hosts, now, signal, onStored } = options
  const idle: RepoThread[] = []

  const store = async (
    car: Uint8Array<ArrayBuffer>,
    what: Pick<ReadOptions, 'did' | 'source'>,
  ): Promise<BatchOutcome> => {
    const thread = idle.pop() ?? openRepoThread(reader)
    const total = noOutcome()
    let whole = false
    try {
      for await (const changes of readRepo(thread, car, { ...what, identity, clock, signal })) {
        signal.throwIfAborted()
        const outcome = await whileBusy(signal, () => database.applyBatch(changes))
        addOutcome(total, outcome)
        onStored(outcome)
      }
      whole = true
    } finally {
      // One that was left in the middle of a repository still holds it.
      if (whole) idle.push(thread)
      else await thread[Symbol.asyncDispose]()
    }
    return total
  }

  const storeFrom = (host: string, did: string, car: Uint8Array<ArrayBuffer>): Promise<BatchOutcome> =>
    store(car, { did, source: `repo-export:${host}` })

  /** From the account's own host. */
  const fetchOwn = async (
    { kind, did }: Pick<RepoJob, 'kind' | 'did'>,
    pds: string,
    isPresent: boolean,
  ): Promise<BatchOutcome | null> => {
    const eventAt = now()
    const stands = async (status: string | null): Promise<void> => {
      const change = { kind: 'account' as const, did, active: status === null, status, eventAt }
      await whileBusy(signal, () => database.applyBatch([change]))
    }
    try {
      const car = await hosts.fetchRepo(pds, did, signal)
      // A stream tells by itself who is back, and a relay may have hidden what the host has not.
      if (kind !== 'ingest') await stands(null)
      return await storeFrom(pds, did, car)
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
          return await storeFrom(host, did, await hosts.fetchRepo(host, did, signal))
        } catch (error) {
          // What a relay has no copy of, or a bad one, the account's own host has.
          const isItsOwn = error instanceof RepoError || (error instanceof HostError && !error.shouldRetry())
          if (pds === null || !isItsOwn) throw error
        }
      }
      return pds === null ? null : fetchOwn(job, pds, false)
    },
    load: async (path) => store(await loadCar(path), { did: null, source: path }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(idle.map((thread) => thread[Symbol.asyncDispose]()))
    },
  }
}

/** What a host answers when it does not show a repository (https://atproto.com/specs/account). */
const hiddenBy: ReadonlyMap<string, string> = new Map([
  ['RepoTakendown', 'takendown'],
  ['RepoSuspended', 'suspended'],
  ['RepoDeactivated', 'deactivated'],
  // Perhaps deleted, but a host may also have lost it for a while: its records wait.
  ['RepoNotFound', 'missing'],
])
