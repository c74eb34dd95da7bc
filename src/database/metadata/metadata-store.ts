/**
 * What is kept beside the records: where sources stand, which repositories are still to be fetched, and
 * handles of accounts. Every call is one short transaction.
 */
import type { ColumnValue, Rejection, SourceState } from '../changes.ts'

/** Who asked for a repository; each command works on its own requests. */
export type JobKind = 'ingest' | 'backfill' | 'reconcile'

/** A repository to be fetched. */
export interface RepoJob {
  readonly kind: JobKind
  readonly did: string
  /** The URL of the service to fetch it from; null: the one its DID document names. */
  readonly host: string | null
  /** Why it is asked for, in words. */
  readonly reason: string
  /** How often it has failed so far. */
  readonly attempts: number
  /** Microseconds: a request that came after this one is not done with it. */
  readonly requestedAt: bigint
  /** Microseconds: when it was begun. A request for a later moment is not done with it either. */
  readonly begunAt: bigint
}

/** How far the accounts of a host have been listed. */
export interface Listing {
  /** What was asked for, such as a host's URL. */
  readonly target: string
  /** The service's own; null at the start. */
  readonly cursor: string | null
  readonly done: boolean
}

export interface StoredRejection extends Rejection {
  /** What it is kept under: its URI, or a hash of its text. */
  readonly key: string
  /** Only the beginning was kept, because it is too long; it cannot be tried again. */
  readonly cut: boolean
  /** Microseconds. */
  readonly seenAt: bigint
}

/** A caller's key; the key itself is kept nowhere. Times are microseconds. */
export interface ApiKey {
  /** What people call it in commands and logs: it gives nobody access. */
  readonly id: string
  readonly name: string
  readonly tier: string
  readonly createdAt: bigint
  /** When it ends, or ended, because it was replaced; null: it was not. */
  readonly expiresAt: bigint | null
  /** When it ends anyway, as its operator said; null: it does not. */
  readonly validUntil: bigint | null
  /** Whom the operator writes to about it. */
  readonly contact: string | null
  readonly revokedAt: bigint | null
}

/** What a key was used for in a day. */
export interface KeyUsage {
  /** The id of the key. */
  readonly key: string
  /** In UTC, as a number of days since 1970. */
  readonly day: number
  readonly requests: number
  readonly points: number
}

/** A record or an account that an operator hid. Times are microseconds. */
export interface Hiding {
  /** An AT-URI of a record, or a DID. */
  readonly subject: string
  readonly reason: string
  /** The operator's name on the machine, or as given. */
  readonly hiddenBy: string
  readonly hiddenAt: bigint
  /** Null while it is hidden. */
  readonly shownBy: string | null
  readonly shownAt: bigint | null
  /** What was removed for good at that. */
  readonly purge: Omit<Purge, 'subject'> | null
}

/** What an operator removed for good. Times are microseconds. */
export interface Purge {
  /** An AT-URI of a record, or a DID. */
  readonly subject: string
  readonly reason: string
  readonly purgedBy: string
  readonly purgedAt: bigint
  /**
   * Since when no row of it is left and what is stored was compacted, as `compact` of the database does; null until
   * then. Files of a PostgreSQL server may keep former rows for longer.
   */
  readonly erasedAt: bigint | null
}

/** What there is of a subject that is to be removed. */
export interface PurgeExtent {
  /** Records that cannot be seen too; only collections that have some. */
  readonly collections: readonly { readonly name: string; readonly records: number }[]
  readonly rejections: number
  /** Notes of what its publisher has deleted. */
  readonly tombstones: number
  /** Repositories to be fetched. */
  readonly jobs: number
}

export type NewKey = Pick<ApiKey, 'id' | 'name' | 'tier'> & Partial<Pick<ApiKey, 'contact' | 'validUntil'>>

export interface KeySuccessor {
  readonly id: string
  readonly hash: string
  /** Absent: as that of the key it replaces. */
  readonly validUntil?: bigint
}

/** A record of a repository as it is stored, hidden or not. */
export interface RepoRecord {
  readonly collection: string
  readonly rkey: string
  /** As the engine has it: bytes or text. */
  readonly cid: ColumnValue
  readonly rev: string | null
  /** Microseconds. */
  readonly indexedAt: bigint
}

