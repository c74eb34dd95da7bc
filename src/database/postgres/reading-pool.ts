/** The connections to one server for reading: how many, how long a caller waits for one, and when one is closed. */
import pg from 'pg'
import { ServiceError } from '../../errors.ts'
import { attemptOf, clientConfig, createClient, prepareClient } from './connection.ts'
import { type Attempt, connectionFailure, DatabaseUnreachableError, isPassing } from './failures.ts'
import { isWornOut } from './prepared.ts'

export interface PoolOptions {
  readonly poolSize: number
  /** Milliseconds. */
  readonly statementTimeout: number
}

/** Milliseconds after which the server should have stopped a statement by itself, but has not. */
const grace = 5000

export class ReadingPool implements AsyncDisposable {
  readonly #attempt: Attempt
  readonly #pool: pg.Pool
  readonly #open = new Set<pg.PoolClient>()

  /** `url` names one host. */
  constructor(url: string, { poolSize, statementTimeout }: PoolOptions) {
    this.#attempt = attemptOf(createClient(url))
    this.#pool = new pg.Pool({
      ...clientConfig(url),
      max: poolSize,
      idleTimeoutMillis: 60_000,
      // Now and then anew, so that what a server holds for a connection does not only grow.
      maxLifetimeSeconds: 3600,
      query_timeout: statementTimeout + grace,
      // The driver waits for it, whatever its type says.
      onConnect: (client) => prepareClient(client as pg.Client, 'read', { statementTimeout }) as never,
    })
    // Lost while idle: the pool has taken it out already.
    this.#pool.on('error', () => undefined)
    this.#pool.on('connect', (client) => {
      // Lost while in use: the statement under way fails, or the next one.
      client.on('error', () => undefined)
      this.#open.add(client)
    })
    this.#pool.on('remove', (client) => this.#open.delete(client))
  }

  /** Host and port, for messages. */
  get server(): string {
    return this.#attempt.server
  }

  /** Fails with a `DatabaseUnreachableError` when there is no connection to be had, with the driver's error otherwise. */
  async run<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#connect()
    let isSound = false
    try {
      const result = await work(client)
      isSound = true
      return result
    } catch (error) {
      // Whatever else it was, the connection may have been left in the middle of something.
      isSound = error instanceof ServiceError || (error instanceof pg.DatabaseError && !isPassing(error))
      throw error
    } finally {
      client.release(!isSound || client.getTransactionStatus() !== 'I' || isWornOut(client))
    }
  }

  /** Fails what is under way, because the server is silent and nobody knows for how long. */
  cut(): void {
    for (const client of this.#open) client.connection.stream.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.#pool.end()
    this.cut()
    await ended
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect()
    } catch (cause) {
      if (cause instanceof Error && cause.message === 'timeout exceeded when trying to connect')
        throw new ServiceError(
          'UNAVAILABLE',
          'All connections to the database are busy.',
          { retryAfter: 1 },
          { cause },
        )
      const failure = connectionFailure(cause, this.#attempt)
      // A wrong password too: with another server, or when somebody has put it right, it works again.
      throw new DatabaseUnreachableError(failure.message, { cause })
    }
  }
}
