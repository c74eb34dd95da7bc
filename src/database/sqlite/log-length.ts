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
const patience = 30_000
const rest = 20

export class LogLength {
  readonly #database: DatabaseSync
  #bound = longest

  /** The connection waits for no lock by itself. */
  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /**
   * Before a transaction; at once unless the log is too long. Who reads for longer than this is patient, such as a copy
   * of everything, is left alone until the log has grown by as much again.
   */
  async shorten(): Promise<void> {
    // The file does not shrink when the log starts from its beginning.
    if (this.#fileSize() < this.#bound || this.#checkpoint('passive').bytes < this.#bound) return
    for (const end = performance.now() + patience; performance.now() < end; await pause(rest)) {
      if (this.#checkpoint('restart').isBusy) continue
      this.#bound = longest
      return
    }
    this.#bound = this.#checkpoint('passive').bytes + longest
  }

  #fileSize(): number {
    const path = this.#database.location()
    // In memory there is none.
    return path === null ? 0 : (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0)
  }

  #checkpoint(mode: 'passive' | 'restart') {
    const row = this.#database.prepare(`pragma wal_checkpoint(${mode})`).get()
    const { page_size: pageSize } = this.#database.prepare('pragma page_size').get() ?? {}
    return { isBusy: row?.busy === 1, bytes: Number(row?.log) * Number(pageSize) }
  }
}
