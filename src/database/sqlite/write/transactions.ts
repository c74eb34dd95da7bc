/** Transactions on the writing connection to SQLite, one at a time, and what other processes do between them. */
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseBusyError } from '../../database.ts'
import { isBusy } from '../failures.ts'
import { LogLength } from './log-length.ts'

export interface TransactionHooks {
  /** What memory says of the file is to be read again: another process wrote, or a transaction was undone. */
  readonly refresh: () => void
  /** Writes what was gathered in memory. */
  readonly beforeCommit: () => void
}

/** Against nobody, or others who write. */
type Lock = 'deferred' | 'immediate'

/** Milliseconds that a transaction waits for another process's, and between two attempts. */
const lockTimeout = 10_000
const lockPause = 20

export class Transactions {
  readonly #database: DatabaseSync
  readonly #hooks: TransactionHooks
  readonly #log: LogLength
  readonly #derivation: unknown
  /** As `pragma data_version` has it: another value means that another process has written. */
  #dataVersion: unknown
  #busy: Promise<unknown> = Promise.resolve()

  constructor(database: DatabaseSync, hooks: TransactionHooks) {
    this.#database = database
    this.#hooks = hooks
    this.#log = new LogLength(database)
    this.#derivation = this.#readDerivation()
    this.#dataVersion = this.#readDataVersion()
  }

  /** Settles when no work is under way. */
  get idle(): Promise<unknown> {
    return this.#busy
  }

  /** All of the work or nothing. */
  transact<Result>(work: () => Result, { durable = false } = {}): Promise<Result> {
    return this.exclusively(() =>
      this.synced(durable, async () => {
        await this.begin()
        return this.finish(work)
      }),
    )
  }

  /** Reads one snapshot while other processes may write. */
  read<Result>(work: () => Result): Promise<Result> {
    return this.exclusively(async () => {
      await this.begin('deferred')
      return this.finish(work)
    })
  }

  /** For work that begins and finishes by itself. */
  async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#busy.then(work)
    this.#busy = turn.catch(() => undefined)
    return turn
  }

  /**
   * In WAL mode `normal` loses the last transactions with the power, never the file (https://sqlite.org/wal.html);
   * `full` has this one and all before it on the disk when it ends.
   */
  async synced<Result>(durable: boolean, work: () => Promise<Result>): Promise<Result> {
    if (!durable) return work()
    this.#database.exec('pragma synchronous = full')
    try {
      return await work()
    } finally {
      this.#database.exec('pragma synchronous = normal')
    }
  }

  /** Within `exclusively`. Other processes may have written since the last transaction: memory is then refreshed. */
  async begin(lock: Lock = 'immediate'): Promise<void> {
    await this.#log.shorten()
    await this.#lock(lock)
    const version = this.#readDataVersion()
    if (version === this.#dataVersion) return
    try {
      if (this.#readDerivation() !== this.#derivation)
        throw new Error('The database has been rebuilt for other lexicons meanwhile. Start again.')
      this.#hooks.refresh()
      this.#dataVersion = version
    } catch (error) {
      this.#database.exec('rollback')
      throw error
    }
  }

  /** Ends what `begin` began. */
  finish<Result>(work: () => Result): Result {
    try {
      const result = work()
      this.#hooks.beforeCommit()
      this.#database.exec('commit')
      return result
    } catch (error) {
      this.rollback()
      throw error
    }
  }

  /** Memory must not be ahead of the file: what it says of order and ids is read again. */
  rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('rollback')
    this.#hooks.refresh()
  }

  /** The engine's own waiting would hold up everything else that this thread does. */
  async #lock(lock: Lock): Promise<void> {
    const end = performance.now() + lockTimeout
    for (;;) {
      try {
        this.#database.exec(`begin ${lock}`)
        return
      } catch (cause) {
        if (!isBusy(cause)) throw cause
        if (performance.now() > end)
          throw new DatabaseBusyError(
            'Another process is writing to the database. Try again when it is done.',
            { cause },
          )
      }
      await pause(lockPause)
    }
  }

  #readDerivation(): unknown {
    return this.#database.prepare('select derivation from state').get()?.derivation
  }

  #readDataVersion(): unknown {
    return this.#database.prepare('pragma data_version').get()?.data_version
  }
}
