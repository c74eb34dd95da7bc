/** One attack as data: what is sent, and what must come of it. */
import type { ErrorCode } from '../../src/errors.ts'
import type { Bytes } from './exchange.ts'

export interface Outcome {
  readonly status: number
  /** Of the first error; null for an answer that is none, or has no body. */
  readonly code: ErrorCode | null
  /** What becomes of the connection: whether another request on it is answered. */
  readonly leaves: 'open' | 'closed'
}

export interface Attack extends Outcome {
  /** What is wrong with it. */
  readonly name: string
  readonly send: Sent
  /** How many answers come, each of the same outcome; one when absent. */
  readonly answers?: number
  /** What the body must have. */
  readonly says?: RegExp
  /** Nothing comes after it, and the server is told so. */
  readonly ends?: true
}

/** On a connection of its own: bytes at once, or pieces that go out one by one; where need be of what the server gave before. */
export type Sent = Bytes | readonly Bytes[] | ((given: Given) => Bytes)

/** What callers can have from the server beforehand. */
export interface Given {
  readonly goodKey: string
  readonly revokedKey: string
  readonly endedKey: string
  /** An `endCursor` of articles by `publishedAt`, newest first. */
  readonly cursor: string
  /** One of another list. */
  readonly otherCursor: string
  /** An article's. */
  readonly uri: string
}

export type Row = readonly [
  name: string,
  send: Sent,
  rest?: Partial<Pick<Attack, 'answers' | 'says' | 'ends'>>,
]

/** `[name, what is sent]` or `[name, what is sent, rest]`, all with one outcome. */
export function attacks(outcome: Outcome, rows: readonly Row[]): readonly Attack[] {
  return rows.map(([name, send, rest]) => ({ name, send, ...outcome, ...rest }))
}

/** An attack for each value, named after it. */
export function variants<Value>(
  what: string,
  values: readonly Value[],
  send: (value: Value) => Sent,
): readonly Row[] {
  return values.map((value) => [`${what} ${JSON.stringify(value)?.slice(0, 60)}`, send(value)])
}

export const path = '/api/graphql'
export const host = 'host: x'
const modern = 'accept: application/graphql-response+json'
const json = 'content-type: application/json'

/** A request with these lines for a head. */
export function head(...lines: readonly string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** A POST of those bytes, as they are, with a length that is true. */
export function posted(body: Bytes, headers: readonly string[] = [json]): Uint8Array {
  const bytes = Buffer.from(body as Uint8Array)
  const lines = [`POST ${path} HTTP/1.1`, host, modern, ...headers, `content-length: ${bytes.length}`]
  return Buffer.concat([Buffer.from(head(...lines), 'latin1'), bytes])
}

/** A question as clients send it. */
export function asked(
  query: string,
  variables?: Readonly<Record<string, unknown>>,
  headers: readonly string[] = [],
): Uint8Array {
  return posted(JSON.stringify({ query, variables }), [json, ...headers])
}

/** A GET of the endpoint with that query string, as it is. */
export function got(search: string, ...headers: readonly string[]): string {
  return head(`GET ${path}?${search} HTTP/1.1`, host, modern, ...headers)
}

export function repeat(count: number, each: (index: number) => string, between = ' '): string {
  return Array.from({ length: count }, (_, index) => each(index)).join(between)
}

/** The integers from 0 up to a count. */
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
