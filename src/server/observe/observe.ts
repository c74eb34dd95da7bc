/**
 * Observes requests for the operator: a log line per request, one per slow operation, and metrics. Lines are short,
 * because workers share one pipe, which writes only a limited number of bytes atomically: the limits of a line's members
 * add up to less than that. They show no data of callers.
 */
import { hash } from 'node:crypto'
import { Kind, parse, print, visit } from 'graphql/language'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { Statement } from '../../database/database.ts'
import { withoutKeys } from '../../util/api-key.ts'
import type { Answered, Observer } from '../admission/request-context.ts'
import type { UsageMeter } from './usage.ts'

export type Log = Pick<Logger, 'info' | 'warn' | 'error' | 'isLevelEnabled'>

export interface ObserverOptions {
  readonly log: Log
  /** Which requests are logged; `failures` are those that the caller did not cause. */
  readonly requests: 'none' | 'failures' | 'all'
  /** Milliseconds from which an operation is slow. */
  readonly slow: number
  /** Whether lines contain variables and a statement's values. */
  readonly variables: boolean
  readonly explain: (statement: Statement) => Promise<readonly string[]>
  /** Counts requests, including refused ones. */
  readonly usage: UsageMeter
  /** Null where metrics are disabled. */
  readonly metrics: Observer | null
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

/** Combines all observers of requests into one. Disposal waits for pending lines. */
export function createObserver(options: ObserverOptions): Observer & AsyncDisposable {
  const { metrics, usage } = options
  const slowLog = createSlowLog(options)
  return {
    asked: () => metrics?.asked(),
    answered(answered) {
      if (answered.caller !== null) usage.count(answered.caller, 1, 0)
      metrics?.answered(answered)
      logRequest(answered, options)
      slowLog.answered(answered)
    },
    [Symbol.asyncDispose]: () => slowLog[Symbol.asyncDispose](),
  }
}

export type RequestLogOptions = Pick<ObserverOptions, 'log' | 'requests' | 'variables'>

/** Lines name keys, but never addresses, documents or values. */
export function logRequest(answered: Answered, { log, requests, variables }: RequestLogOptions): void {
  const level = levels[answered.outcome] ?? 'info'
  const isWanted = requests === 'all' || (requests === 'failures' && level !== 'info')
  if (!isWanted || !log.isLevelEnabled(level)) return
  const line = describeAnswered(answered)
  log[level](variables ? { ...line, variables: showVariables(answered) } : line, 'request')
}

/** Levels of lines, except `info`. */
const levels: Partial<Record<Answered['outcome'], 'warn' | 'error'>> = {
  INTERNAL: 'error',
  TIMEOUT: 'warn',
  UNAVAILABLE: 'warn',
}

export type SlowLogOptions = Omit<ObserverOptions, 'requests' | 'usage' | 'metrics'>

/**
 * Logs slow operations with their statement and the database's plan, without the callers' data. Slowness must not
 * amplify itself: plans are requested one at a time, and rarely. Disposal waits for the pending line.
 */
export function createSlowLog(options: SlowLogOptions): Pick<Observer, 'answered'> & AsyncDisposable {
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

/** The members of a line about a request, shared by all logs. */
function describeAnswered(answered: Answered): object {
  const { requestId, caller, request, report, outcome, status, bytes, duration } = answered
  return {
    requestId,
    tier: caller?.tier.name ?? null,
    key: caller?.keyName ?? null,
    // Two keys have the same name while one replaces the other.
    keyId: caller === null || caller.keyName === null ? null : caller.id.slice('key:'.length),
    operation:
      withoutKeys(report?.operationName?.slice(0, 2 * nameLength) ?? '').slice(0, nameLength) || null,
    document: request === null ? null : documentHash(request.query),
    points: report?.points ?? 0,
    // Null: rows of a long answer are not counted.
    rows: report === null ? 0 : report.rows,
    bytes,
    ms: rounded(duration),
    statementMs: rounded(report?.statementTime ?? 0),
    from: report?.from ?? null,
    outcome,
    status,
  }
}

/** JSON text, truncated: a body can contain a megabyte of variables. */
function showVariables({ request }: Answered): string | null {
  const variables = request?.variables ?? null
  return variables === null ? null : cutTo(variablesLength, withoutKeys(JSON.stringify(variables)))
}

/** Maximum characters of an operation's name, which callers choose. */
const nameLength = 100
/** Bytes. */
const variablesLength = 2_000

/** Rounds to hundredths. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100
}

/** Equal for equal documents. Hashing is faster than a map lookup by the text. */
function documentHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16)
}

/** Maximum characters of a shown document. */
const shownLength = 10_000

/** The document without comments and string contents; null if it does not parse. */
export function withoutStrings(text: string): string | null {
  try {
    const document = visit(parse(text, { noLocation: true }), {
      [Kind.STRING]: (node) => ({ ...node, value: '…', block: false }),
    })
    return withoutKeys(print(document).slice(0, shownLength))
  } catch {
    return null
  }
}

/** Truncates the text so that its JSON takes at most this many bytes. */
export function cutTo(bytes: number, text: string): string {
  let cut = text.slice(0, bytes)
  while (Buffer.byteLength(JSON.stringify(cut)) > bytes) cut = cut.slice(0, Math.floor(cut.length * 0.9))
  return cut.length === text.length ? text : `${cut}…`
}

export function cutOrNull(bytes: number, text: string | null): string | null {
  return text === null ? null : cutTo(bytes, text)
}

/** The leading texts that fit together. */
export function cutListTo(bytes: number, texts: readonly string[]): readonly string[] {
  const fitting: string[] = []
  let left = bytes
  for (const text of texts) {
    left -= Buffer.byteLength(JSON.stringify(text)) + 1
    if (left < 0) return [...fitting, '…']
    fitting.push(text)
  }
  return fitting
}
