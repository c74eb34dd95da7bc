/**
 * Logs slow operations with their statement and the database's plan, without the callers' data. Slowness must not
 * amplify itself: plans are requested one at a time, and rarely.
 */
import { LRUCache } from 'lru-cache'
import type { Statement } from '../../database/database.ts'
import { cutListTo, cutTo } from './log-line.ts'
import { documentHash, withoutStrings } from './observed-document.ts'
import type { Answered, Observer } from './observer.ts'
import { describeAnswered, type Log, showVariables } from './request-log.ts'

export interface SlowLogOptions {
  readonly log: Log
  /** Milliseconds. */
  readonly threshold: number
  /** Also logs variables and the statement's values. */
  readonly variables: boolean
  readonly explain: (statement: Statement) => Promise<readonly string[]>
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

/** Disposal waits for the pending line. */
export function createSlowLog(options: SlowLogOptions): Observer & AsyncDisposable {
  const { log, threshold, variables, now = () => performance.now() } = options
  const told = new LRUCache<string, { readonly at: number; others: number }>({ max: 1_000 })
  let explaining: Promise<readonly string[] | null> | null = null
  let telling: Promise<unknown> = Promise.resolve()

  const explain = async (statement: Statement | null): Promise<readonly string[] | null> => {
    if (statement === null || explaining !== null) return null
    try {
      explaining = options.explain(statement)
      return await explaining
    } catch {
      return null
    } finally {
      explaining = null
    }
  }

  const tell = async (answered: Answered, query: string, others: number): Promise<void> => {
    const statement = answered.report?.statement ?? null
    const line = {
      ...describeAnswered(answered),
      others,
      query: cutOrNull(room.query, withoutStrings(query)),
      sql: cutOrNull(room.sql, statement?.text ?? null),
      plan: planOf(await explain(statement)),
    }
    const values = {
      variables: cutOrNull(room.values, showVariables(answered)),
      values: cutOrNull(room.values, showValues(statement)),
    }
    log.warn(variables ? { ...line, ...values } : line, 'An operation was slow.')
  }

  return {
    asked() {},
    answered(answered) {
      const { request, report, outcome, duration } = answered
      if ((duration < threshold && outcome !== 'TIMEOUT') || !log.isLevelEnabled('warn')) return
      // Without a statement, only the caller can have been slow.
      if (request === null || (report?.statement == null && outcome !== 'TIMEOUT')) return
      const document = documentHash(request.query)
      const before = told.get(document)
      if (before !== undefined && now() - before.at < quietFor) {
        before.others += 1
        return
      }
      told.set(document, { at: now(), others: 0 })
      telling = Promise.all([telling, tell(answered, request.query, before?.others ?? 0)])
    },
    async [Symbol.asyncDispose]() {
      await telling
    },
  }
}

/** Milliseconds until the same document is logged again. */
const quietFor = 60_000
/** Maximum bytes of members; the rest of 4 KiB is for the other members. */
const room = { query: 600, sql: 1_000, plan: 1_000, values: 400 } as const

function planOf(plan: readonly string[] | null): readonly string[] | null {
  return plan === null ? null : cutListTo(room.plan, plan)
}

function cutOrNull(bytes: number, text: string | null): string | null {
  return text === null ? null : cutTo(bytes, text)
}

function showValues(statement: Statement | null): string | null {
  if (statement === null) return null
  const shown = statement.values.map((value) => {
    if (value instanceof Uint8Array) return `${value.length} bytes`
    return typeof value === 'bigint' ? String(value) : value
  })
  return JSON.stringify(shown)
}
