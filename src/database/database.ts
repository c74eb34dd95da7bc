/**
 * What the rest of the program may ask of a database, whichever engine it is.
 * The read path and the write path are two interfaces because they never meet.
 */
import type { RejectionReason } from '../lexicon/validate.ts'
import type { Dialect } from '../sql/dialect.ts'
import type { Ledger } from './ledger.ts'
import type { Table, TextIndex } from './tables.ts'

export type { RejectionReason }

/** A value as a driver takes it. Instants are microseconds since 1970 as bigint. */
export type ColumnValue = string | number | bigint | Uint8Array | null

/** A statement's text in the engine's own spelling, and its parameters in order. */
export interface Statement {
  readonly text: string
  readonly values: readonly ColumnValue[]
}

/** What plans depend on besides the operation; it changes rarely. */
export interface PlanState {
  /** Grows when anything below changes; an answer says under which version its statement ran. */
  readonly version: number
  /** NSIDs of the collections whose ids are in default order (indexedAt, rkey, did). */
  readonly ordered: ReadonlySet<string>
  /** Whether rows of hidden accounts are still in the tables, so that every reading must leave them out. */
  readonly hiding: boolean
}

/** Rough numbers for choosing between exact roads; null where the engine chooses by itself. */
export interface Statistics {
  /** Rows of a table, roughly. */
  rows(table: Table): number
  /** Rows that a condition on one index leaves, counted up to `limit`. */
  countUpTo(statement: Statement, limit: number): number
  /** How many records hold a trigram, roughly. */
  trigram(index: TextIndex, trigram: string): number
  /** How many trigrams begin so, and how many records hold one, roughly and with repetitions. */
  prefix(index: TextIndex, needle: string): { readonly terms: number; readonly records: number }
}

/** Read-only access. Every call sees one snapshot. */
export interface ReadDatabase extends AsyncDisposable {
  readonly dialect: Dialect
  readonly statistics: Statistics | null
  readPlanState(): Promise<PlanState>
  /** Runs a statement that yields one row: the plan version it saw, and a response's bytes in UTF-8. */
  readAnswer(statement: Statement): Promise<{ readonly version: number; readonly body: Uint8Array }>
  /** How far the index has come, for operators; counts walk an index of each collection. */
  readStatus(): Promise<IndexStatus>
  /** Rows as objects, for `export` and explanations; never for answers. */
  readRows(statement: Statement): Iterable<Record<string, ColumnValue>>
  /** The engine's own words on how it would run a statement, a line each. */
  explain(statement: Statement): readonly string[]
}

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
 * of hidden accounts. Changes of other kinds are not counted.
 */
export interface BatchOutcome {
  readonly stored: number
  readonly updated: number
  readonly unchanged: number
  readonly older: number
  readonly deleted: number
  readonly withheld: number
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
  /** Events in the batch, those that were passed over included. */
  readonly events: number
}

/** What an operator asks of an index. */
export interface IndexStatus {
  readonly collections: readonly {
    readonly name: string
    readonly records: number
    /** Microseconds. */
    readonly newestIndexedAt: bigint | null
    /** Since the database was made, by what became of each event. */
    readonly outcomes: Readonly<Partial<Record<keyof BatchOutcome, number>>>
  }[]
  readonly sources: readonly SourceStatus[]
  readonly rejections: Readonly<Partial<Record<RejectionReason, number>>>
  /** Repositories still to be fetched, and those given up on. */
  readonly repositories: { readonly waiting: number; readonly failed: number }
}

export interface SourceStatus {
  readonly name: string
  /** `stopped` also when its process has not been heard of for half a minute. */
  readonly state: SourceState
  /** Why it is in that state; null when there is nothing to say. */
  readonly detail: string | null
  readonly cursor: string | null
  /** Microseconds. */
  readonly lastEventAt: bigint | null
  /** Live: how old the last event was when it was applied. Otherwise: how old it is now. */
  readonly lagSeconds: number | null
  /** Over the last ten seconds or so. */
  readonly eventsPerSecond: number
}

export type SourceState = 'connecting' | 'live' | 'unavailable' | 'finished' | 'stopped'

/** Says what is wrong with a stored record under the lexicons in force; null when it fits. */
export type RecordCheck = (
  uri: string,
  json: string,
) => { readonly reason: RejectionReason; readonly message: string } | null

export interface Database extends AsyncDisposable {
  readonly read: ReadDatabase
  readonly write: WriteDatabase
}

export interface WriteDatabase extends AsyncDisposable {
  /** What is kept beside the records. */
  readonly ledger: Ledger
  /**
   * Applies one batch in one transaction, in order, and with it the mark of its source.
   * `durable`: on return it has survived a loss of power too, not only the end of the process.
   */
  applyBatch(
    changes: readonly Change[],
    mark?: SourceMark,
    options?: { readonly durable?: boolean },
  ): Promise<BatchOutcome>
  /**
   * Applies a whole import. Into empty collections it is one transaction, with ids in default order
   * and indexes built at the end; otherwise batch by batch.
   */
  load(batches: AsyncIterable<readonly Change[]>): Promise<BatchOutcome>
}
