/**
 * The members of log lines about requests. Lines are short, because workers share one pipe, which writes only a limited
 * number of bytes atomically: the limits of a line's members add up to less than that. They show no data of callers.
 */
import { hash } from 'node:crypto'
import { Kind, parse, print, visit } from 'graphql/language'
import { withoutKeys } from '../../util/api-key.ts'
import type { Answered } from './observer.ts'

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

/** Rounds to hundredths. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100
}

/** Equal for equal documents. Hashing is faster than a map lookup by the text. */
export function documentHash(text: string): string {
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
