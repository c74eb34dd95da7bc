/** Prepared statements of a connection, which driver and server hold as long as the connection lives. */
import type { ClientBase, QueryConfig, QueryResult } from 'pg'
import type { Statement } from '../database.ts'
import type { Steps } from '../metadata/steps.ts'
import { withoutSpaces } from './spaced-json.ts'

/** Statements that one connection has prepared. */
interface Prepared {
  readonly names: Map<string, string>
  characters: number
}

const mostStatements = 300
/** Total length of the texts: the server needs 100 to 200 bytes for each character, some 40 MB for a connection. */
const mostCharacters = 250_000

const preparedOf = new WeakMap<ClientBase, Prepared>()

/** Runs a statement that this connection may have prepared; one that could not be prepared is prepared again. */
export function runPrepared(client: ClientBase, { text, values }: Statement): Promise<QueryResult> {
  return client.query({ name: nameOf(client, text), text, values: [...values] })
}

/**
 * Runs a statement that returns one row, a version and a body of UTF-8. The driver returns all columns as bytes, so the
 * version is cast to text. `timeout`: milliseconds until the driver gives up, if it differs from the connection's.
 */
export async function runAnswer(
  client: ClientBase,
  statement: Statement,
  timeout?: number,
): Promise<{ readonly version: number; readonly body: Buffer | null }> {
  const text = `select version::text as made_under, answer.* from (${statement.text}) answer (version)`
  const config = {
    name: nameOf(client, text),
    text,
    values: [...statement.values],
    binary: true,
    types: { getTypeParser: () => (value: Buffer) => value },
    query_timeout: timeout,
  }
  const { rows } = await client.query<AnswerRow>(config as unknown as QueryConfig)
  // The driver's timer keeps the list in V8's old space long after its row has been used.
  const [{ made_under: version, body }] = rows.splice(0) as [AnswerRow]
  return { version: Number(version), body: body && withoutSpaces(body) }
}

interface AnswerRow {
  readonly made_under: Buffer
  readonly body: Buffer | null
}

/** Runs engine-independent steps. */
export async function runSteps<Result>(client: ClientBase, steps: Steps<Result>): Promise<Result> {
  let step = steps.next()
  while (step.done !== true) {
    const { text, values } = step.value
    const { rows } = await runPrepared(client, { text: numbered(text), values })
    step = steps.next(rows)
  }
  return step.value
}

/** Replaces `?` by `$1`, `$2` and so on; no statement contains `?` in a literal. */
function numbered(text: string): string {
  let count = 0
  return text.replaceAll('?', () => `$${(count += 1)}`)
}

/** Whether the connection has prepared so many statements that it should be closed. */
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
