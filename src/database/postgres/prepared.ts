/**
 * Statements prepared on a connection. The driver and the server keep each of them as long as the connection lives,
 * so a connection that has prepared many of them is worn out and makes place for a new one.
 */
import type { ClientBase, QueryResult } from 'pg'
import type { Statement } from '../database.ts'
import { AnswerQuery } from './answer-query.ts'

/** What one connection has prepared. */
interface Prepared {
  readonly names: Map<string, string>
  characters: number
}

const mostStatements = 300
/** Of their texts: the server holds 100 to 200 bytes for each, so a connection comes to some 40 MB. */
const mostCharacters = 250_000

const preparedOf = new WeakMap<ClientBase, Prepared>()

/**
 * Runs a statement that this connection may have prepared before. One that does not prepare is not remembered by the
 * driver either, and is prepared anew the next time.
 */
export function runPrepared(client: ClientBase, { text, values }: Statement): Promise<QueryResult> {
  return client.query({ name: nameOf(client, text), text, values: [...values] })
}

/**
 * The same of a statement that answers with one row, each value as the bytes the server sends; the connection is an
 * `AnswerClient`. `timeout`: milliseconds until the driver gives up, if others than the connection's.
 */
export function runForBytes(
  client: ClientBase,
  { text, values }: Statement,
  timeout?: number,
): Promise<readonly (Buffer | null)[]> {
  return client.query(new AnswerQuery({ name: nameOf(client, text), text, values }, timeout)).row
}

/** Whether the connection has prepared so much that it should be closed. */
export function isWornOut(client: ClientBase): boolean {
  const prepared = preparedOf.get(client)
  return (
    prepared !== undefined && (prepared.names.size >= mostStatements || prepared.characters >= mostCharacters)
  )
}

function nameOf(client: ClientBase, text: string): string {
  let prepared = preparedOf.get(client)
  if (prepared === undefined) {
    prepared = { names: new Map(), characters: 0 }
    preparedOf.set(client, prepared)
  }
  let name = prepared.names.get(text)
  if (name === undefined) {
    name = `s${prepared.names.size}`
    prepared.names.set(text, name)
    prepared.characters += text.length
  }
  return name
}
