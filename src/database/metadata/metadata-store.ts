/** What is stored besides records, such as jobs, keys and hidings. */
import type { ColumnValue, Rejection } from '../changes.ts'

/** The command that requested a repository; each command works on its own requests. */
export type JobKind = 'ingest' | 'backfill' | 'reconcile'

export interface RepoJob {
  readonly kind: JobKind
  readonly did: string
  /** URL of the service to fetch it from; null: the service that its DID document names. */
  readonly host: string | null
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
  /** Such a record cannot be tried again. */
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
