/**
 * What the rest of the program may ask of a database, whichever engine it is.
 * The read path and the write path are two interfaces because they never meet.
 */
import type { RejectionReason } from '../lexicon/validate.ts'
import type { Dialect } from '../sql/dialect.ts'
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
  /** The text that was refused, as received. */
  readonly record: string
}

export type Change = ({ readonly kind: 'put' } & RecordPut) | ({ readonly kind: 'reject' } & Rejection)

/** What became of a batch: `older` counts records that a stored revision outranks. */
export interface BatchOutcome {
  readonly stored: number
  readonly updated: number
  readonly unchanged: number
  readonly older: number
  readonly rejected: number
}

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
  /** Applies one batch in one transaction, in order. */
  applyBatch(changes: readonly Change[]): Promise<BatchOutcome>
  /**
   * Applies a whole import. Into empty collections it is one transaction, with ids in default order
   * and indexes built at the end; otherwise batch by batch.
   */
  load(batches: AsyncIterable<readonly Change[]>): Promise<BatchOutcome>
}
