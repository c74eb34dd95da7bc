/**
 * Bounds the log of a file (`-wal`). SQLite starts it from the beginning once nobody reads what is only in it; where
 * readers take turns without a pause somebody always does, each as the file was when it began, and the log grows until
 * the disk is full. A writer that waits lets all of them come to the same state, the last one
 * (https://sqlite.org/wal.html#avoiding_excessively_large_wal_files). It knows no records.
 */
import type { DatabaseSync } from 'node:sqlite'
import { statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Bytes. The engine itself starts anew after 8 MB where nobody is in the way. */
const longest = 64 * 1024 * 1024
/** Milliseconds: longer than the statements of answers take, and between two attempts. */
const timeout = 30_000
const rest = 20

export class LogLength {
  readonly #database: DatabaseSync
  /** Null in memory, where there is none. */
  readonly #path: string | null
  #bound = longest

  /** The connection waits for no lock by itself. */
  constructor(database: DatabaseSync) {
    this.#database = database
    const file = database.location()
    this.#path = file === null ? null : `${file}-wal`
  }

  /**
   * Before a transaction; at once unless the log is too long. Who reads for longer than this is patient, such as a copy
   * of everything, is left alone until the log has grown by as much again.
   */
  async shorten(): Promise<void> {
    if (this.#size() < this.#bound) return
    for (const end = performance.now() + timeout; performance.now() < end; await pause(rest)) {
      // The file is cut, so that its size goes on telling how long the log is.
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
