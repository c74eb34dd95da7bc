/** The changes that the write path accepts, the names of their records, and their outcomes. */
import type { RejectionReason } from '../lexicon/records/validate.ts'
import type { Value } from '../sql/sql.ts'

export type { RejectionReason }

/** A value as drivers accept it. Instants are microseconds since 1970 as bigint. */
export type ColumnValue = Value

/** The parts of a record's AT-URI. */
export interface RecordName {
  readonly did: string
  readonly collection: string
  readonly rkey: string
}

/** A record that passed validation, with all derived values. */
export interface RecordPut extends RecordName {
  /** 36 bytes: CIDv1, dag-cbor, sha-256. */
  readonly cid: Uint8Array
  readonly rev: string | null
  /** Microseconds; null means now. */
  readonly indexedAt: bigint | null
  /** Microseconds; set only by a rebuild. Absent: `indexedAt` for a new record, the present time for an update. */
  readonly changedAt?: bigint
  /** The record's value as JSON text. */
  readonly json: string
  /** One value per stored derived column of the table, in order. */
  readonly columns: readonly ColumnValue[]
  /** For each array index, in order: the distinct elements (a reference is two values: base URI and record key). */
  readonly arrays: readonly (readonly (readonly ColumnValue[])[])[]
  /** The stored version is damaged: write it again even if the CID is the same. The record keeps its `indexedAt`. */
  readonly repairs?: true
}

/** A refused record; stored so that nothing is lost silently. */
export interface Rejection {
  /** The origin of the record, such as a file name. */
  readonly source: string
  readonly uri: string | null
  readonly reason: RejectionReason
  readonly message: string
  /** The refused text: a line that `import` can read where possible, otherwise the text as received. */
  readonly record: string
  /** True if `record` is only the beginning of what was refused. */
  readonly cut?: boolean
  /**
   * The revision at which the publisher is known to have written this record. The version stored before is then no
   * longer the publisher's and is removed. Absent when the author is not verified.
   */
  readonly rev?: string
}

/** The publisher's repository no longer has the record. */
export interface RecordDelete extends RecordName {
  readonly rev: string
}

/** The status of an account, as its host reports it (https://atproto.com/specs/account). */
export interface AccountChange {
  readonly did: string
  readonly active: boolean
  /** `deactivated`, `suspended`, `takendown`, `deleted` and others; null for an active account. */
  readonly status: string | null
  /** Microseconds; the later of two changes wins. */
  readonly eventAt: bigint
}

/** All usable records of the repository have arrived as puts with this revision; older records are no longer in it. */
export interface RepoEnd {
  readonly did: string
  readonly rev: string
}

/** A repository whose events may be incomplete, so that all of it must be fetched. */
export interface RepoRequest {
  readonly did: string
  /** A phrase, such as "its host says that it has diverged". */
  readonly reason: string
  /** Microseconds: the earliest time of the fetch. Absent: at once. */
  readonly dueAt?: bigint
  /** Ignore the request unless records of the account are stored. */
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

/** Changes of one record each. */
export type RecordChange = Extract<Change, { kind: 'put' | 'delete' | 'reject' }>

/**
 * Numbers of records in a batch by outcome. `older`: a stored revision outranks the record. `withheld`: the account is
 * hidden. `purged`: an operator removed the record for good. `expired`: the record is older than the retention period.
 * Changes of other kinds are not counted.
 */
export type BatchOutcome = Readonly<Outcome>

/** The position of a source after a batch; stored in the transaction of the batch. */
export interface SourceMark {
  /** The source's name, such as `jetstream:wss://example.com`. */
  readonly source: string
  /** The position to resume from; null leaves the stored cursor unchanged. */
  readonly cursor: string | null
  /** Microseconds: the time of the last event, by the clock of the source. */
  readonly eventAt: bigint | null
}

/** Names under which whole imported files and fetched repositories are counted. */
export type CountedSource = 'import' | 'repositories'

/** `finished`: the source is finite and has been read to its end. */
export type SourceState = 'connecting' | 'live' | 'unavailable' | 'finished' | 'stopped'

/** Returns the fault of a stored record under the lexicons in force; null when the record is valid. */
export type RecordCheck = (uri: string, json: string) => Pick<Rejection, 'reason' | 'message'> | null

/** Null when the URI does not name a record. */
export function recordNameOf(uri: string | null): RecordName | null {
  const [, did, collection, rkey] = /^at:\/\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(uri ?? '') ?? []
  return did === undefined || collection === undefined || rkey === undefined
    ? null
    : { did, collection, rkey }
}

export function uriOf(name: RecordName): string {
  return repoCollectionUri(name) + name.rkey
}

/** The DID of a URI, whatever follows it. */
export function accountOf(uri: string): string {
  return /^at:\/\/([^/]+)/.exec(uri)?.[1] ?? ''
}

/** The part of a URI that all records of one repository and collection share. */
export function repoCollectionUri({ did, collection }: Pick<RecordName, 'did' | 'collection'>): string {
  return `at://${did}/${collection}/`
}

/** From the first URI of an account's records up to the first URI after them. */
export function urisOf(did: string): readonly [from: string, to: string] {
  return [`at://${did}/`, `at://${did}0`]
}

/** The same while it is added up. */
export type Outcome = ReturnType<typeof noOutcome>

export function noOutcome() {
  return {
    stored: 0,
    updated: 0,
    unchanged: 0,
    older: 0,
    deleted: 0,
    withheld: 0,
    purged: 0,
    expired: 0,
    rejected: 0,
  }
}

export function addOutcome(total: Outcome, more: BatchOutcome): void {
  for (const key of Object.keys(more) as (keyof BatchOutcome)[]) total[key] += more[key]
}
