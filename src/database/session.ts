/**
 * A transaction's own connection to a server, for statements of few rows that every engine understands (kept/);
 * rows of records have each engine's own, faster ways.
 */
import type { ColumnValue } from './changes.ts'

/** Integers come as bigint, bytes as Uint8Array. */
export type SessionRow = Readonly<Record<string, ColumnValue>>

export interface Session {
  /** `?` stands for a value. All rows are held at once. */
  all(text: string, ...values: readonly ColumnValue[]): Promise<readonly SessionRow[]>
  /** How many rows it changed. */
  run(text: string, ...values: readonly ColumnValue[]): Promise<number>
}
