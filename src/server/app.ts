/**
 * The HTTP server: routes, limits and headers. It passes questions to the engine and bytes back;
 * it knows neither what is asked nor where the answer comes from.
 */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import cors from '@fastify/cors'
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import type { GraphQLFormattedError } from 'graphql'
import { type ErrorCode, ServiceError, errorCodes } from '../errors.ts'
import type { IndexStatus } from '../database/database.ts'
import type { GraphQLAnswer, GraphQLRequest, QueryEngine } from '../query/execute.ts'
import {
  errorBody,
  formatError,
  parseGet,
  parsePost,
  parseQueryString,
  statusOf,
  viewAsBuffer,
} from './graphql-http.ts'
import { closeGracefully } from './closing.ts'
import { addHealthRoutes } from './health.ts'
import { type ResponseType, acceptsGzip, prefersHtml, responseType } from './media-types.ts'
import { addPlaygroundRoutes } from './playground.ts'

export interface AppOptions {
  readonly engine: Pick<QueryEngine, 'execute'>
  /** How far the index has come; it fails when the database does not answer. */
  readonly readStatus: () => Promise<IndexStatus>
  /** The framework's own kind: false, or the logger's settings such as `{ level: 'info' }`. */
  readonly logger: NonNullable<FastifyServerOptions['logger']>
  /** What the playground shows a newcomer. */
  readonly exampleQuery: string
  readonly maxBodyBytes?: number
}

/** The server, not yet listening. Its `close()` waits for the requests in flight. */
export function createApp(options: AppOptions): FastifyInstance {
  const app = fastify({
    logger: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.maxBodyBytes ?? 1_048_576,
    requestTimeout: 30_000,
    // A request that comes in the moment of closing is one more in flight.
    return503OnClosing: false,
    frameworkErrors: answerFailure,
    clientErrorHandler: answerUnreadable,
  })
  // Otherwise every request gets a logger of its own, which hardly one of them ever uses.
  app.setChildLoggerFactory((logger) => logger)
  app.setErrorHandler(answerFailure)
  app.setNotFoundHandler(answerUnknown)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  app.register(answerPreflights)
  closeGracefully(app)
  app.register(async (routes) => {
    addHealthRoutes(routes, options.readStatus)
    await addGraphQLRoutes(routes, options)
  })
  return app
}

const endpoint = '/api/graphql'

/** What each path takes, for the answers 405 and 404. */
const allowedMethods = new Map([
  [endpoint, 'GET, HEAD, POST, OPTIONS'],
  ['/', 'GET, HEAD, OPTIONS'],
  ['/healthz', 'GET, HEAD, OPTIONS'],
  ['/readyz', 'GET, HEAD, OPTIONS'],
])

/** A page of 20 records is a third of this; compressing it would take longer than making it. */
const compressedFrom = 32_768

/**
 * Pages from anywhere may read. The plugin is kept to the requests that ask for permission;
 * all other answers carry one constant header, which needs no hook.
 */
async function answerPreflights(app: FastifyInstance): Promise<void> {
  await app.register(cors, {
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
    allowedHeaders: ['content-type', 'accept', 'x-api-key'],
    maxAge: 86_400,
    strictPreflight: false,
  })
}

async function addGraphQLRoutes(app: FastifyInstance, { engine, exampleQuery }: AppOptions): Promise<void> {
  const sendPlayground = await addPlaygroundRoutes(app, { endpoint, exampleQuery })

  app.post(endpoint, (request, reply) => {
    answer(parsePost(request.headers['content-type'], readBody(request)), request, reply)
  })

  app.get(endpoint, (request, reply) => {
    const parameters = parseQueryString(request.url)
    if (!parameters.has('query') && prefersHtml(request.headers.accept)) return sendPlayground(request, reply)
    answer(parseGet(parameters), request, reply)
  })

  app.get('/', (_request, reply) => reply.redirect(endpoint))

  // A promise of a reply waits for its last byte to leave, with listeners for each request. None is returned.
  function answer(question: GraphQLRequest, request: FastifyRequest, reply: FastifyReply): void {
    engine
      .execute(question)
      .then((given) => sendAnswer(given, question, request, reply))
      .catch((error: Error) => answerFailure(error, request, reply))
  }
}

function readBody(request: FastifyRequest): Buffer | undefined {
  if (request.headers['content-encoding'] !== undefined) {
    throw new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Compressed bodies are not read. Send the body without Content-Encoding.',
    )
  }
  return request.body as Buffer | undefined
}

