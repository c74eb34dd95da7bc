/**
 * The connections to one server for reading: how many, how many of them for what takes long, how long a caller waits
 * for one, and when one is closed.
 */
import pg from 'pg'
import { ServiceError } from '../../../errors.ts'
import { FairSemaphore } from '../../../util/async/fair-semaphore.ts'
import type { ReadTerms } from '../../database.ts'
import { cancelStatement } from './cancel.ts'
import { attemptOf, clientConfig, createClient, prepareClient } from '../connection.ts'
import { type Attempt, connectionFailure, DatabaseUnreachableError, isPassing } from '../failures.ts'
import { Liveness } from './liveness.ts'
import { isWornOut } from '../prepared.ts'

export interface PoolOptions {
  readonly poolSize: number
  /** Milliseconds that the server gives a short statement; ten seconds unless said otherwise. */
  readonly statementTimeout?: number
}

/** Milliseconds after which the server should have stopped a statement by itself, but has not. */
const grace = 5000
/**
 * Milliseconds that the server gives a long one. It is ended by its signal long before, but the request to end it may
 * get lost.
 */
const longest = 3_600_000
/** For the driver. */
export const longTimeout = longest + grace
const mostWaiting = 1000
/**
 * Milliseconds that a short statement nobody waits for is given to end by itself. Ending it costs two connections,
 * and would be cheap to provoke.
 */
const gracePeriod = 100

/** What is done with one connection. */
export type Query<Result> = (client: pg.PoolClient) => Promise<Result>

export class QueryPool implements AsyncDisposable {
  readonly #url: string
  readonly #attempt: Attempt
  readonly #pool: pg.Pool
  readonly #open = new Set<pg.PoolClient>()
  readonly #liveness: Liveness
  /** Busy with what takes long. */
  readonly #long = new Set<pg.PoolClient>()
  /** Asked to end that, which may still be under way. */
  readonly #cancelled = new WeakSet<pg.PoolClient>()
  /** Others are left to what is short. */
  readonly #longPermits: FairSemaphore

  /** `url` names one host. */
  constructor(url: string, { poolSize, statementTimeout = 10_000 }: PoolOptions) {
    this.#url = url
    this.#attempt = attemptOf(createClient(url))
    this.#liveness = new Liveness(url)
    this.#longPermits = new FairSemaphore({ permits: Math.max(1, Math.floor(poolSize / 2)), mostWaiting })
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
    this.#pool.on('remove', (client) => {
      this.#open.delete(client)
      this.#liveness.forget(client)
    })
  }

  /** Host and port, for messages. */
  get server(): string {
    return this.#attempt.server
  }

  /**
   * Fails with a `DatabaseUnreachableError` when there is no connection to be had, with the driver's error otherwise.
   * What is under way is ended when its signal is aborted, and fails only once that is done.
   */
  async run<Result>(work: Query<Result>, terms: ReadTerms): Promise<Result> {
    if (terms.kind === 'short') {
      const { signal } = terms
      return this.#use(signal === undefined ? work : (client) => this.#runShort(client, work, signal))
    }
    using _permit = await this.#longPermits.acquire(terms)
    return await this.#use((client) => this.#runLong(client, work, terms.signal))
  }

  /** Fails what is under way, because the server is silent and nobody knows for how long. */
  cut(): void {
    for (const client of this.#open) client.connection.stream.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#longPermits[Symbol.dispose]()
    this.#liveness[Symbol.dispose]()
    const ended = this.#pool.end()
    for (const client of this.#long) this.#cancel(client)
    this.cut()
    await ended
  }

  async #use<Result>(work: Query<Result>): Promise<Result> {
    const client = await this.#connectAlive()
    let isSound = false
    this.#liveness.begin(client)
    try {
      const result = await work(client)
      isSound = true
      return result
    } catch (error) {
      // Whatever else it was, the connection may have been left in the middle of something.
      isSound = error instanceof ServiceError || (error instanceof pg.DatabaseError && !isPassing(error))
      throw error
    } finally {
      const isKept = isSound && this.#isReusable(client)
      if (isKept) this.#liveness.end(client)
      else this.#liveness.forget(client)
      client.release(!isKept)
    }
  }

  async #runShort<Result>(client: pg.PoolClient, work: Query<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted()
    let timer: NodeJS.Timeout | undefined
    const abort = (): void => {
      timer = setTimeout(() => this.#cancel(client), gracePeriod)
    }
    signal.addEventListener('abort', abort)
    try {
      return await work(client)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  async #runLong<Result>(client: pg.PoolClient, work: Query<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted()
    const cancel = (): void => this.#cancel(client)
    signal.addEventListener('abort', cancel)
    this.#long.add(client)
    try {
      return await withoutLimit(client, async () => {
        // What is asked for before may have been ended in its place.
        signal.throwIfAborted()
        return work(client)
      })
    } finally {
      signal.removeEventListener('abort', cancel)
      this.#long.delete(client)
      // The driver may have other words for it.
      signal.throwIfAborted()
    }
  }

  #cancel(client: pg.PoolClient): void {
    this.#cancelled.add(client)
    void cancelStatement(this.#url, client)
  }

  #isReusable(client: pg.PoolClient): boolean {
    return client.getTransactionStatus() === 'I' && !this.#cancelled.has(client) && !isWornOut(client)
  }

  /** Nothing has been sent on a connection that turns out to be lost, so that the next one is taken. */
  async #connectAlive(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await this.#connect()
      if (await this.#liveness.isAlive(client)) return client
      client.release(true)
    }
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

/** The limit that the connection has is for what is short. */
async function withoutLimit<Result>(client: pg.PoolClient, work: () => Promise<Result>): Promise<Result> {
  await client.query(`begin read only; set local statement_timeout = ${longest}`)
  try {
    return await work()
  } finally {
    // Nothing was written. If the connection is lost, that was told already.
    await client.query('rollback').catch(() => undefined)
  }
}
