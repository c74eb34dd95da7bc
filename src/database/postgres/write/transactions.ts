/** Transactions of the writer, one at a time: a lock allows one writer, and nothing is cached from one to the next. */
import type { Client, ClientBase, QueryConfig, QueryResult } from 'pg'
import { DatabaseBusyError } from '../../database.ts'
import { databaseBusy } from '../../refusals.ts'
import { ask, type Steps, type WriteDialect } from '../../metadata/steps.ts'
import { formatCid } from '../../../lexicon/records/cid.ts'
import type { WriteTransaction } from '../../write/write-transaction.ts'
import { createWriteTransaction, notePresence, presence } from '../../write/write-transaction.ts'
import { attemptOf, closeClient } from '../connection.ts'
import { codeOf, isPassing, refusal } from '../failures.ts'
import { runSteps } from '../prepared.ts'
import { jsonAt } from '../layout/ddl.ts'
import { changeTable } from '../layout/rebuild-state.ts'

export interface Transaction extends WriteTransaction {
  readonly client: ClientBase
  readonly run: <Result>(steps: Steps<Result>) => Promise<Result>
}

/** The first key of all locks of this program. */
export const lockSpace = 1_282_950_002
/** The second key; `migrating` also for rebuilds, `committing` on several nodes. */
export const locks = { writing: 1, migrating: 2, following: 3, copying: 4, committing: 5 } as const

/** The key of the lock that makes a commit on several nodes one step (read/one-state.ts). */
export const gate = `${lockSpace}, ${locks.committing}`
/** The last statement of a transaction that is seen on all nodes at once. */
export const closeGate = `select pg_advisory_xact_lock(${gate})`

/** Yields a row for each node that has something half committed, or is away. A commit under way looks the same. */
const unresolved = `${closeGate}; select from run_command_on_workers($$select count(*) from pg_prepared_xacts
    where database = current_database() and gid like 'citus_%'$$) where not success or result <> '0'`

/** Rows are looked up by indexes, whatever the statistics say of a table that was empty a moment ago. */
export const indexesOnly =
  'set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off;'
const beginReading = `begin isolation level repeatable read read only; ${indexesOnly}`
const beginWriting = `begin; ${indexesOnly}
  set local lock_timeout = '10s'; select pg_advisory_xact_lock(${lockSpace}, ${locks.writing}); set local lock_timeout = 0;`

/** Milliseconds of idleness after which a connection is tested, and milliseconds that it has to answer. */
const longestRest = 1_000
const longestAnswer = 5_000

/** SQLSTATE of temporary failures after which the connection remains usable. */
const harmless = new Set(['55P03', '40P01', '40001'])

export class Transactions {
  readonly #connect: () => Promise<Client>
  readonly #derivation: string
  readonly #isSpread: boolean
  /** Whether a node may not have committed what the others have. */
  #isDoubtful = false
  #isCommitting = false
  #client: Client | null = null
  #usedAt = 0
  #busy: Promise<unknown> = Promise.resolve()

  /** `isSpread`: over the nodes of a cluster. */
  constructor(connect: () => Promise<Client>, derivation: string, isSpread: boolean) {
    this.#connect = connect
    this.#derivation = derivation
    this.#isSpread = isSpread
  }

