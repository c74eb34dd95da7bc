/**
 * The GraphQL endpoint: identifies and charges the caller, passes the query to the engine, and sends the answer.
 * It must not know the content of queries or where answers come from.
 */
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GraphQLAnswer, QueryEngine } from '../../query/execute/execute.ts'
import { errorCodes, ServiceError } from '../../errors.ts'
import { errorAnswer } from '../../query/execute/error-answer.ts'
import { andThen, type MaybePromise } from '../../util/async/promises.ts'
import { releaseBuffer } from '../../util/memory.ts'
import {
  assertNoKeyInAuthorization,
  assertNoKeyInUrl,
  type Authenticate,
  holdsKeySomewhere,
} from '../admission/authentication.ts'
import type { Caller } from '../admission/tiers.ts'
import { freeWhenSent, limitInFlight } from '../http/connections.ts'
import { answerFailure, reportFailure, sendErrors } from '../http/failures.ts'
import {
  asGraphQLRequest,
  type AskedAnswer,
  headersOf,
  parseGet,
  parsePost,
  parseQueryString,
  statusOf,
  viewAsBuffer,
} from './graphql-http.ts'
import { networkOf } from '../admission/limits/address.ts'
import type { Limiter } from '../admission/limits/limiter.ts'
import { acceptsGzip, matchesEtag, prefersHtml, responseType } from '../http/requests.ts'
import { anonymousTurn, type ClientScheduler, timed } from '../admission/client-scheduler.ts'
import { addPlaygroundRoutes, type PlaygroundContent } from './playground.ts'
import { Tarpit } from '../admission/tarpit.ts'
import { type Exchange, isGone, type Observer, RequestContext } from '../admission/request-context.ts'
import { createFileSender, formOf } from '../files/send-file.ts'

export interface GraphQLRouteOptions {
  readonly engine: Pick<QueryEngine, 'execute' | 'openFile' | 'describeFile' | 'price'>
  readonly authenticate: Authenticate
  readonly limiter: Limiter
  readonly observer: Observer
  /** Shared by all routes. */
  readonly scheduler: ClientScheduler
  readonly playground: PlaygroundContent
  /** Seconds that browsers and caches may store answers to GET. */
  readonly cacheSeconds: number
}

export const endpoint = '/api/graphql'

/** Maximum bytes of an answer with an ETag; hashing a longer one would block the event loop too long. */
const taggedUpTo = 1_048_576

const zip = promisify(gzip)

/** Minimum bytes to compress. A page of 20 records is a third of this and takes longer to compress than to make. */
const compressedFrom = 32_768

/** Answers a request, whose question is read when its caller is known and charged. */
export type Answer = (request: FastifyRequest, reply: FastifyReply, read: () => AskedAnswer) => void

/** `timeout`: milliseconds to read large answers, or a piece of a file. Returns what answers other paths. */
export function addGraphQLRoutes(
  app: FastifyInstance,
  options: GraphQLRouteOptions,
  timeout: { readonly reading: number; readonly stall?: number },
): Answer {
  const sendPlayground = addPlaygroundRoutes(app, endpoint, options.playground)
  const sendFile = createFileSender(app, options.engine, timeout.stall)
  const answer = createAnswer(options, createSender(options.cacheSeconds, timeout.reading), sendFile)

  const config = { turn: 'own' } as const
  // Reading an invalid body costs as much as reading a valid one, so a failure is charged like any request.
  const errorHandler = (error: Error, request: FastifyRequest, reply: FastifyReply): void =>
    answer(request, reply, () => {
      throw error
    })
  app.post(endpoint, { errorHandler, config }, (request, reply) => {
    answer(request, reply, () => {
      const parameters = request.url === endpoint ? null : parametersOf(request)
      const body = parsePost(request.headers['content-type'], readBody(request))
      const form = (['format', 'bom', 'name'] as const).map((each) => [
        each,
        body[each] ?? parameters?.get(each),
      ])
      return askedBy(request, { ...body, ...Object.fromEntries(form) })
    })
  })

  app.get(endpoint, { config }, (request, reply) => {
    if (wantsPlayground(request))
      return andThen(anonymousTurn(options.scheduler, request), () => sendPlayground(request, reply))
    answer(request, reply, () => askedBy(request, parseGet(parametersOf(request))))
  })
  return answer
}