function sendAnswer(
  answer: GraphQLAnswer,
  question: GraphQLRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): void | Promise<void> {
  const type = responseType(request.headers.accept)
  switch (answer.kind) {
    case 'data': {
      const body = viewAsBuffer(answer.body)
      setHeaders(reply, type)
      if (body.length > compressedFrom && acceptsGzip(request.headers['accept-encoding'])) {
        return sendCompressed(body, reply)
      }
      reply.send(body)
      return
    }
    case 'errors': {
      const { code, cause } = answer
      if (code === 'INTERNAL') {
        return sendErrors(reply, type, 500, [reportFault(reply, cause, question.query)])
      }
      if (cause !== undefined) {
        const query = question.query.slice(0, 2000)
        reply.log.warn({ err: cause, code, query }, 'A request could not be answered.')
      }
      return sendErrors(reply, type, statusOf(code, type), answer.errors)
    }
  }
}

async function sendCompressed(body: Buffer, reply: FastifyReply): Promise<void> {
  const zipped = await promisify(gzip)(body, { level: 1 })
  reply.header('content-encoding', 'gzip').send(zipped)
}

/** Whatever was thrown on the way: the caller's faults with their code, ours without a word about the cause. */
function answerFailure(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const type = responseType(request.headers.accept)
  const failure = error instanceof ServiceError ? error : translate(error, request)
  if (failure === undefined) return sendErrors(reply, type, 500, [reportFault(reply, error)])
  sendErrors(reply, type, errorCodes[failure.code].status, [formatError(failure)])
}

/** The framework's complaints about a request in our words, or undefined when the fault is ours. */
function translate(error: Partial<FastifyError>, request: FastifyRequest): ServiceError | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ServiceError(
        'UNSUPPORTED_MEDIA_TYPE',
        'The body must be JSON, with "Content-Type: application/json".',
      )
    case 'FST_ERR_CTP_BODY_TOO_LARGE': {
      const limit = request.routeOptions.bodyLimit
      return new ServiceError('PAYLOAD_TOO_LARGE', `The body is over the limit of ${limit} bytes.`, { limit })
    }
    case 'FST_ERR_BAD_URL':
      return new ServiceError('BAD_REQUEST', 'The URL is malformed.')
    default:
      if (error.statusCode === undefined || error.statusCode >= 500) return undefined
      return new ServiceError('BAD_REQUEST', 'The HTTP request is malformed.')
  }
}

function answerUnknown(request: FastifyRequest, reply: FastifyReply) {
  const path = request.url.split('?', 1)[0] ?? ''
  const allowed = allowedMethods.get(path)
  if (allowed === undefined) {
    throw new ServiceError('NOT_FOUND', `Nothing is served here. GraphQL is at ${endpoint}.`)
  }
  reply.header('allow', allowed)
  throw new ServiceError('METHOD_NOT_ALLOWED', `The path ${path} takes ${allowed}, not ${request.method}.`)
}

/** The operator's log gets the cause, the caller only the id to find it by. */
function reportFault(reply: FastifyReply, cause: unknown, query?: string): GraphQLFormattedError {
  const requestId = randomUUID()
  reply.log.error({ requestId, err: cause, query: query?.slice(0, 2000) }, 'A request failed by our fault.')
  const message = `The service failed to answer. When you report it, name the request ${requestId}.`
  return { message, extensions: { code: 'INTERNAL' satisfies ErrorCode, requestId } }
}

function sendErrors(
  reply: FastifyReply,
  type: ResponseType,
  status: number,
  errors: readonly GraphQLFormattedError[],
): void {
  const wait = errors[0]?.extensions?.retryAfter
  if (typeof wait === 'number') reply.header('retry-after', wait)
  setHeaders(reply.code(status), type).send(errorBody(errors))
}

function setHeaders(reply: FastifyReply, type: ResponseType): FastifyReply {
  return reply
    .header('content-type', contentTypes[type])
    .header('access-control-allow-origin', '*')
    .header('vary', 'accept, accept-encoding')
    .header('x-content-type-options', 'nosniff')
}

const contentTypes = {
  'application/json': 'application/json; charset=utf-8',
  'application/graphql-response+json': 'application/graphql-response+json; charset=utf-8',
} satisfies Record<ResponseType, string>

/** Bytes that never became a request, so that there is no reply to send with: the answer is written by hand. */
function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  // What the caller still sends is read and dropped for a while: closing at once would lose the answer.
  if (socket.writableEnded) return
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  setTimeout(() => socket.destroy(), 5000).unref()
  const failure =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new ServiceError('PAYLOAD_TOO_LARGE', 'The URL and the headers are too long. Send the query by POST.')
      : new ServiceError('BAD_REQUEST', 'The HTTP request is malformed or came too slowly.')
  const body = errorBody([formatError(failure)])
  socket.end(
    `HTTP/1.1 ${errorCodes[failure.code].status} ${failure.code}\r\n` +
      `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `access-control-allow-origin: *\r\nx-content-type-options: nosniff\r\nconnection: close\r\n\r\n${body}`,
  )
}
