/**
 * The bare statement of a question and its JSON text, run in this process: what an answer costs before HTTP, planning,
 * limits and logs. Together with an echo of the same bytes it is the limit of what can be reached.
 */
import type { Statement, StoredAnswer } from '../../../src/database/database.ts'
import { openEngine } from '../../support/engine.ts'
import { median } from '../../support/statistics.ts'

export interface BareStatements extends AsyncDisposable {
  /** Runs the statement of a question; null when its answer needs no data. */
  readonly prepare: (query: string) => Promise<(() => Promise<StoredAnswer>) | null>
  /** Median milliseconds of the statement of a question; 0 when its answer needs no data. */
  readonly time: (query: string, seconds: number) => Promise<number>
}

export async function openBare(url: string): Promise<BareStatements> {
  const opened = await openEngine(url)
  const { engine, database } = opened
  const prepare: BareStatements['prepare'] = async (query) => {
    // Figures that a plan lacks are asked for while it is made.
    await engine.explain({ query })
    const { sql, values } = await engine.explain({ query })
    if (sql === null) return null
    const statement: Statement = { text: sql, values: values as Statement['values'] }
    return () => database.readAnswer(statement, { kind: 'short' })
  }
  return {
    prepare,
    time: async (query, seconds) => {
      const run = await prepare(query)
      if (run === null) return 0
      const times: number[] = []
      for (const end = performance.now() + seconds * 1_000; performance.now() < end || times.length < 5; ) {
        const start = performance.now()
        await run()
        times.push(performance.now() - start)
      }
      // The first half warms up.
      return median(times.slice(times.length >> 1))
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