  /** Runs all of the work or nothing. After a `DatabaseBusyError` the caller may repeat it. */
  transact<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    statements = beginWriting,
  ): Promise<Result> {
    return this.exclusively(async () => {
      const transaction = await this.begin(statements)
      const result = await work(transaction)
      await (statements === beginReading ? transaction.client.query('commit') : this.commit(transaction))
      return result
    })
  }

  /** To be called within `exclusively`. */
  async commit({ client }: Pick<Transaction, 'client'>): Promise<void> {
    this.#isCommitting = true
    try {
      await client.query(this.#isSpread ? `${closeGate}; commit` : 'commit')
    } finally {
      this.#isCommitting = false
    }
  }

  /** Reads one snapshot while other processes may write. */
  read<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.transact(work, beginReading)
  }

  /** For work that begins and commits by itself; a failure rolls back an open transaction. */
  async exclusively<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const turn = this.#busy.then(async () => {
      try {
        if (this.#isDoubtful) await this.#drop()
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

  /** To be called within `exclusively`. */
  async begin(statements = beginWriting): Promise<Transaction> {
    try {
      return await this.#begin(statements, this.#client ?? (await this.#connected()))
    } catch (error) {
      // The connection may have been lost silently since its last use; nothing has been done on it yet.
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
    if (this.#isSpread) await this.#resolve(client)
    client.on('end', () => {
      if (this.#client === client) this.#client = null
    })
    this.#client = client
    this.#usedAt = performance.now()
    return client
  }

  /** Resolves what nodes that were away left half committed. Failures of nodes to commit are told as warnings alone. */
  async #resolve(client: Client): Promise<void> {
    client.on('notice', ({ severity }) => {
      this.#isDoubtful ||= this.#isCommitting && severity === 'WARNING'
    })
    await client.query('select recover_prepared_transactions()')
    const [, left] = (await client.query(unresolved)) as unknown as readonly QueryResult[]
    if (left === undefined || left.rows.length > 0) {
      await closeClient(client)
      throw new DatabaseBusyError('A node of the cluster is away, or has not resolved its transactions yet.')
    }
    this.#isDoubtful = false
  }

  async #begin(statements: string, client: Client): Promise<Transaction> {
    // A firewall may have dropped the connection; statements would then vanish, and none here has a timeout.
    if (performance.now() - this.#usedAt > longestRest)
      await client.query({ text: 'select', query_timeout: longestAnswer } as QueryConfig)
    await client.query(statements)
    const transaction = createTransaction(client)
    const [state] = await transaction.run(
      ask(`select derivation, to_regclass('${changeTable}')::text as changes, ${presence} from state`),
    )
    if (state?.derivation !== this.#derivation)
      throw new Error('The database has been rebuilt for other lexicons meanwhile. Start again.')
    notePresence(transaction, state)
    transaction.changes = state.changes as string | null
    return transaction
  }

  /** Rolls back and returns the error to throw: a temporary failure becomes a `DatabaseBusyError`. */
  async #undo(error: unknown): Promise<unknown> {
    const passing = isPassing(error)
    const client = this.#client
    if (isLost(error)) await this.#drop()
    try {
      await this.#client?.query('rollback')
    } catch {
      await this.#drop()
    }
    if (!passing) return client === null ? error : refusal(error, attemptOf(client))
    if (codeOf(error) === '55P03') return databaseBusy(error)
    const message = `The database takes no writes at the moment: ${(error as Error).message}`
    return new DatabaseBusyError(message, { cause: error })
  }

  async #drop(): Promise<void> {
    const client = this.#client
    this.#client = null
    if (client !== null) await closeClient(client)
  }
}

/** Runs all of the work or nothing, on the caller's connection. `begin` opens the transaction, and may do more. */
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
    // If the connection itself failed, there is nothing to roll back.
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Whether the connection is unusable. */
function isLost(error: unknown): boolean {
  return isPassing(error) && !harmless.has(codeOf(error) ?? '')
}

/** For a transaction that the caller has begun. */
export function createTransaction(client: ClientBase): Transaction {
  return {
    ...createWriteTransaction(writeDialect),
    client,
    run: (steps) => runSteps(client, steps),
  }
}

const types = { bigint: 'bigint', text: 'text', cid: 'text', record: 'jsonb' } as const

/** How PostgreSQL spells what the write path states once. */
const writeDialect: WriteDialect = {
  given(columns) {
    const typed = Object.entries(columns).map(([name, type]) => `${name} ${types[type]}`)
    return `json_to_recordset(?) as given (${typed.join(', ')})`
  },
  cid: (cid) => (typeof cid === 'string' ? cid : formatCid(cid)),
  // PostgreSQL accepts no NUL in texts.
  text: (text) => text.toWellFormed().replaceAll('\0', '\uFFFD'),
  recordText: 'record::text',
  jsonAt: (column, path) => `${jsonAt(column, path)}::text`,
}
