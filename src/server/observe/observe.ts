/** Observes requests for the operator: a log line per request, one per slow operation, and metrics. */
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { Statement } from '../../database/database.ts'
import {
  cutListTo,
  cutOrNull,
  describeAnswered,
  documentHash,
  showVariables,
  withoutStrings,
} from './log-line.ts'
import type { Answered, Observer } from './observer.ts'

export type Log = Pick<Logger, 'info' | 'warn' | 'error' | 'isLevelEnabled'>

export interface ObserverOptions {
  readonly log: Log
  /** Which requests are logged; `failures` are those that the caller did not cause. */
  readonly requests: 'none' | 'failures' | 'all'
  /** Milliseconds from which an operation is slow. */
  readonly slow: number
  /** Whether lines contain variables and a statement's values. */
  readonly variables: boolean
  /** Returns the database's plan for a statement. */
  readonly explain: (statement: Statement) => Promise<readonly string[]>
  /** Null where metrics are disabled. */
  readonly metrics: Observer | null
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

/** Combines all observers of requests into one. Disposal waits for pending lines. */
export function createObserver(options: ObserverOptions): Observer & AsyncDisposable {
  const { requests, metrics } = options
  const slowLog = createSlowLog(options)
  const requestLog = requests === 'none' ? null : createRequestLog(options)
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

type AnswerLog = Pick<Observer, 'answered'>

export type RequestLogOptions = Pick<ObserverOptions, 'log' | 'requests' | 'variables'>

/** Lines name keys, but never addresses, documents or values. */
export function createRequestLog({ log, requests, variables }: RequestLogOptions): AnswerLog {
  return {
    answered(answered) {
      const level = levelOf(answered.outcome)
      if ((requests === 'failures' && level === 'info') || !log.isLevelEnabled(level)) return
      const line = describeAnswered(answered)
      log[level](variables ? { ...line, variables: showVariables(answered) } : line, 'request')
    },
  }
}

function levelOf(outcome: Answered['outcome']): 'info' | 'warn' | 'error' {
  switch (outcome) {
    case 'INTERNAL':
      return 'error'
    case 'TIMEOUT':
    case 'UNAVAILABLE':
      return 'warn'
    default:
      return 'info'
  }
}

export type SlowLogOptions = Omit<ObserverOptions, 'requests' | 'metrics'>

/**
 * Logs slow operations with their statement and the database's plan, without the callers' data. Slowness must not
 * amplify itself: plans are requested one at a time, and rarely. Disposal waits for the pending line.
 */
export function createSlowLog(options: SlowLogOptions): AnswerLog & AsyncDisposable {
  const { log, slow, variables, now = () => performance.now() } = options
  const logged = new LRUCache<string, { readonly at: number; others: number }>({ max: 1_000 })
  let explaining: Promise<readonly string[]> | null = null
  let pending: Promise<unknown> = Promise.resolve()

  const explain = async (statement: Statement | null): Promise<readonly string[] | null> => {
    if (statement === null || explaining !== null) return null
    try {
      explaining = options.explain(statement)
      return cutListTo(room.plan, await explaining)
    } catch {
      return null
    } finally {
      explaining = null
    }
  }

  const write = async (answered: Answered, query: string, others: number): Promise<void> => {
    const statement = answered.report?.statement ?? null
    const line = {
      ...describeAnswered(answered),
      others,
      query: cutOrNull(room.query, withoutStrings(query)),
      sql: cutOrNull(room.sql, statement?.text ?? null),
      plan: await explain(statement),
    }
    const values = {
      variables: cutOrNull(room.values, showVariables(answered)),
      values: cutOrNull(room.values, showValues(statement)),
    }
    log.warn(variables ? { ...line, ...values } : line, 'An operation was slow.')
  }

  return {
    answered(answered) {
      const { request, report, outcome, duration } = answered
      if ((duration < slow && outcome !== 'TIMEOUT') || !log.isLevelEnabled('warn')) return
      // Without a statement, only the caller can have been slow.
      if (request === null || (report?.statement == null && outcome !== 'TIMEOUT')) return
      const document = documentHash(request.query)
      const before = logged.get(document)
      if (before !== undefined && now() - before.at < quietFor) {
        before.others += 1
        return
      }
      logged.set(document, { at: now(), others: 0 })
      pending = Promise.all([pending, write(answered, request.query, before?.others ?? 0)])
    },
    async [Symbol.asyncDispose]() {
      await pending
    },
  }
}

/** Milliseconds until the same document is logged again. */
const quietFor = 60_000
/** Maximum bytes of members; the rest of 4 KiB is for the other members. */
const room = { query: 600, sql: 1_000, plan: 1_000, values: 400 } as const

function showValues(statement: Statement | null): string | null {
  if (statement === null) return null
  const shown = statement.values.map((value) => {
    if (value instanceof Uint8Array) return `${value.length} bytes`
    return typeof value === 'bigint' ? String(value) : value
  })
  return JSON.stringify(shown)
}