type Sender = ReturnType<typeof createSender>

/** Lets the caller in, charges it, and has the engine answer. */
function createAnswer(
  given: GraphQLRouteOptions,
  { tarpit, send, sendFailure }: Sender,
  sendFile: ReturnType<typeof createFileSender>,
): Answer {
  const { engine, authenticate, scheduler } = given
  return answer

  // Returns no promise: the framework would wait for the last byte to leave, with listeners for each request.
  function answer(request: FastifyRequest, reply: FastifyReply, read: () => AskedAnswer): void {
    const context = new RequestContext(given)
    request.context = context
    try {
      const asked = ask({ request, reply, context }, read)
      if (asked instanceof Promise) asked.catch((error: Error) => fail(error, request, reply))
    } catch (error) {
      fail(error as Error, request, reply)
    }
  }

  async function fail(error: Error, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      if (error instanceof ServiceError)
        await tarpit.before(error.code, callerOf(request), request.raw.socket)
      answerFailure(error, request, reply)
    } catch (failure) {
      reply.log.error({ requestId: request.id, err: failure }, 'A failure could not be answered.')
      reply.raw.destroy()
    }
  }

  function ask(exchange: Exchange, read: () => AskedAnswer): MaybePromise<void> {
    const { request, context } = exchange
    assertNoKeyInAuthorization(request.headers.authorization)
    const found = authenticate(request.headers['x-api-key'], networkOf(request.ip))
    return andThen(found, (caller) => {
      context.caller = caller
      return andThen(scheduler.wait(caller.id), () => admit(caller))
    })

    function admit(caller: Caller): MaybePromise<void> {
      // Charged before `read`, so that unreadable requests are charged too.
      const { body } = request
      const points = headPoints(request) + (body instanceof Uint8Array ? bytePoints(body.length) : 0)
      const spent = context.spend(caller, points)
      const given = andThen(spent, () => begin(exchange, caller, read))
      return andThen(given, (answer) => {
        if (answer === null) return undefined
        context.report = answer.report
        return send(answer, exchange)
      })
    }
  }

  /** Null where a file is the answer, which is sent already. */
  function begin(
    exchange: Exchange,
    caller: Caller,
    read: () => AskedAnswer,
  ): MaybePromise<GraphQLAnswer | null> {
    const { context, reply } = exchange
    const limits = context.requestLimits(caller, reply)
    return timed(() => {
      const { question, form } = read()
      context.question = question
      return form === null
        ? engine.execute(question, limits)
        : answerWithFile(exchange, () => sendFile(exchange, caller, question, form), sendFailure)
    }, limits.worked)
  }
}

async function answerWithFile(
  exchange: Exchange,
  send: () => Promise<void>,
  sendFailure: Sender['sendFailure'],
): Promise<null> {
  try {
    await send()
  } catch (error) {
    const { request, reply, context } = exchange
    if (isGone(reply)) context.end(request.id, 'gone', 0, 0)
    else await sendFailure(errorAnswer(error, context.report ?? undefined), exchange, true)
  }
  return null
}

