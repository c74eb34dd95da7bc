/** SQLite's errors, in the form that passes between processes and the form that callers may see. */
import { type ErrorCode, ServiceError } from '../../errors.ts'
import { answerTooLarge, unavailable } from '../refusals.ts'

/** Runs a query and translates its errors for callers where that is possible (https://sqlite.org/rescode.html). */
export function whileReachable<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw asPassing(error)
  }
}

/** Translates errors that may end soon and answers that are too large; returns other errors unchanged. */
export function asPassing(error: unknown): unknown {
  const code = (error as { errcode?: unknown }).errcode
  if (typeof code !== 'number') return error
  if (code === tooBig) return answerTooLarge()
  return passing.has(code & 0xff) ? unavailable(error) : error
}

/** SQLITE_TOOBIG */
const tooBig = 18

/** SQLITE_BUSY, SQLITE_LOCKED, SQLITE_IOERR, SQLITE_CANTOPEN */
const passing: ReadonlySet<number> = new Set([5, 6, 10, 14])

/** SQLITE_BUSY. The low byte is the primary code, the others the reason (https://sqlite.org/rescode.html#extrc). */
export function isBusy(error: unknown): error is { readonly errcode: number } {
  return (((error as { errcode?: number }).errcode ?? 0) & 0xff) === 5
}

/** An error in a form that passes between processes, which would lose everything but its message. */
export interface Failure {
  readonly message: string
  /** SQLite's error code. */
  readonly errcode: number | null
  /** The code of a `ServiceError` from one of our SQL functions. */
  readonly code: ErrorCode | null
  readonly details: Readonly<Record<string, unknown>>
}

export function failureOf(error: unknown): Failure {
  const { message, errcode } = error as { message?: unknown; errcode?: unknown }
  return {
    message: String(message),
    errcode: typeof errcode === 'number' ? errcode : null,
    code: error instanceof ServiceError ? error.code : null,
    details: error instanceof ServiceError ? error.details : {},
  }
}

export function errorOf({ message, errcode, code, details }: Failure): Error {
  if (code !== null) return new ServiceError(code, message, details)
  const error = new Error(message)
  return errcode === null ? error : Object.assign(error, { errcode })
}
