/** What an engine supplies to the write path: reads and writes of many rows at once. It decides nothing. */
import type { ColumnValue, RecordPut } from '../changes.ts'
import type { Table } from '../layout/tables.ts'
import type { Steps, RowKey } from '../metadata/steps.ts'
import type { WriteTransaction } from './write-transaction.ts'

/** A row by its id; null if it was first stored while its account was hidden, and so is in no table. */
export interface RowId {
  readonly id: bigint | null
}

/** The part of a row that decisions need. */
export interface FoundRow extends RowKey, RowId {
  /** As stored: text or bytes. */
  readonly cid: ColumnValue
  readonly rev: string | null
  readonly indexedAt: bigint
}

export interface RowChange {
  /** As stored, or 36 bytes. */
  readonly cid: string | Uint8Array
  readonly rev: string | null
  readonly changedAt: bigint
  readonly record: Pick<RecordPut, 'json' | 'columns' | 'arrays'>
}

/** The content of a row, as given to a statement. */
export function contentOf({ dialect }: WriteTransaction, { cid, rev, changedAt, record }: RowChange) {
  return { cid: dialect.cid(cid), rev, changed_at: changedAt, record: { json: record.json } }
}

export interface NewRow extends RowKey, RowId, RowChange {
  readonly did: string
  readonly indexedAt: bigint
}

/** A row and the first record of its story. */
export interface StoryRow {
  readonly id: bigint
  readonly story: RowKey
}

/** A row that is older than its retention period. */
export interface ExpiredRow extends RowKey, RowId {
  readonly rev: string | null
  readonly indexed_at: bigint
}

/** The rows of one collection, with all that is derived from them. Rows to be changed exist and have ids. */
export interface RecordTable {
  readonly table: Table
  find(keys: readonly RowKey[]): Steps<readonly FoundRow[]>
  findExpired(oldest: bigint, limit: number): Steps<readonly ExpiredRow[]>
  /** A row with an id keeps it. Existing rows stay as they are; returns the added ones. */
  insert(transaction: WriteTransaction, rows: readonly NewRow[]): Steps<readonly RowId[]>
  update(transaction: WriteTransaction, rows: readonly (RowId & RowChange)[]): Steps<void>
  /** Only of a table with stories. */
  setStories(rows: readonly StoryRow[]): Steps<void>
  remove(transaction: WriteTransaction, rows: readonly RowId[]): Steps<void>
  quarantine(transaction: WriteTransaction, rows: readonly RowId[]): Steps<void>
  /** Refreshes statistics of texts when many rows have changed. */
  refreshCounts(): Steps<void>
}

export interface RecordStore {
  /** By collection. */
  readonly tables: ReadonlyMap<string, RecordTable>
  /** The most records of a run that get their stories as they are written: more would slow the run by a tenth. */
  readonly mostPlaced: number
  /** The latest `indexed_at` up to that time; 0 without records. */
  lastStored(horizon: bigint): Steps<bigint>
  /** Removes what this engine alone keeps of a purged subject: rows of unserved collections, and its last position. */
  erase(transaction: WriteTransaction, subject: string): Steps<void>
}
