/**
 * Work of a few statements that every engine understands, written once as a generator of statements. SQLite runs it
 * synchronously, so that nothing comes between the statements of a transaction; answers of a server are awaited.
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

/** `Row`: what the statement selects. */
export function* ask<Row extends object = StepRow>(
  text: string,
  ...values: readonly ColumnValue[]
): Steps<readonly Row[]> {
  return (yield { text, values }) as unknown as readonly Row[]
}

/** Steps without a statement: for an engine that does this work at once, such as SQLite. */
// oxlint-disable-next-line require-yield
export function* stepsOf<Result>(work: () => Result): Steps<Result> {
  return work()
}
