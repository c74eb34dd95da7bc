/** The route of exports: identifies and charges the caller as for GraphQL, and sends the file or its size. */
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GraphQLSchema } from 'graphql'
import { errorCodes, ServiceError } from '../../errors.ts'
import { mediaTypes } from '../../files/file-spec.ts'
import { writeFile } from '../../files/write-file.ts'
import { errorAnswer } from '../../query/execute/error-answer.ts'
import {
  ExecutionReport,
  type GraphQLAnswer,
  type OpenedExport,
  type QueryEngine,
  type RequestLimits,
} from '../../query/execute/execute.ts'
import type { AggregateAnswer } from '../../query/export/aggregate-query.ts'
import { assertNoKeyInAuthorization, assertNoKeyInUrl } from '../admission/authentication.ts'
import type { ClientScheduler } from '../admission/client-scheduler.ts'
import { networkOf } from '../admission/limits/address.ts'
import { KeyedSemaphore } from '../admission/limits/keyed-semaphore.ts'
import { isGone, RequestContext } from '../admission/request-context.ts'
import { Tarpit } from '../admission/tarpit.ts'
import { headersOf } from '../graphql/graphql-http.ts'
import { type GraphQLRouteOptions, headPoints } from '../graphql/graphql-routes.ts'
import { reportFailure, sendErrors } from '../http/failures.ts'
import { stalled, transfer } from './transfer.ts'
import { exportPath, readWanted, type Wanted } from './wanted.ts'

export type ExportEngine = Pick<QueryEngine, 'execute' | 'openExport' | 'priceExport'>

/** Exports at once: each takes a process. */
const mostExports = 4
/** Of one caller. */
const mostOfOne = 2

/** What the head of an answer says of its file. */
interface Size {
  readonly rows: number
  /** Records, or groups, without a limit. */
  readonly total: number
  readonly isTruncated: boolean
  readonly cost: number
}

/** A request for a file under way. */
interface ExportExchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly context: RequestContext
  readonly report: ExecutionReport
}

type RouteOptions = Pick<GraphQLRouteOptions, 'authenticate' | 'limiter' | 'observer'> & {
  readonly schema: GraphQLSchema
}

