/**
 * The interface of the metadata store: what is stored besides records, such as progress of sources, jobs, handles, keys
 * and hidings. Each call is one short transaction.
 */
import type { ColumnValue, Rejection, SourceState } from '../changes.ts'

/** The command that requested a repository; each command works on its own requests. */
export type JobKind = 'ingest' | 'backfill' | 'reconcile'

/** A repository to be fetched. */
export interface RepoJob {
  readonly kind: JobKind
  readonly did: string
  /** URL of the service to fetch it from; null: the service that its DID document names. */
  readonly host: string | null
  /** The reason of the request, in words. */
  readonly reason: string
  /** Number of failed attempts. */
  readonly attempts: number
  /** Microseconds; this job does not satisfy requests that came later. */
  readonly requestedAt: bigint
  /** Microseconds at which the fetch began; it does not satisfy a request for a later time either. */
  readonly begunAt: bigint
}

/** Progress of listing the accounts of a host. */
export interface Listing {
  /** The requested list, such as a host's URL. */
  readonly target: string
  /** The service's own cursor; null at the start. */
  readonly cursor: string | null
  readonly done: boolean
}

export interface StoredRejection extends Rejection {
  /** The URI of the record, or a hash of its text. */
  readonly key: string
  /** True if only the beginning was stored, because the record is too long; it cannot be tried again. */
  readonly cut: boolean
  /** Microseconds. */
  readonly seenAt: bigint
}

/** A caller's key; the key itself is not stored anywhere. Times are microseconds. */
export interface ApiKey {
  /** Name of the key in commands and logs: it does not give access. */
  readonly id: string
  readonly name: string
  readonly tier: string
  readonly createdAt: bigint
  /** End of a key that was replaced; null if it was not. */
  readonly expiresAt: bigint | null
  /** End that the operator set; null if there is none. */
  readonly validUntil: bigint | null
  /** Recipient of the operator's messages about the key. */
  readonly contact: string | null
  readonly revokedAt: bigint | null
}

/** Usage of a key in one day. */
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
  /** The operator's user name on the machine, or a given name. */
  readonly hiddenBy: string
  readonly hiddenAt: bigint
  /** Null while the subject is hidden. */
  readonly shownBy: string | null
  readonly shownAt: bigint | null
  /** Set if the subject's data was also removed for good. */
  readonly purge: Omit<Purge, 'subject'> | null
}

/** Removal for good by an operator. Times are microseconds. */
export interface Purge {
  /** An AT-URI of a record, or a DID. */
  readonly subject: string
  readonly reason: string
  readonly purgedBy: string
  readonly purgedAt: bigint
  /**
   * When no row of the subject was left and the storage was compacted by the database's `compact`; null until then.
   * Files of a PostgreSQL server may contain former rows for longer.
   */
  readonly erasedAt: bigint | null
}

/** Amount of stored data of a subject that is to be removed. */
export interface PurgeExtent {
  /** Includes records that are not visible; only collections that have some. */
  readonly collections: readonly { readonly name: string; readonly records: number }[]
  readonly rejections: number
  /** Tombstones of records that their publisher has deleted. */
  readonly tombstones: number
  /** Repositories to be fetched. */
  readonly jobs: number
}

export type NewKey = Pick<ApiKey, 'id' | 'name' | 'tier'> & Partial<Pick<ApiKey, 'contact' | 'validUntil'>>

export interface KeySuccessor {
  readonly id: string
  readonly hash: string
  /** Absent: the same as that of the replaced key. */
  readonly validUntil?: bigint
}

/** A stored record of a repository, hidden or not. */
export interface RepoRecord {
  readonly collection: string
  readonly rkey: string
  /** In the form of the engine: bytes or text. */
  readonly cid: ColumnValue
  readonly rev: string | null
  /** Microseconds. */
  readonly indexedAt: bigint
}

export interface MetadataStore {
  /** `hash`: SHA-256 of the key in hexadecimal. */
  addKey(key: NewKey, hash: string): Promise<void>
  /**
   * Adds a key of the same name, tier and contact, and in the same step sets the end of the old one. Returns false,
   * without changes, if no key with that id is in force, or if it was replaced already.
   */
  replaceKey(id: string, next: KeySuccessor, at: bigint): Promise<boolean>
  /** Ends a key immediately and for good. Returns false if there is no such key. */
  revokeKey(id: string): Promise<boolean>

