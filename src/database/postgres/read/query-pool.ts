/** The pool of read connections to one server, some of which are left to short statements. */
import { addAbortListener } from 'node:events'
import pg from 'pg'
import { ServiceError } from '../../../errors.ts'
import { FairSemaphore } from '../../../util/async/fair-semaphore.ts'
import type { ReadTerms } from '../../database.ts'
import { attemptOf, clientConfig, createClient, prepareClient, processOf, withClient } from '../connection.ts'
import { type Attempt, connectionFailure, DatabaseUnreachableError, isPassing } from '../failures.ts'
import { Liveness } from './liveness.ts'
import { isWornOut } from '../prepared.ts'

export interface PoolOptions {
  readonly poolSize: number
  /** Milliseconds after which the server ends a short statement; 10,000 by default. */
  readonly statementTimeout?: number
}

/** Milliseconds beyond the server's own timeout after which the driver gives up on a statement. */
const grace = 5000
/** Milliseconds after which the server ends a long statement, if the request to cancel it got lost. */
export const longest = 3_600_000
/** The driver's timeout for long statements, in milliseconds. */
export const longTimeout = longest + grace
const mostWaiting = 1000
/** Milliseconds that an abandoned short statement has to end: callers could provoke costly cancellations cheaply. */
const gracePeriod = 100

/** Work on one connection. */
export type Query<Result> = (client: pg.PoolClient) => Promise<Result>

export class QueryPool implements AsyncDisposable {
  readonly #url: string
  readonly #attempt: Attempt
  readonly #pool: pg.Pool
  readonly #open = new Set<pg.PoolClient>()
  readonly #liveness: Liveness
  /** Connections that run long statements. */
  readonly #long = new Set<pg.PoolClient>()
  /** Connections whose cancellation may still be under way. */
  readonly #cancelled = new WeakSet<pg.PoolClient>()
  /** Leaves some connections to short statements. */
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
      // Connections are replaced now and then, because the memory of a server process only grows.
      maxLifetimeSeconds: 3600,
      query_timeout: statementTimeout + grace,
      // The driver awaits the promise, although the type does not allow one.
      onConnect: (client) => prepareClient(client as pg.Client, 'read', statementTimeout) as never,
    })
    // Lost while idle: the pool has already removed the connection.
    this.#pool.on('error', () => undefined)
    this.#pool.on('connect', (client) => {
      // Lost while in use: the current or the next statement fails.
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
   * Fails with a `DatabaseUnreachableError` if there is no connection, otherwise with the driver's error. An aborted
   * signal cancels the statement, and the call fails only when the statement has ended.
   */
  async run<Result>(work: Query<Result>, terms: ReadTerms): Promise<Result> {
    if (terms.kind === 'short') {
      const { signal } = terms
      return this.#use(signal === undefined ? work : (client) => this.#runShort(client, work, signal))
    }
    using _permit = await this.#longPermits.acquire(terms)
    return await this.#use((client) => this.#runLong(client, work, terms.signal))
  }

  /** Fails all running statements, because the server is silent and may remain so. */
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
      // After any other error the state of the connection is unknown.
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
    using _listener = addAbortListener(signal, () => {
      timer = setTimeout(() => this.#cancel(client), gracePeriod)
    })
    try {
      return await work(client)
    } finally {
      clearTimeout(timer)
    }
  }

  async #runLong<Result>(client: pg.PoolClient, work: Query<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted()
    using _listener = addAbortListener(signal, () => this.#cancel(client))
    this.#long.add(client)
    try {
      return await withoutLimit(client, async () => {
        // The cancellation may have hit the statement before this one.
        signal.throwIfAborted()
        return work(client)
      })
    } finally {
      this.#long.delete(client)
      // Replaces the driver's error.
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

  /** Nothing has been sent yet on a connection that turns out to be lost, so another one can be used. */
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
      // Even a wrong password is temporary: another server may accept it, or an operator may correct it.
      throw new DatabaseUnreachableError(failure.message, { cause })
    }
  }
}

/** The timeout of the connection is that of short statements. */
async function withoutLimit<Result>(client: pg.PoolClient, work: () => Promise<Result>): Promise<Result> {
  await client.query(`begin read only; set local statement_timeout = ${longest}`)
  try {
    return await work()
  } finally {
    // Nothing was written. If the connection is lost, the work has already failed.
    await client.query('rollback').catch(() => undefined)
  }
}

/** Milliseconds that a server has to cancel it. */
const cancelTimeout = 1000

/**
 * Cancels the statement that runs on a connection, on the server too. The connection must not be used afterwards: the
 * request takes another way and might end the next statement. If it has no effect, the connection is cut, so that its
 * caller need not wait any longer; the server notices the cut by itself.
 */
async function cancelStatement(url: string, client: pg.PoolClient): Promise<void> {
  const cut = setTimeout(() => client.connection.stream.destroy(), cancelTimeout)
  client.once('end', () => clearTimeout(cut))
  try {
    const cancel = (other: pg.Client) =>
      other.query('select pg_cancel_backend($1::integer)', [processOf(client)])
    await withClient(url, 'read', cancel, cancelTimeout)
  } catch {
    // The timer cuts the connection.
  }
}
