/** Combines all observers of requests into one for the server. */
import type { Statement } from '../../database/database.ts'
import type { Observer } from './observer.ts'
import { createRequestLog, type Log } from './request-log.ts'
import { createSlowLog } from './slow-queries.ts'

export interface ObserverOptions {
  readonly log: Log
  /** Which requests are logged. */
  readonly requests: 'none' | 'failures' | 'all'
  /** Milliseconds from which an operation is slow. */
  readonly slow: number
  /** Whether lines contain variables and values. */
  readonly variables: boolean
  /** Returns the database's plan for a statement. */
  readonly explain: (statement: Statement) => Promise<readonly string[]>
  /** Null where metrics are disabled. */
  readonly metrics: Observer | null
}

/** Disposal waits for pending lines. */
export function createObserver(options: ObserverOptions): Observer & AsyncDisposable {
  const { log, requests, slow, variables, explain, metrics } = options
  const slowLog = createSlowLog({ log, threshold: slow, variables, explain })
  const requestLog = requests === 'none' ? null : createRequestLog({ log, which: requests, variables })
  return {
    asked() {
      metrics?.asked()
    },
    answered(answered) {
      metrics?.answered(answered)
      requestLog?.answered(answered)
      slowLog.answered(answered)
    },
    [Symbol.asyncDispose]: () => slowLog[Symbol.asyncDispose](),
  }
}
