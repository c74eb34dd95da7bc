/**
 * Work of a few statements that every engine understands, written once as a generator of what it asks. SQLite runs
 * it in one go, so that nothing comes between the statements of a transaction; a server's answers are waited for.
 * Rows of records have each engine's own, faster ways.
 */
import type { ColumnValue, Statement } from '../database.ts'

/** Integers come as bigint, bytes as Uint8Array. */
export type StepRow = Readonly<Record<string, ColumnValue>>

/** In each statement `?` stands for a value; what comes back are its rows, none where it only writes. */
export type Steps<Result> = Generator<Statement, Result, readonly StepRow[]>

export function* ask(text: string, ...values: readonly ColumnValue[]): Steps<readonly StepRow[]> {
  return yield { text, values }
}
