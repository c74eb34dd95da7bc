/** Runs queries for answers, status and plans on one connection to SQLite, in whatever process. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { IndexStatus, Statement, StoredAnswer } from '../../database.ts'
import type { Steps } from '../../metadata/steps.ts'
import { readStatus } from '../../metadata/status.ts'
import { createRunner } from '../steps.ts'

export type Queries = ReturnType<typeof createQueries>

export function createQueries(database: DatabaseSync) {
  const run = createRunner(database)
  /** A prepared statement takes about 30 bytes per character outside of the heap: 30 MB at most. */
  const prepared = new LRUCache<string, StatementSync>({
    max: 500,
    maxSize: 1_000_000,
    sizeCalculation: (_, text) => text.length + 1,
    memoMethod: (text) => database.prepare(text, { returnArrays: true }),
  })
  /** In one transaction, so that all statements see one state. */
  const readSteps = <Result>(steps: Steps<Result>): Result => {
    database.exec('begin')
    try {
      return run(steps)
    } finally {
      database.exec('commit')
    }
  }
  return {
    run,
    readSteps,
    /**
     * Prepares statements that recur; their rows are arrays. Rows as objects survive until a full garbage collection,
     * with the answers they hold, and 64 MB of answers trigger one.
     */
    prepare: (text: string): StatementSync => prepared.memo(text),
    readAnswer({ text, values }: Statement): StoredAnswer {
      const row = prepared.memo(text).get(...values)
      return { version: Number(row?.[0]), body: row?.[1] as Uint8Array, isOwn: true }
    },
    readStatus: (now: bigint): IndexStatus => readSteps(readStatus(now, collectionOf)),
    /** One line per step, indented below its parent. */
    explain({ text, values }: Statement): readonly string[] {
      const rows = database.prepare(`explain query plan ${text}`).all(...values)
      const depth = new Map<unknown, number>([[0, -1]])
      return rows.map((row) => {
        const level = (depth.get(row.parent) ?? -1) + 1
        depth.set(row.id, level)
        return `${'  '.repeat(level)}${String(row.detail)}`
      })
    },
  }
}

/** The part of an `at:` URI between the third and the fourth slash. */
function collectionOf(uri: string): string {
  const rest = `substr(${uri}, instr(substr(${uri}, 6), '/') + 6)`
  return `substr(${rest}, 1, instr(${rest}, '/') - 1)`
}