/** `stall`: milliseconds in which a caller must take a piece of a file. */
export function addExportRoutes(
  app: FastifyInstance,
  { authenticate, limiter, observer, schema }: RouteOptions,
  engine: ExportEngine,
  scheduler: ClientScheduler,
  stall = 30_000,
): void {
  const tarpit = new Tarpit()
  const running = new KeyedSemaphore()
  const sending = new Set<ServerResponse>()
  // A server that is to stop does not wait for minutes.
  app.addHook('preClose', async () => {
    for (const response of sending) response.destroy()
  })

  // The HEAD route that the framework adds to a GET route says that the file is empty.
  app.route({
    method: ['GET', 'HEAD'],
    url: `${exportPath}*`,
    config: { turn: 'own' },
    handler: answerOrFail,
  })

  async function answerOrFail(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const context = new RequestContext(observer)
    request.context = context
    const report = new ExecutionReport()
    context.report = report
    const exchange = { request, reply, context, report }
    try {
      await answer(exchange)
    } catch (error) {
      if (isGone(reply)) context.end(request.id, 'gone', 0, 0)
      else await fail(error, exchange)
    }
    return reply
  }

  async function answer(exchange: ExportExchange): Promise<void> {
    const { request, reply, context, report } = exchange
    assertNoKeyInAuthorization(request.headers.authorization)
    const caller = await authenticate(request.headers['x-api-key'], networkOf(request.ip))
    context.caller = caller
    await scheduler.wait(caller.id)
    await context.spend(limiter, caller, headPoints(request))
    assertNoKeyInUrl(request.url)
    const page = context.requestLimits(limiter, scheduler, caller, reply)
    const file = context.exportLimits(limiter, scheduler, caller, reply)
    const started = performance.now()
    const wanted = readWanted(schema, request, file.pageSize)
    page.worked(performance.now() - started)
    context.question = wanted.query.request
    if (wanted.kind === 'groups') return answerGroups(wanted, exchange, page)
    if (request.method === 'HEAD') return sendHead(wanted, await sizeOf(wanted, page, file), exchange)
    const slot = takeSlot(caller.id)
    try {
      const opened = await engine.openExport(wanted.query.request, wanted.spec, file, report)
      const size = sizeUpTo(opened.limit, opened.total, report.points)
      await send(opened, wanted, size, exchange, slot)
    } finally {
      slot[Symbol.dispose]()
    }
  }

  /** Groups are few: they are one answer, which is formatted here. */
  async function answerGroups(
    wanted: Extract<Wanted, { kind: 'groups' }>,
    exchange: ExportExchange,
    limits: RequestLimits,
  ): Promise<void> {
    const found = dataOf(await engine.execute(wanted.query.request, limits))
    exchange.context.report = found.report
    const { groupCount, groups, groupsPageInfo } = Object.values((found.body as AggregateAnswer).data)[0] ?? {
      groupCount: 0,
      groups: [],
    }
    const isTruncated = groupsPageInfo?.hasNextPage ?? groups.length < groupCount
    const size = { rows: groups.length, total: groupCount, isTruncated, cost: found.report.points }
    if (exchange.request.method === 'HEAD') return sendHead(wanted, size, exchange)
    const file: OpenedExport = {
      total: groupCount,
      limit: groups.length,
      bytes: writeFile(wanted.spec, [groups.map((group) => JSON.stringify(group))], () => undefined),
      rows: () => groups.length,
      signal: new AbortController().signal,
      [Symbol.asyncDispose]: async () => undefined,
    }
    await send(file, wanted, size, exchange)
  }

  function sendHead(wanted: Wanted, size: Size, { request, reply, context }: ExportExchange): void {
    const headers = fileHeaders(request, wanted, size)
    reply.code(200).headers(headers).send()
    context.end(request.id, 'ok', 200, 0)
  }

  async function send(
    file: OpenedExport,
    wanted: Wanted,
    size: Size,
    { request, reply, context }: ExportExchange,
    slot?: Disposable,
  ): Promise<void> {
    const { raw } = reply
    let outcome: 'ok' | 'gone' | 'INTERNAL' = 'ok'
    let sent = 0
    try {
      reply.hijack()
      context.begin()
      sending.add(raw)
      raw.writeHead(200, {
        ...fileHeaders(request, wanted, size),
        ...(wanted.spec.gzip && { 'content-encoding': 'gzip' }),
        trailer: 'X-Row-Count, X-Query',
      })
      sent = await transfer(file, raw, stall)
      raw.addTrailers({ 'x-row-count': String(file.rows()), 'x-query': request.url })
    } catch (error) {
      outcome = isGone(reply) || file.signal.aborted || error === stalled ? 'gone' : 'INTERNAL'
      if (outcome === 'INTERNAL')
        reply.log.error({ requestId: request.id, err: error }, 'An export broke off.')
    }
    sending.delete(raw)
    // Before the last bytes: a caller that has all of the file may ask for the next.
    await file[Symbol.asyncDispose]()
    slot?.[Symbol.dispose]()
    // An answer that ends early must not look complete.
    if (outcome === 'ok') raw.end()
    else raw.destroy()
    context.end(request.id, outcome, 200, sent)
  }

  async function fail(error: unknown, { request, reply, report }: ExportExchange): Promise<void> {
    const failure = error instanceof AnswerError ? error.answer : errorAnswer(error, report)
    const { code } = failure
    await tarpit.before(code, request.context?.caller?.id ?? networkOf(request.ip), request.raw.socket)
    const errors = reportFailure(failure, request, reply.log)
    sendErrors(reply, 'application/json', errorCodes[code].status, errors)
  }

  async function sizeOf(
    { query }: Extract<Wanted, { kind: 'records' }>,
    page: RequestLimits,
    file: RequestLimits,
  ): Promise<Size> {
    const { body } = dataOf(await engine.execute(query.counting, page))
    const { data } = body as { readonly data: Readonly<Record<string, { readonly totalCount: number }>> }
    const total = Object.values(data)[0]?.totalCount ?? 0
    return sizeUpTo(query.limit, total, engine.priceExport(query.request, file, total))
  }

  function takeSlot(caller: string): Disposable {
    if (!running.acquire(caller, mostOfOne))
      throw new ServiceError(
        'RATE_LIMITED',
        'You have two exports under way. Wait until one of them has ended.',
        { retryAfter: 5, limit: mostOfOne },
      )
    if (!running.acquire('', mostExports)) {
      running.release(caller)
      throw new ServiceError('UNAVAILABLE', 'Others export as much as the service can at once; try again.', {
        retryAfter: 10,
      })
    }
    let isHeld = true
    return {
      [Symbol.dispose]() {
        if (!isHeld) return
        isHeld = false
        running.release(caller)
        running.release('')
      },
    }
  }
}

function sizeUpTo(limit: number, total: number, cost: number): Size {
  return { rows: Math.min(total, limit), total, isTruncated: total > limit, cost }
}

/** An answer that is errors, on its way to the caller. */
class AnswerError extends Error {
  readonly answer: Extract<GraphQLAnswer, { kind: 'errors' }>
  constructor(answer: Extract<GraphQLAnswer, { kind: 'errors' }>) {
    super(answer.code)
    this.answer = answer
  }
}

function dataOf(answer: GraphQLAnswer): { readonly body: unknown; readonly report: ExecutionReport } {
  if (answer.kind === 'errors') throw new AnswerError(answer)
  return { body: JSON.parse(Buffer.from(answer.body).toString()), report: answer.report }
}

type FileHeaders = Record<string, string | number>

function fileHeaders(
  request: FastifyRequest,
  { name, spec }: Wanted,
  { rows, total, isTruncated, cost }: Size,
): FileHeaders {
  // A file on a disk has no headers, only its name.
  const whole = isTruncated ? `${name}-first-${rows}` : name
  return {
    ...headersOf(request, 'application/json'),
    'content-type': mediaTypes[spec.format],
    'content-disposition': `attachment; filename="${whole}.${spec.format}"`,
    'cache-control': 'no-store',
    vary: 'accept-encoding, x-api-key',
    'x-row-count': rows,
    'x-total-count': total,
    'x-truncated': String(isTruncated),
    'x-cost': cost,
  }
}
