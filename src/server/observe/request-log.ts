/** Writes a log line per request. It names keys, but never addresses, documents or values. */
import type { Logger } from 'pino'
import { withoutKeys } from '../../util/api-key.ts'
import { cutTo } from './log-line.ts'
import { documentHash } from './observed-document.ts'
import type { Answered, Observer } from './observer.ts'

export type Log = Pick<Logger, 'info' | 'warn' | 'error' | 'isLevelEnabled'>

export interface RequestLogOptions {
  readonly log: Log
  /** `failures` are those that the caller did not cause. */
  readonly which: 'failures' | 'all'
  readonly variables: boolean
}

export function createRequestLog({ log, which, variables }: RequestLogOptions): Observer {
  return {
    asked() {},
    answered(answered) {
      const level = levelOf(answered.outcome)
      if ((which === 'failures' && level === 'info') || !log.isLevelEnabled(level)) return
      const line = describeAnswered(answered)
      log[level](variables ? { ...line, variables: showVariables(answered) } : line, 'request')
    },
  }
}

/** The members of a line about a request, shared by all logs. */
export function describeAnswered(answered: Answered): object {
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
export function showVariables({ request }: Answered): string | null {
  const variables = request?.variables ?? null
  return variables === null ? null : cutTo(variablesLength, withoutKeys(JSON.stringify(variables)))
}

/** Maximum characters of an operation's name, which callers choose. */
const nameLength = 100
/** Bytes. */
const variablesLength = 2_000

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

/** Rounds to hundredths. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100
}
