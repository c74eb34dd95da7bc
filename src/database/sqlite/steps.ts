/** Runs engine-independent steps, and transactions, synchronously on a connection to SQLite. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Steps } from '../metadata/steps.ts'
import { isBusy } from './failures.ts'

export type Run = <Result>(steps: Steps<Result>) => Result

/** A limit, because some statements name the table of a collection, of which there may be any number. */
const storedStatements = 100

export function createRunner(database: DatabaseSync): Run {
  const statements = new LRUCache<string, StatementSync>({
    max: storedStatements,
    memoMethod: (text) => database.prepare(text, { readBigInts: true }),
  })
  return (steps) => {
    let step = steps.next()
    while (step.done !== true) step = steps.next(statements.memo(step.value.text).all(...step.value.values))
    return step.value
  }
}

/** Milliseconds between two attempts. */
const rest = 20

/**
 * Repeats work for so many milliseconds, until no other process's lock prevents it and it does not return false; otherwise
 * returns false. SQLite's own waiting would block the thread.
 */
export async function untilFree(milliseconds: number, work: () => unknown): Promise<boolean> {
  for (const end = performance.now() + milliseconds; ; await pause(rest)) {
    try {
      if (work() !== false) return true
    } catch (error) {
      if (!isBusy(error)) throw error
    }
    if (performance.now() > end) return false
  }
}

/** Runs the work in one transaction, which excludes other writers. */
export function transact<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('begin immediate')
  try {
    const result = work()
    database.exec('commit')
    return result
  } catch (error) {
    // Some errors have ended the transaction already.
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}
