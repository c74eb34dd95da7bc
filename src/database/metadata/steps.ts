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
  /** A CID as JSON, for a column of type `cid`. */
  cidJson(cid: string | Uint8Array): string
  /** Text that nobody has validated as JSON; characters that the engine cannot store are replaced. */
  textJson(text: string): string
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

/** The values of the members are JSON already. */
export function jsonRow(members: Iterable<readonly [name: string, json: string]>): string {
  let row = ''
  for (const [name, json] of members) row += `${row === '' ? '{' : ','}"${name}":${json}`
  return `${row}}`
}

export function jsonRows(rows: readonly string[]): string {
  return `[${rows.join(',')}]`
}

/** Integers of any size stay exact. */
export function jsonValue(value: ColumnValue): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

export function keyMembers({ base, rkey }: RowKey): [string, string][] {
  return [
    ['base', String(base)],
    ['rkey', jsonValue(rkey)],
  ]
}

/** Rows of the column `id`. */
export function jsonIds(rows: readonly { readonly id: bigint }[]): string {
  return jsonRows(rows.map(({ id }) => `{"id":${id}}`))
}

export function jsonKeys(keys: readonly RowKey[]): string {
  return jsonRows(keys.map((key) => jsonRow(keyMembers(key))))
}
