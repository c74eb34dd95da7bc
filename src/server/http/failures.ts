/** Turns errors into answers: a caller's fault has its code, and our fault does not reveal its cause. */
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { GraphQLFormattedError } from 'graphql'
import { type ErrorCode, ServiceError, errorCodes } from '../../errors.ts'
import type { GraphQLAnswer } from '../../query/execute/execute.ts'
import { endByHand } from './connections.ts'
import { errorBody, formatError, headersOf } from '../graphql/graphql-http.ts'
import { cutOrNull, withoutStrings } from '../observe/observe.ts'
import { lastRequestOf, type ResponseType, responseType } from './requests.ts'
import type { RequestContext } from '../admission/request-context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before the request is routed to the GraphQL endpoint. */
    context: RequestContext | null
  }
}

export function answerFailure(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const type = responseType(request.headers.accept)
  const failure = error instanceof ServiceError ? error : translate(error)
  if (failure === undefined) return sendErrors(reply, type, 500, [reportFault(error, request, reply.log)])
  sendErrors(reply, type, errorCodes[failure.code].status, [formatError(failure)])
}

/** Translates the framework's errors about a request; undefined when the fault is ours. */
export function translate(error: Partial<FastifyError>): ServiceError | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ServiceError(
        'UNSUPPORTED_MEDIA_TYPE',
        'The body must be JSON, with "Content-Type: application/json".',
      )
    case 'FST_ERR_BAD_URL':
      return new ServiceError('BAD_REQUEST', 'The URL is malformed.')
    default:
      if (error.statusCode === undefined || error.statusCode >= 500) return undefined
      return new ServiceError('BAD_REQUEST', 'The HTTP request is malformed.')
  }
}

type Log = FastifyReply['log']
type Failure = Pick<Extract<GraphQLAnswer, { kind: 'errors' }>, 'code' | 'cause' | 'errors'>
type Failed = Pick<FastifyRequest, 'id' | 'context'>

/** Logs the cause for the operator; the caller only gets the request id to report. */
export function reportFault(cause: unknown, request: Failed, log: Log): GraphQLFormattedError {
  const { id: requestId, context } = request
  const query = context?.question == null ? null : cutOrNull(600, withoutStrings(context.question.query))
  log.error({ requestId, err: cause, query }, 'A request failed by our fault.')
  const message = `The service failed to answer. When you report it, name the request ${requestId}.`
  return { message, extensions: { code: 'INTERNAL' satisfies ErrorCode, requestId } }
}

/** Logs why the engine could not answer; returns what the caller reads. */
export function reportFailure(
  { code, cause, errors }: Failure,
  request: Failed,
  log: Log,
): readonly GraphQLFormattedError[] {
  if (code === 'INTERNAL') return [reportFault(cause, request, log)]
  if (cause !== undefined)
    log.warn({ requestId: request.id, err: cause, code }, 'A request could not be answered.')
  return errors
}

export function sendErrors(
  reply: FastifyReply,
  type: ResponseType,
  status: number,
  errors: readonly GraphQLFormattedError[],
): void {
  const extensions = errors[0]?.extensions
  if (typeof extensions?.retryAfter === 'number') reply.header('retry-after', extensions.retryAfter)
  // RFC 9110, section 11.6.1, requires this header; a scheme with a custom header is not registered.
  if (status === 401) reply.header('www-authenticate', 'ApiKey header="X-API-Key"')
  const body = errorBody(errors)
  reply.code(status).header('cache-control', 'no-store').headers(headersOf(reply.request, type)).send(body)
  const { context, id } = reply.request
  context?.end(id, (extensions?.code ?? 'INTERNAL') as ErrorCode, status, Buffer.byteLength(body))
}

/** Answers input that did not parse as a request, so that the framework has no reply for it. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (socket.writableEnded) return
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return void answerLate(socket)
  if (error.code !== 'HPE_HEADER_OVERFLOW')
    return endByHand(socket, new ServiceError('BAD_REQUEST', 'The HTTP request is malformed.'))
  const message = 'The URL and the headers are too long. Send a query by POST, also for a file.'
  endByHand(socket, new ServiceError('PAYLOAD_TOO_LARGE', message))
}

/** Each reads up to 64 KB of a late request. */
const mostReadings = 100

/** If this process was the slow one, the request waits in the system's buffer: it is read first, and then answered. */
async function answerLate(socket: Socket): Promise<void> {
  const before = lastRequestOf(socket)
  const answered = before?.complete === true ? before : null
  for (let round = 0, read = -1; round < mostReadings && socket.bytesRead > read; round += 1) {
    read = socket.bytesRead
    // The system is asked for more between two of these.
    await setImmediate()
    await setImmediate()
  }
  const last = lastRequestOf(socket)
  if (last?.complete !== true || last === answered)
    endByHand(socket, new ServiceError('REQUEST_TIMEOUT', 'The request came too slowly. Send it again.'))
}
