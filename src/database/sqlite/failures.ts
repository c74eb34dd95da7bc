/** SQLite's errors, and the form in which they pass between processes. */
import { type ErrorCode, ServiceError } from '../../errors.ts'

/** SQLITE_BUSY. The low byte is the primary code, the others the reason (https://sqlite.org/rescode.html#extrc). */
export function isBusy(error: unknown): error is { readonly errcode: number } {
  return (((error as { errcode?: number }).errcode ?? 0) & 0xff) === 5
}

/** SQLITE_READONLY_ROLLBACK: a program was killed while it created the file, which was not in WAL mode yet. */
export function needsRollback(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 776
}

/** SQLITE_NOTADB: the file is of another format. */
export function isNotADatabase(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 26
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
