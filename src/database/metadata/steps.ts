/**
 * Work of a few statements that every engine understands, written once as a generator of statements. SQLite runs it
 * synchronously, so that nothing comes between the statements of a transaction; answers of a server are awaited. Any
 * number of rows are given to one statement as a JSON text in one parameter.
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

/** The type of a column of given rows; `cid` and `record` take the engine's stored form. */
export type GivenType = 'bigint' | 'text' | 'cid' | 'record'

/** How an engine spells the parts of these statements that engines do not share. */
export interface WriteDialect {
  /** The rows of the JSON parameter `?` as the relation `given`. */
  given(columns: Readonly<Record<string, GivenType>>): string
  /** A CID for a given column of type `cid`. */
  cid(cid: string | Uint8Array): string
  /** Text that nobody has validated; characters that the engine cannot store are replaced. */
  text(text: string): string
  /** An expression for the JSON text of the column `record`. */
  readonly recordText: string
  /** An expression for the JSON text at a path of a column of records. */
  jsonAt(column: string, path: readonly string[]): string
}

/** Identifies a row independently of its id. */
export interface RowKey {
  readonly base: bigint
  readonly rkey: string
}

export const keyColumns = { base: 'bigint', rkey: 'text' } as const

/** A value of a given row; a record is JSON already. */
export type GivenValue = ColumnValue | { readonly json: string }

/** Rows for `given`, as one parameter; integers of any size stay exact. */
export function jsonRows(rows: readonly Readonly<Record<string, GivenValue>>[]): string {
  const texts = rows.map((row) => {
    let members = ''
    for (const name of Object.keys(row))
      members += `${members === '' ? '' : ','}"${name}":${jsonOf(row[name] ?? null)}`
    return `{${members}}`
  })
  return `[${texts.join(',')}]`
}

function jsonOf(value: GivenValue): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return value !== null && typeof value === 'object' && 'json' in value ? value.json : String(value)
}

export function jsonKeys(keys: readonly RowKey[]): string {
  return jsonRows(keys.map(({ base, rkey }) => ({ base, rkey })))
}
