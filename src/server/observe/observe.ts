/** Puts together whatever watches requests, so that the server tells one. */
import type { Statement } from '../../database/database.ts'
import type { Observer } from './observer.ts'
import { createRequestLog, type Log } from './request-log.ts'
import { createSlowLog } from './slow-queries.ts'

export interface ObserverOptions {
  readonly log: Log
  /** Which requests get a line. */
  readonly requests: 'none' | 'failures' | 'all'
  /** Milliseconds from which an operation is slow. */
  readonly slow: number
  /** Whether lines show what callers sent. */
  readonly variables: boolean
  /** How the database would run a statement. */
  readonly explain: (statement: Statement) => Promise<readonly string[]>
  /** Null where nobody asks for metrics. */
  readonly metrics: Observer | null
}

/** Disposing of it waits for lines under way. */
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
