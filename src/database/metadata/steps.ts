/**
 * Work of a few statements that every engine understands, written once as a generator of statements. SQLite runs it
 * synchronously, so that nothing comes between the statements of a transaction; answers of a server are awaited.
 * Rows of records are read and written by faster code of each engine.
 */
import type { ColumnValue } from '../changes.ts'

/** A statement in the SQL of the engine, and its parameters in order. */
export interface Statement {
  readonly text: string
  readonly values: readonly ColumnValue[]
}

/** Integers are bigint, bytes are Uint8Array. */
export type StepRow = Readonly<Record<string, ColumnValue>>

/** In each statement `?` is a parameter; its result is a list of rows, empty if it only writes. */
export type Steps<Result> = Generator<Statement, Result, readonly StepRow[]>

export function* ask(text: string, ...values: readonly ColumnValue[]): Steps<readonly StepRow[]> {
  return yield { text, values }
}
