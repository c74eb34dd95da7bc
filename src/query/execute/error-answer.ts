/** Turns failures into answers: a code and what the caller may know; causes of internal errors are for the log only. */
import type { GraphQLError, GraphQLFormattedError } from 'graphql'
import { type ErrorCode, ServiceError } from '../../errors.ts'
import { type AnswerReport, ExecutionReport, type GraphQLAnswer } from './execute.ts'
import type { Json } from '../../util/is-object.ts'
import { shorten } from '../../util/text/messages.ts'
import { RequestErrors } from '../parse/prepare.ts'

/** Messages of databases for an operation that is within our limits and exceeds one of theirs. */
const tooLarge =
  /string or blob too big|too many SQL variables|Expression tree is too large|parser stack overflow|at most \d+ tables in a join|too many (terms|arguments|columns)|out of memory|invalid memory alloc request|cannot enlarge string buffer|stack depth limit exceeded|target lists can have at most/i

/** Maximum number of locations that are reported for each mistake. */
const mostPlaces = 20

export function errorAnswer(
  error: unknown,
  report: AnswerReport = new ExecutionReport(),
): Extract<GraphQLAnswer, { kind: 'errors' }> {
  return { ...failureOf(error), report }
}

type Failure = Omit<Extract<GraphQLAnswer, { kind: 'errors' }>, 'report'>

function failureOf(error: unknown): Failure {
  if (error instanceof RequestErrors) {
    const { code, errors } = error
    return { kind: 'errors', code, errors: errors.map((each) => formatted(each, code)) }
  }
  if (error instanceof ServiceError) {
    const answer = single(error.code, error.message, error.details)
    return error.cause === undefined ? answer : { ...answer, cause: error.cause }
  }
  // Messages of databases for a sum beyond 64 bits; smaller inexact sums fail when they are printed.
  if (error instanceof Error && /integer overflow|bigint out of range/.test(error.message))
    return single('BAD_USER_INPUT', 'The sum behind a `sum` or `avg` is beyond 64 bits. Narrow `where`.')
  if (error instanceof Error && tooLarge.test(error.message))
    return single(
      'QUERY_TOO_COMPLEX',
      'The operation or its answer is too large. Ask for fewer fields, smaller pages or shorter conditions.',
    )
  if (error instanceof RangeError && /call stack/.test(error.message))
    return single('QUERY_TOO_COMPLEX', 'The operation or its variables are nested too deep.')
  return { ...single('INTERNAL', 'The service failed to answer. The operator has been told.'), cause: error }
}

/** Limits the locations, because one mistake may occur in thousands of places. */
function formatted(error: GraphQLError, code: ErrorCode): GraphQLFormattedError {
  const { message, locations, path } = error.toJSON()
  return {
    message: shorten(message),
    ...(locations !== undefined && { locations: locations.slice(0, mostPlaces) }),
    ...(path !== undefined && { path }),
    extensions: { ...error.extensions, code },
  }
}

function single(code: ErrorCode, message: string, details: Json = {}): Failure {
  return { kind: 'errors', code, errors: [{ message: shorten(message), extensions: { ...details, code } }] }
}
