/**
 * Transactions of the writer, one at a time, over a connection that is opened when it is first needed and anew when
 * it was lost. One writes at a time in all processes, too. Of what is kept nothing is remembered from one
 * transaction to the next.
 */
import type { Client, ClientBase, QueryConfig } from 'pg'
import { type ColumnValue, DatabaseBusyError } from '../../database.ts'
import type { AccountStatus } from '../../write/decide.ts'
import { closeClient } from '../connection.ts'
import { codeOf, isPassing } from '../failures.ts'
import { runPrepared } from '../prepared.ts'

export interface Transaction {
  readonly client: ClientBase
  /** In PostgreSQL's own spelling; integers come as bigint. */
  readonly query: <Row extends object>(text: string, ...values: readonly Value[]) => Promise<readonly Row[]>
  /** Ids of URIs' first parts, as far as they are known. */
  readonly bases: Map<string, bigint>
  /** Accounts as far as they are known; null: nothing is kept of it. */
  readonly accountStatuses: Map<string, AccountStatus | null>
  /** DIDs and URIs that operators hid, of what was looked for. */
  readonly hidden: Set<string>
  /** The same of what they removed for good. */
  readonly purged: Set<string>
  /** Whether there may be any. */
  readonly has: { tombstones: boolean; rejections: boolean; hidings: boolean; expired: boolean }
}

/** Several values are one parameter, an array. */
type Value = ColumnValue | readonly ColumnValue[]

/** The first key of all locks of this program. */
export const lockSpace = 1_282_950_002
/** The second: who has which of them writes, lays out or rebuilds, follows sources, or copies into the database. */
export const locks = { writing: 1, migrating: 2, following: 3, copying: 4 } as const

/** Looking up some rows goes through indexes, whatever is known of a table that was empty a moment ago. */
const indexesOnly =
  'set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off;'
const beginReading = `begin isolation level repeatable read read only; ${indexesOnly}`
const beginWriting = `begin; ${indexesOnly}
  set local lock_timeout = '10s'; select pg_advisory_xact_lock(${lockSpace}, ${locks.writing}); set local lock_timeout = 0;`

/** Milliseconds without use after which a connection is asked whether it is still there, and that it has to answer. */
const longestRest = 1_000
const longestAnswer = 5_000

/** After these the connection is as good as before. */
const harmless = new Set(['55P03', '40P01', '40001'])

export class Transactions {
  readonly #connect: () => Promise<Client>
  readonly #derivation: string
  #client: Client | null = null
  #usedAt = 0
  #busy: Promise<unknown> = Promise.resolve()

  constructor(connect: () => Promise<Client>, derivation: string) {
    this.#connect = connect
    this.#derivation = derivation
  }

  /** All of the work or nothing. When it ends with a `DatabaseBusyError`, it may be asked for again. */
  transact<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    statements = beginWriting,
  ): Promise<Result> {
    return this.exclusively(async () => {
      const transaction = await this.begin(statements)
      const result = await work(transaction)
      await transaction.client.query('commit')
      return result
    })
  }

  /** Reads one snapshot while other processes may write. */
  read<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.transact(work, beginReading)
  }

  /** For work that begins and commits by itself; what it leaves open is undone when it fails. */
  async exclusively<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const turn = this.#busy.then(async () => {
      try {
        return await work(this.#client ?? (await this.#connected()))
      } catch (error) {
        throw await this.#undo(error)
      } finally {
        this.#usedAt = performance.now()
      }
    })
    this.#busy = turn.catch(() => undefined)
    return turn
  }

  /** Within `exclusively`. */
  async begin(statements = beginWriting): Promise<Transaction> {
    try {
      return await this.#begin(statements, this.#client ?? (await this.#connected()))
    } catch (error) {
      // It may have been lost since it was last used, which nobody notices before; nothing has been done on it yet.
      if (!isLost(error)) throw error
      await this.#drop()
      return this.#begin(statements, await this.#connected())
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#busy
    await this.#drop()
  }

  async #connected(): Promise<Client> {
    const client = await this.#connect()
    client.on('end', () => {
      if (this.#client === client) this.#client = null
    })
    this.#client = client
    this.#usedAt = performance.now()
    return client
  }

  async #begin(statements: string, client: Client): Promise<Transaction> {
    // A firewall may have forgotten it; what is sent would then vanish, and nothing here has a limit of time.
    if (performance.now() - this.#usedAt > longestRest)
      await client.query({ text: 'select', query_timeout: longestAnswer } as QueryConfig)
    await client.query(statements)
    const transaction = createTransaction(client)
    const [state] = await transaction.query<{ derivation: string } & Transaction['has']>(
      `select derivation, exists (select from tombstone) as tombstones, exists (select from rejection) as rejections,
         exists (select from hiding where shown_at is null) as hidings, exists (select from expired) as expired
       from state`,
    )
    if (state?.derivation !== this.#derivation)
      throw new Error('The database has been rebuilt for other lexicons meanwhile. Start again.')
    const { tombstones, rejections, hidings, expired } = state
    Object.assign(transaction.has, { tombstones, rejections, hidings, expired })
    return transaction
  }

  /** The error to throw: what may pass by itself may be asked for again. */
  async #undo(error: unknown): Promise<unknown> {
    const passing = isPassing(error)
    if (isLost(error)) await this.#drop()
    try {
      await this.#client?.query('rollback')
    } catch {
      await this.#drop()
    }
    if (!passing) return error
    const message =
      codeOf(error) === '55P03'
        ? 'Another process is writing to the database. Try again when it is done.'
        : `The database takes no writes at the moment: ${(error as Error).message}`
    return new DatabaseBusyError(message, { cause: error })
  }

  async #drop(): Promise<void> {
    const client = this.#client
    this.#client = null
    if (client !== null) await closeClient(client)
  }
}

/** All of the work or nothing, on a connection of the caller's. `begin` opens the transaction, and may do more. */
export async function within<Result>(
  client: ClientBase,
  begin: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query(begin)
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    // When the connection is what failed, nothing is left to be undone.
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Whether the connection is of no use any more. */
function isLost(error: unknown): boolean {
  return isPassing(error) && !harmless.has(codeOf(error) ?? '')
}

/** Within a transaction of the caller's. */
export function createTransaction(client: ClientBase): Transaction {
  return {
    client,
    query: async (text, ...values) => {
      const { rows } = await runPrepared(client, { text, values: values as ColumnValue[] })
      return rows
    },
    bases: new Map(),
    accountStatuses: new Map(),
    hidden: new Set(),
    purged: new Set(),
    has: { tombstones: true, rejections: true, hidings: true, expired: true },
  }
}