/** Sends answers: with their headers, compressed if they are long, failures after a pause for callers who have many. */
function createSender(cacheSeconds: number, readingTimeout: number) {
  const reserve = limitInFlight(readingTimeout)
  const tarpit = new Tarpit()
  return { tarpit, send, sendFailure }

  function send(answer: GraphQLAnswer, exchange: Exchange): MaybePromise<void> {
    const { request, reply, context } = exchange
    if (isGone(reply)) return context.end(request.id, 'gone', 0, 0)
    return answer.kind === 'data' ? sendData(answer, exchange) : sendFailure(answer, exchange)
  }

  async function sendFailure(
    failure: Extract<GraphQLAnswer, { kind: 'errors' }>,
    { request, reply }: Exchange,
    isFile = false,
  ): Promise<void> {
    const { code } = failure
    await tarpit.before(code, callerOf(request), request.raw.socket)
    const type = responseType(request.headers.accept)
    const status = isFile ? errorCodes[code].status : statusOf(code, type)
    sendErrors(reply, type, status, reportFailure(failure, request, reply.log))
  }

  function sendData(
    { body, isOwn, report }: Extract<GraphQLAnswer, { kind: 'data' }>,
    { request, reply, context }: Exchange,
  ): MaybePromise<void> {
    const bytes = viewAsBuffer(body)
    const headers = headersOf(request, responseType(request.headers.accept))
    if (request.method !== 'POST') {
      const isPrivate = request.headers['x-api-key'] !== undefined
      headers['cache-control'] = cacheControl(cacheSeconds, report.isTimeless, isPrivate)
      if (bytes.length <= taggedUpTo) {
        const etag = `W/"${hash('sha1', bytes, 'base64url')}"`
        headers.etag = etag
        if (matchesEtag(request.headers['if-none-match'], etag)) {
          reply.code(304).headers(headers).send()
          return context.end(request.id, 'ok', 304, 0)
        }
      }
    }
    if (bytes.length <= compressedFrom) return finish(bytes, isOwn)
    reserve(bytes.length, reply.raw, callerOf(request))
    if (!acceptsGzip(request.headers['accept-encoding'])) return finish(bytes, isOwn)
    return andThen(zip(bytes, { level: 1 }), (zipped) => {
      headers['content-encoding'] = 'gzip'
      if (isGone(reply)) context.end(request.id, 'gone', 0, 0)
      else finish(zipped, false)
      if (isOwn) releaseBuffer(bytes)
    })

    function finish(sent: Buffer, isOwn: boolean): void {
      if (isOwn) freeWhenSent(reply.raw, sent)
      reply.headers(headers).send(sent)
      context.end(request.id, 'ok', 200, sent.length)
    }
  }
}

/** Answers that depend on the clock are not cached; answers to keys are private: they may exceed public limits. */
function cacheControl(seconds: number, isTimeless: boolean, isPrivate: boolean): string {
  if (!isTimeless) return 'no-store'
  const whose = isPrivate ? 'private' : 'public'
  return seconds === 0 ? `${whose}, no-cache` : `${whose}, max-age=${seconds}`
}

/** True for a browser that sends no query and whose URL contains no key. */
function wantsPlayground({ headers, url }: FastifyRequest): boolean {
  return prefersHtml(headers.accept) && !/[?&]query=/i.test(url) && !holdsKeySomewhere(url)
}

/** Throws a ServiceError for a malformed query string, or one with a key. */
function parametersOf({ url }: FastifyRequest): ReadonlyMap<string, string> {
  assertNoKeyInUrl(url)
  return parseQueryString(url)
}

function askedBy({ headers }: FastifyRequest, members: Readonly<Record<string, unknown>>): AskedAnswer {
  return { question: asGraphQLRequest(members), form: formOf(members, headers) }
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

/** Bytes of a body that cost nothing extra, and bytes per further point. */
const freeBytes = 4_000
const bytesPerPoint = 1_000

/** Points of a request, from its head. Parsing many small chunks takes up to twice as long as other bodies. */
export function headPoints({ headers }: FastifyRequest): number {
  return headers['transfer-encoding'] === undefined ? 1 : 2
}

/** Points of a body: reading a long document takes time, even an invalid one. */
export function bytePoints(bytes: number): number {
  return Math.max(0, Math.ceil((bytes - freeBytes) / bytesPerPoint))
}

/** Before authentication, all callers of a network count as one. */
function callerOf(request: FastifyRequest): string {
  return request.context?.caller?.id ?? networkOf(request.ip)
}
