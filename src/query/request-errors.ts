/** Errors of a request that graphql-js words itself, each with its place in the document. */
import type { GraphQLError } from 'graphql'
import type { ErrorCode } from '../errors.ts'

/** A request error of several parts, each with its place in the document. */
export class RequestErrors extends Error {
  override name = 'RequestErrors'
  readonly code: ErrorCode
  readonly errors: readonly GraphQLError[]
  constructor(code: ErrorCode, errors: readonly GraphQLError[]) {
    super(errors[0]?.message ?? code)
    this.code = code
    this.errors = errors
  }
}
