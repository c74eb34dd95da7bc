/**
 * Limits the length of a file's log (`-wal`). SQLite restarts the log when no reader needs its content. With
 * overlapping readers, each on an older state, that never happens, and the log grows until the disk is full. A waiting
 * writer lets all readers reach the last state (https://sqlite.org/wal.html#avoiding_excessively_large_wal_files). It
 * must not know records.
 */
import type { DatabaseSync } from 'node:sqlite'
import { statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Bytes. SQLite itself restarts the log after 8 MB if no reader prevents that. */
const longest = 64 * 1024 * 1024
/** Milliseconds: more than the statements of answers take, and between two attempts. */
const timeout = 30_000
const rest = 20

export class LogLength {
  readonly #database: DatabaseSync
  /** Null in memory, where there is no log. */
  readonly #path: string | null
  #bound = longest

  /** The connection must not wait for locks itself. */
  constructor(database: DatabaseSync) {
    this.#database = database
    const file = database.location()
    this.#path = file === null ? null : `${file}-wal`
  }

  /**
   * Call it before a transaction; waits only if the log is too long. If a reader outlasts the timeout, such as a copy
   * of everything, the limit is raised until the log has grown by the same length again.
   */
  async shorten(): Promise<void> {
    if (this.#size() < this.#bound) return
    for (const end = performance.now() + timeout; performance.now() < end; await pause(rest)) {
      // Truncates the file, so that its size remains the length of the log.
      if (this.#database.prepare('pragma wal_checkpoint(truncate)').get()?.busy !== 0) continue
      this.#bound = longest
      return
    }
    this.#bound = this.#size() + longest
  }

  #size(): number {
    return this.#path === null ? 0 : (statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0)
  }
}
