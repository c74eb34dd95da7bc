/** One request that must be refused, as data. */
import type { ErrorCode } from '../../src/errors.ts'

export interface BadRequest {
  /** What is wrong with it. */
  readonly name: string
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string
  readonly code: ErrorCode
  /** What the message must say: what was wrong, and what to write instead. */
  readonly says: RegExp
}

type Rest = Partial<Omit<BadRequest, 'name' | 'query' | 'code' | 'says'>>

/** `[name, query, message]` or `[name, query, message, rest]` under one code. */
export function refused(
  code: ErrorCode,
  rows: readonly (readonly [name: string, query: string, says: RegExp, rest?: Rest])[],
): readonly BadRequest[] {
  return rows.map(([name, query, says, rest]) => ({ name, query, says, code, ...rest }))
}

/** A row for a list with one variable of a type, and its value. */
export function variable(name: string, type: string, given: string, x: unknown, says: RegExp) {
  const query = `query ($x: ${type}) { techServiceNewsArticle(${given}) { totalCount } }`
  return [name, query, says, { variables: { x } }] as const
}
