/**
 * The table `rate_limit` of the primary, for whoever counts points there: one connection, because what is asked of it
 * takes no time, and short patience, because callers wait for it.
 */
import type { Client } from 'pg'
import { within } from '../../util/async/within.ts'
import { attemptOf, closeClient, connect } from './connection.ts'
import { DatabaseUnreachableError, isPassing, refusal } from './failures.ts'

export interface RateStatement {
  readonly name?: string
  readonly text: string
  readonly values: readonly unknown[]
}

/** Numbers are numbers here, which no column of the table needs more than. */
export interface RateRows {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly rowCount: number | null
}

/** Milliseconds. */
const timeout = 1_000

export class RateStore implements AsyncDisposable {
  readonly #url: string
  #connecting: Promise<Client> | null = null
  #client: Client | null = null
  /** Settled when what was asked last has ended. */
  #latest: Promise<void> = Promise.resolve()

  /** Connects when it is first asked, and anew when a connection was lost. */
  constructor(url: string) {
    this.#url = url
  }

  /** One after the other; fails when that takes too long. */
  async query(statement: RateStatement): Promise<RateRows> {
    const before = this.#latest
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#latest = promise
    try {
      await within(timeout, before, () => new DatabaseUnreachableError(busy))
      return await this.#run(statement)
    } finally {
      // Who gives up waiting leaves those before alone.
      before.then(resolve)
    }
  }

  /** What ended before, in milliseconds since 1970. */
  async removeEnded(before: number): Promise<void> {
    await this.query({ text: 'delete from rate_limit where expire < $1', values: [before] })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#client !== null) await closeClient(this.#client)
    // Nobody waits for a server that may never answer.
    else this.#connecting?.then(closeClient, () => undefined)
  }

  async #run({ name, text, values }: RateStatement): Promise<RateRows> {
    const client = await this.#connected()
    try {
      const asked = client.query<Record<string, unknown>>({ name, text, values: [...values] })
      const { rows, rowCount } = await within(timeout, asked, () => new DatabaseUnreachableError(busy))
      return { rows: rows.map(withNumbers), rowCount }
    } catch (error) {
      if (isPassing(error)) this.#forget(client)
      throw refusal(error, attemptOf(client))
    }
  }

  async #connected(): Promise<Client> {
    if (this.#client !== null) return this.#client
    this.#connecting ??= this.#connect()
    return await within(timeout, this.#connecting, () => new DatabaseUnreachableError(slow))
  }

  async #connect(): Promise<Client> {
    try {
      this.#client = await connect(this.#url, 'write')
      return this.#client
    } finally {
      this.#connecting = null
    }
  }

  #forget(client: Client): void {
    if (this.#client === client) this.#client = null
    // Something may be under way on it that nobody waits for any more.
    client.connection.stream.destroy()
  }
}

const busy = 'The database takes longer than a second for what callers spend.'
const slow = 'The server of the database takes longer than a second to connect.'

function withNumbers(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const numbered = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? Number(value) : value,
  ])
  return Object.fromEntries(numbered)
}
