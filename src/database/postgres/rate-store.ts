/** The table `rate_limit` of the primary, over one connection with short timeouts, because callers wait for it. */
import pg, { type Client, type QueryConfig, type QueryResult } from 'pg'
import { within } from '../../util/async/promises.ts'
import { attemptOf, closeClient, connect } from './connection.ts'
import { DatabaseUnreachableError, isPassing, refusal } from './failures.ts'

/** Integers become numbers, which are large enough for every column of the table. */
const types = {
  getTypeParser: (type: number) => (type === builtins.INT4 || type === builtins.INT8 ? Number : String),
}

const { builtins } = pg.types
/** Milliseconds. */
const shortTimeout = 1_000

export class RateStore implements AsyncDisposable {
  readonly #url: string
  readonly #timeout: number
  #connecting: Promise<Client> | null = null
  #client: Client | null = null
  /** Resolved when the latest query has ended. */
  #latest: Promise<void> = Promise.resolve()

  /** Connects on the first query, and again after a connection was lost. `timeout`: milliseconds of a query. */
  constructor(url: string, timeout = shortTimeout) {
    this.#url = url
    this.#timeout = timeout
  }

  /** Runs queries one after the other; fails after a timeout. */
  async query(statement: QueryConfig): Promise<QueryResult> {
    const before = this.#latest
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#latest = promise
    try {
      await within(this.#timeout, before, () => new DatabaseUnreachableError(busy))
      return await this.#run(statement)
    } finally {
      // A query that gives up waiting does not end the queries before it.
      before.then(resolve)
    }
  }

  /** `before`: milliseconds since 1970; removes rows that expired earlier. */
  async removeEnded(before: number): Promise<void> {
    await this.query({ text: 'delete from rate_limit where expire < $1', values: [before] })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#client !== null) await closeClient(this.#client)
    // Closing does not wait for a server that may never answer.
    else this.#connecting?.then(closeClient, () => undefined)
  }

  async #run(statement: QueryConfig): Promise<QueryResult> {
    const client = await this.#connected()
    try {
      const asked = client.query({ ...statement, types: types as never })
      return await within(this.#timeout, asked, () => new DatabaseUnreachableError(busy))
    } catch (error) {
      if (isPassing(error)) this.#forget(client)
      throw refusal(error, attemptOf(client))
    }
  }

  async #connected(): Promise<Client> {
    if (this.#client !== null) return this.#client
    this.#connecting ??= this.#connect()
    return await within(this.#timeout, this.#connecting, () => new DatabaseUnreachableError(slow))
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
    // A query may still be running on it whose caller has given up.
    client.connection.stream.destroy()
  }
}

const busy = 'The database takes longer than a second for what callers spend.'
const slow = 'The server of the database takes longer than a second to connect.'
