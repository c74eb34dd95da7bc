/** Cursors of groups and pairs: those of the service, or, for rows that are ordered here, the number of rows shown. */
import { EndpointError } from '../../../endpoint/endpoint.ts'
import { AskError } from '../../../ask/ask-error.ts'

/** The argument `after` that goes on behind so many rows. */
export function printPosition(rows: number): string {
  return `rows:${rows}`
}

export function parsePosition(after: string | undefined): number {
  if (after === undefined) return 0
  const [, rows] = /^rows:(\d{1,4})$/.exec(after) ?? []
  if (rows === undefined) throw noCursor()
  return Number(rows)
}

/** Cursors of the service are bound to the groups and their order. */
export function throwCursorError(error: unknown): never {
  throw error instanceof EndpointError && error.code === 'INVALID_CURSOR' ? noCursor() : error
}

function noCursor(): AskError {
  return new AskError('after is not a cursor of this list: repeat all arguments of the call that gave it.')
}
