/** Errors of a request with messages from graphql-js, each with its location in the document. */
import { GraphQLError } from 'graphql/error'
import type { ErrorCode } from '../../errors.ts'

/** More errors do not help, and formatting each one may take as long as the value that it shows. */
export const mostErrors = 10

/** A request error of several parts, each with its location in the document; the last may say that there are more. */
export class RequestErrors extends Error {
  override name = 'RequestErrors'
  readonly code: ErrorCode
  readonly errors: readonly GraphQLError[]
  constructor(code: ErrorCode, errors: readonly GraphQLError[]) {
    super(errors[0]?.message ?? code)
    this.code = code
    const more = new GraphQLError(`There are more errors than these ${mostErrors}.`)
    this.errors = errors.length > mostErrors ? [...errors.slice(0, mostErrors), more] : errors
  }
}
