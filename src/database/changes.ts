/** What may be asked of the write path, a change at a time, and what becomes of it. */
import type { RejectionReason } from '../lexicon/records/validate.ts'
import type { Value } from '../sql/sql.ts'

export type { RejectionReason }

/** A value as a driver takes it. Instants are microseconds since 1970 as bigint. */
export type ColumnValue = Value

/** A record that passed validation, with everything derived from it. */
export interface RecordPut {
  readonly collection: string
  readonly did: string
  readonly rkey: string
  /** 36 bytes: CIDv1, dag-cbor, sha-256. */
  readonly cid: Uint8Array
  readonly rev: string | null
  /** Microseconds; null means now. */
  readonly indexedAt: bigint | null
  /** Microseconds; only a rebuild carries it. Absent: the same as `indexedAt` for a new record, now for an update. */
  readonly changedAt?: bigint
  /** The record's value as JSON text. */
  readonly json: string
  /** One value for each of the table's stored derived columns, in order. */
  readonly columns: readonly ColumnValue[]
  /** For each of the table's array indexes, in order: the distinct elements (a reference is two values: base URI and record key). */
  readonly arrays: readonly (readonly (readonly ColumnValue[])[])[]
  /** The stored version is damaged: it is written again although its CID may be the same. It keeps its `indexedAt`. */
  readonly repairs?: true
}

/** A record that was refused; kept so that nothing is lost silently. */
export interface Rejection {
  /** Where it came from, such as a file's name. */
  readonly source: string
  readonly uri: string | null
  readonly reason: RejectionReason
  readonly message: string
  /** The text that was refused: a line that `import` reads where it can be one, else as received. */
  readonly record: string
  /**
   * The revision at which the publisher is known to have written this. The version stored before is then
   * no longer theirs, and goes. Absent when nothing vouches for who wrote it.
   */
  readonly rev?: string
}

/** The publisher's repository no longer has the record. */
export interface RecordDelete {
  readonly collection: string
  readonly did: string
  readonly rkey: string
  readonly rev: string
}

/** An account's standing, as its host tells it (https://atproto.com/specs/account). */
export interface AccountChange {
  readonly did: string
  readonly active: boolean
  /** `deactivated`, `suspended`, `takendown`, `deleted` and others; null for an active account. */
  readonly status: string | null
  /** Microseconds; of two changes the later holds. */
  readonly eventAt: bigint
}

/** All of a repository that is of use has come as puts with this revision; what is older is gone from it. */
export interface RepoEnd {
  readonly did: string
  readonly rev: string
}

/** A repository whose events cannot be trusted to be complete, so that it must be fetched as a whole. */
export interface RepoRequest {
  readonly did: string
  /** In words, such as "its host says that it has diverged". */
  readonly reason: string
  /** Microseconds: not before. Absent: at once. */
  readonly dueAt?: bigint
  /** Only when records of the account are here; otherwise it is of no interest. */
  readonly ifKnown?: true
}

export type Change =
  | ({ readonly kind: 'put' } & RecordPut)
  | ({ readonly kind: 'delete' } & RecordDelete)
  | ({ readonly kind: 'reject' } & Rejection)
  | ({ readonly kind: 'account' } & AccountChange)
  /** The handle of the account may have changed. */
  | { readonly kind: 'identity'; readonly did: string }
  | ({ readonly kind: 'repo-request' } & RepoRequest)
  | ({ readonly kind: 'repo-end' } & RepoEnd)

/**
 * What became of a batch's records: `older` counts those that a stored revision outranks, `withheld` those
 * of hidden accounts; `purged` and `expired` those that are not stored because an operator removed them for good, or
 * because they are older than records are kept. Changes of other kinds are not counted.
 */
export interface BatchOutcome {
  readonly stored: number
  readonly updated: number
  readonly unchanged: number
  readonly older: number
  readonly deleted: number
  readonly withheld: number
  readonly purged: number
  readonly expired: number
  readonly rejected: number
}

/** Where a source stands when a batch of it is applied; kept in the batch's own transaction. */
export interface SourceMark {
  /** The source's name, such as `jetstream:wss://example.com`. */
  readonly source: string
  /** From where to go on; null leaves the last one as it is. */
  readonly cursor: string | null
  /** Microseconds: when the last event happened, by the source's clock. */
  readonly eventAt: bigint | null
}

/** What files that are imported as a whole, and repositories that are fetched, are counted as. */
export type CountedSource = 'import' | 'repositories'

/** Where a source is; `finished` means that it has an end and has come to it. */
export type SourceState = 'connecting' | 'live' | 'unavailable' | 'finished' | 'stopped'