export interface MetadataStore {
  /** `hash`: SHA-256 of the key in hexadecimal. */
  addKey(key: NewKey, hash: string): Promise<void>
  /**
   * Adds one of the same name, tier and contact; in the same step the old one is given its end. False, and nothing
   * changed, when no key with that id is in force, or it was replaced already.
   */
  replaceKey(id: string, next: KeySuccessor, at: bigint): Promise<boolean>
  /** It ends now and for good. False when there is no such key. */
  revokeKey(id: string): Promise<boolean>

  readCursor(source: string): Promise<string | null>
  /** Sets what callers are told of the source. */
  nameSource(source: string, publicName: string): Promise<void>
  /** Also the sign of life of the process that works on the source. */
  writeState(
    source: string,
    state: SourceState,
    detail: string | null,
    eventsPerSecond: number,
  ): Promise<void>

  readListing(kind: JobKind, target: string): Promise<Listing | null>
  /** One page of a host's list: its accounts become jobs as the listing moves on. Jobs that wait stay as they are. */
  addJobs(
    kind: JobKind,
    jobs: readonly Pick<RepoJob, 'did' | 'host' | 'reason'>[],
    listing?: Listing,
  ): Promise<void>
  /** To be begun now: due and not failed for good, the longest due first. */
  dueJobs(kind: JobKind, limit: number): Promise<readonly RepoJob[]>
  /** When the next one is due, in microseconds; null when none waits. */
  nextJobAt(kind: JobKind): Promise<bigint | null>
  /** Done: it is forgotten, unless it was asked for again meanwhile, or for later. */
  finishJob(job: RepoJob): Promise<void>
  /** `dueAt`: to be tried again then; null: given up, kept with its error until it is asked for again. */
  failJob(job: RepoJob, error: string, dueAt: bigint | null): Promise<void>
  failedJobs(kind: JobKind): Promise<readonly { readonly did: string; readonly error: string }[]>
  countJobs(kind: JobKind): Promise<{ readonly waiting: number; readonly failed: number }>
  /** All that the run knew: listings and failed jobs. */
  endRun(kind: JobKind): Promise<void>

  /**
   * Takes a record or an account out of every answer at once, whatever the network says of it from here on. How many
   * records that were seen until now; null, and nothing changed, when it is hidden already.
   */
  hide(hiding: Pick<Hiding, 'subject' | 'reason' | 'hiddenBy'>): Promise<number | null>
  /**
   * Shows it again, as it is by now and as far as the network shows it; rows of an account are brought back by
   * `settleAccounts`. How many records come back; null when it is not hidden.
   */
  unhide(subject: string, shownBy: string): Promise<number | null>

  /**
   * Hides a record or an account and removes all that is kept of it; rows of an account are removed by
   * `settleAccounts`. It holds until the subject is shown again. What there was to be removed; null, and nothing
   * changed, when it is purged already.
   */
  purge(purge: Pick<Purge, 'subject' | 'reason' | 'purgedBy'>): Promise<PurgeExtent | null>
  /** Subjects of which something may be left, the first that were purged before others. */
  unfinishedPurges(): Promise<readonly string[]>
  /** After all rows are removed and what is stored was compacted. */
  endPurges(): Promise<void>
  /** Removes up to so many records that are older than they are kept, of each collection one at least; how many, 0 when none is left. */
  expireRecords(limit: number): Promise<number>
  /** All that is stored of an account in those collections, hidden records too. Others may write meanwhile. */
  readRepoRecords(did: string, collections: readonly string[]): Promise<readonly RepoRecord[]>
  /** Revisions of an account beyond that one cannot be: none of them decides about anything any more. How many there were. */
  forgetRevisions(did: string, beyond: string, collections: readonly string[]): Promise<number>

  /** Whether an account has records here, hidden ones too, or had some. */
  knowsAccount(did: string): Promise<boolean>
  /** DIDs of accounts that have records here, hidden ones too, in order, after `after`. */
  readActors(limit: number, after: string | null): Promise<readonly string[]>
  /** Accounts whose handle is to be looked up by now. */
  dueHandles(limit: number): Promise<readonly string[]>
  /** `handle` null: it has none that holds. `dueAt`: when to look again, in microseconds. */
  writeHandle(did: string, handle: string | null, dueAt: bigint): Promise<void>
  /**
   * Moves up to so many rows of accounts that were hidden, are shown again or were deleted, an account that is
   * done counting as one; how many it moved, 0 when nothing is left to do.
   */
  settleAccounts(limit: number): Promise<number>
  /** What is left for it to do, in rows of all accounts but that one. */
  countRowsToMove(except: string): Promise<number>
}
