/**
 * Runs transactions on the writing connection to SQLite, one at a time; detects writes by other processes, and limits the
 * length of the log. It must not know records.
 */
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { databaseBusy } from '../../refusals.ts'
import { readDataVersion, readDerivation } from '../layout/layout.ts'
import type { OpenFile } from '../open-file.ts'
import { untilFree } from '../steps.ts'
import type { SqliteRecordStore } from './record-store.ts'

/** What a transaction changes besides the file. */
type Cached = Pick<SqliteRecordStore, 'refresh' | 'begin' | 'complete'>

/** Milliseconds to wait for another process's transaction. */
const lockTimeout = 10_000

export class Transactions {
  readonly #database: DatabaseSync
  readonly #cached: Cached
  readonly #shortenLog: () => Promise<void>
  readonly #derivation: string
  readonly #file: OpenFile | null
  /** Differs after writes of other processes. Null at first, because what was read before may be older. */
  #dataVersion: unknown = null
  #busy: Promise<unknown> = Promise.resolve()

  /** `file` is null for writes within a caller's transaction. `derivation`: that of the tables, as stored in the table `state`. */
  constructor(database: DatabaseSync, derivation: string, file: OpenFile | null, cached: Cached) {
    this.#file = file
    this.#database = database
    this.#derivation = derivation
    this.#cached = cached
    this.#shortenLog = createLogShortener(database)
  }

  /** Settles when no work is running. */
  get idle(): Promise<unknown> {
    return this.#busy
  }

  /** Atomic. `deferred` reads one snapshot and excludes no one, `immediate` other writers. */
  transact<Result>(work: () => Result, { durable = false, lock = 'immediate' } = {}): Promise<Result> {
    return this.exclusively(() =>
      this.synced(durable, async () => {
        await this.begin(lock)
        return this.finish(work)
      }),
    )
  }

  /** For work that calls `begin` and `finish` itself. */
  async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#busy.then(work)
    this.#busy = turn.catch(() => undefined)
    return turn
  }

  /**
   * In WAL mode, a loss of power after `normal` loses the last transactions, but does not damage the file
   * (https://sqlite.org/wal.html); `full` syncs this transaction and all before it.
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

  /** Call it within `exclusively`. Refreshes cached state at first, and after other processes have written. */
  async begin(lock = 'immediate'): Promise<void> {
    this.#file?.assertSame()
    await this.#shortenLog()
    const begin = (): void => this.#database.exec(`begin ${lock}`)
    if (!(await untilFree(lockTimeout, begin))) throw databaseBusy()
    const version = readDataVersion(this.#database)
    try {
      if (version !== this.#dataVersion) {
        if (readDerivation(this.#database) !== this.#derivation)
          throw new Error('The database has been rebuilt for other lexicons meanwhile. Start again.')
        this.#cached.refresh()
        this.#dataVersion = version
      }
      this.#cached.begin()
    } catch (error) {
      this.#database.exec('rollback')
      throw error
    }
  }

  /** Commits the transaction of `begin`, or rolls it back. */
  finish<Result>(work: () => Result): Result {
    try {
      const result = work()
      this.#cached.complete()
      this.#file?.assertSame()
      this.#database.exec('commit')
      return result
    } catch (error) {
      this.rollback()
      throw error
    }
  }

  /** Cached order and ids must not be ahead of the file, so they are read again. */
  rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('rollback')
    this.#cached.refresh()
  }
}

/** Bytes. SQLite itself restarts the log after 8 MB if no reader prevents that. */
const longestLog = 64 * 1024 * 1024
/** Milliseconds: more than the statements of answers take. */
const readersTimeout = 30_000

/**
 * Limits the length of a file's log (`-wal`). SQLite restarts the log when no reader needs its content. With
 * overlapping readers, each on an older state, that never happens, and the log grows until the disk is full. A waiting
 * writer lets all readers reach the last state (https://sqlite.org/wal.html#avoiding_excessively_large_wal_files).
 *
 * Call the function before a transaction; it waits only if the log is too long. If a reader outlasts the timeout, such
 * as a copy of everything, the limit is raised until the log has grown by the same length again. The connection must not
 * wait for locks itself.
 */
export function createLogShortener(database: DatabaseSync): () => Promise<void> {
  const file = database.location()
  // In memory there is no log.
  if (file === null) return async () => undefined
  const size = (): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  let bound = longestLog
  return async () => {
    if (size() < bound) return
    // Truncates the file, so that its size remains the length of the log.
    const checkpoint = database.prepare('pragma wal_checkpoint(truncate)')
    const isShort = await untilFree(readersTimeout, () => checkpoint.get()?.busy === 0)
    bound = isShort ? longestLog : size() + longestLog
  }
}
