/**
 * How a load into an empty file writes: to the file itself, not to its log first, because all but the first few pages
 * are new. A journal beside the file keeps those few and how many there were, so that what is broken off is undone.
 */
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** As files are written otherwise: those who read go on meanwhile. */
export const inLog = 'pragma journal_mode = wal; pragma synchronous = normal;'

/** Whether the file is written directly from now on: only while no other connection is open. */
export function beginDirectWriting(database: DatabaseSync): boolean {
  if (database.location() === null) return false
  try {
    database.exec('pragma journal_mode = delete; pragma synchronous = full')
    return true
  } catch (error) {
    if (!isBusy(error)) throw error
    return false
  }
}

/** Somebody who reads for long keeps the file as it is: the next to open it then changes that. */
export function endDirectWriting(database: DatabaseSync): void {
  try {
    database.exec(`pragma busy_timeout = 1000; ${inLog}`)
  } catch (error) {
    if (!isBusy(error)) throw error
  } finally {
    // As the writer has it, who waits in its own way.
    database.exec('pragma busy_timeout = 0')
  }
}

/**
 * What a load has left that was killed: whoever only reads cannot undo it. With its log the file tells the next load
 * that somebody has it open.
 */
export function undoDirectWriting(path: string, timeout: number): void {
  if (!existsSync(`${path}-journal`)) return
  const writing = new DatabaseSync(path, { timeout })
  try {
    writing.exec(inLog)
  } finally {
    writing.close()
  }
}

/** SQLITE_BUSY. The low byte says what it is, the others why (https://sqlite.org/rescode.html#extrc). */
export function isBusy(error: unknown): error is { readonly errcode: number } {
  return (((error as { errcode?: number }).errcode ?? 0) & 0xff) === 5
}
