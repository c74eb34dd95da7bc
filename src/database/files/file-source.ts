/** The interface of reading a file: what to read, from where, and what comes of it. */
import type { Statement } from '../metadata/steps.ts'

export interface FileStatements {
  /** The plan version that the statements were made for. */
  readonly version: number
  /** Yields one number: how many rows there would be without a limit. */
  readonly count: Statement
  /** Yields rows of one column: JSON text. */
  readonly rows: Statement
}

/** A file that is being written. Disposing ends the work at once and discards what is unread. */
export interface FileStream extends AsyncDisposable {
  /** How many rows there would be without a limit. */
  readonly total: number
  /** Fails if the file cannot be completed. Nothing is read from the database while nobody takes the bytes. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** How many rows were written; known when `bytes` has ended. */
  readonly rows: () => number
}

/** One snapshot of a database. */
export interface FileSnapshot {
  /** The plan version of the snapshot. */
  readonly version: number
  readonly total: number
  readonly batches: AsyncIterable<readonly string[]> | Iterable<readonly string[]>
}

/** Rows in the first batch, which is to leave early. */
export const firstBatch = 50