  readCursor(source: string): Promise<string | null>
  /** Sets the name of the source that callers see. */
  nameSource(source: string, publicName: string): Promise<void>
  /** Also serves as the heartbeat of the process that works on the source. */
  writeState(
    source: string,
    state: SourceState,
    detail: string | null,
    eventsPerSecond: number,
  ): Promise<void>

  readListing(kind: JobKind, target: string): Promise<Listing | null>
  /** Stores one page of a host's list: accounts become jobs, and the listing advances. Waiting jobs do not change. */
  addJobs(
    kind: JobKind,
    jobs: readonly Pick<RepoJob, 'did' | 'host' | 'reason'>[],
    listing?: Listing,
  ): Promise<void>
  /** Jobs to begin now: due and not given up, the longest due first. */
  dueJobs(kind: JobKind, limit: number): Promise<readonly RepoJob[]>
  /** When the next job is due, in microseconds; null when none waits. */
  nextJobAt(kind: JobKind): Promise<bigint | null>
  /** Removes a finished job, unless it was requested again meanwhile, or for a later time. */
  finishJob(job: RepoJob): Promise<void>
  /** `dueAt`: time of the next attempt; null: given up, stored with its error until it is requested again. */
  failJob(job: RepoJob, error: string, dueAt: bigint | null): Promise<void>
  failedJobs(kind: JobKind): Promise<readonly { readonly did: string; readonly error: string }[]>
  countJobs(kind: JobKind): Promise<{ readonly waiting: number; readonly failed: number }>
  /** Removes the state of a run: listings and failed jobs. */
  endRun(kind: JobKind): Promise<void>

  /**
   * Removes a record or an account from every answer at once, whatever the network reports later. Returns the number of
   * records that were visible; null, without changes, if the subject is hidden already.
   */
  hide(hiding: Pick<Hiding, 'subject' | 'reason' | 'hiddenBy'>): Promise<number | null>
  /**
   * Shows a subject again in its current state, as far as the network shows it; `settleAccounts` brings back rows of an
   * account. Returns the number of records that come back; null if the subject is not hidden.
   */
  unhide(subject: string, shownBy: string): Promise<number | null>

  /**
   * Hides a record or an account and removes all its stored data; `settleAccounts` removes rows of an account. A purge
   * holds until the subject is shown again. Returns the amount of data to be removed; null, without changes, if the
   * subject is purged already.
   */
  purge(purge: Pick<Purge, 'subject' | 'reason' | 'purgedBy'>): Promise<PurgeExtent | null>
  /** Subjects of which data may remain, in the order of their purges. */
  unfinishedPurges(): Promise<readonly string[]>
  /** To be called after all rows are removed and the storage was compacted. */
  endPurges(): Promise<void>
  /** Removes about `limit` expired records, at least one of each collection; returns their number, 0 at the end. */
  expireRecords(limit: number): Promise<number>
  /** Derives the stories of about `limit` records that may have changed; returns whether more may have. */
  deriveStories(limit: number): Promise<boolean>
  /** All stored records of an account in these collections, hidden ones too. Other processes may write meanwhile. */
  readRepoRecords(did: string, collections: readonly string[]): Promise<readonly RepoRecord[]>
  /** Clears an account's revisions later than `beyond`: they are impossible and must not decide. Returns their number. */
  forgetRevisions(did: string, beyond: string, collections: readonly string[]): Promise<number>
  /** Clears deletions that are later than a revision of the repository, before it is fetched from the account's own host. */
  forgetDeletions(did: string, beyond: string, collections: readonly string[]): Promise<void>

  /** Whether an account has, or had, records here, hidden ones too. */
  knowsAccount(did: string): Promise<boolean>
  /** DIDs of accounts that have records here, hidden ones too, in order, after `after`. */
  readActors(limit: number, after: string | null): Promise<readonly string[]>
  /** Accounts whose handle is due for a lookup. */
  dueHandles(limit: number): Promise<readonly string[]>
  /** `handle` null: no valid handle. `dueAt`: time of the next lookup, in microseconds. */
  writeHandle(did: string, handle: string | null, dueAt: bigint): Promise<void>
  /**
   * Moves at most `limit` rows of accounts that were hidden, shown again or deleted; a finished account counts as one
   * row. Returns the number of moved rows, 0 if nothing is left to do.
   */
  settleAccounts(limit: number): Promise<number>
  /** Rows that `settleAccounts` has yet to move, of all accounts except one. */
  countRowsToMove(except: string): Promise<number>
}
