/** The route of exports: identifies and charges the caller as for GraphQL, and sends the file or its size. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GraphQLSchema } from 'graphql'
import { errorCodes, ServiceError } from '../../errors.ts'
import { type FileFormat, fileFormats, type FileSpec } from '../../files/file-spec.ts'
import { errorAnswer } from '../../query/execute/error-answer.ts'
import {
  ExecutionReport,
  type GraphQLRequest,
  type OpenedExport,
  type QueryEngine,
} from '../../query/execute/execute.ts'
import { buildExportQuery, collectionNamed, type ExportQuery } from '../../query/export/export-query.ts'
import { assertNoKeyInAuthorization, assertNoKeyInUrl } from '../admission/authentication.ts'
import type { ClientScheduler } from '../admission/client-scheduler.ts'
import { networkOf } from '../admission/limits/address.ts'
import { KeyedSemaphore } from '../admission/limits/keyed-semaphore.ts'
import { isGone, RequestContext } from '../admission/request-context.ts'
import { Tarpit } from '../admission/tarpit.ts'
import { headersOf, parseQueryString } from '../graphql/graphql-http.ts'
import { type GraphQLRouteOptions, headPoints } from '../graphql/graphql-routes.ts'
import { reportFault, sendErrors } from '../http/failures.ts'
import { acceptsGzip } from '../http/requests.ts'
import { stalled, transfer } from './transfer.ts'

export type ExportEngine = Pick<QueryEngine, 'execute' | 'openExport' | 'priceExport'>

export const exportPath = '/export/'

/** Exports at once: each takes a process. */
const mostExports = 4
/** Of one caller. */
const mostOfOne = 2

const mediaTypes = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
} satisfies Record<FileFormat, string>

/** What a path asks for. */
interface Wanted extends ExportQuery {
  readonly name: string
  readonly spec: FileSpec
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

  app.get(`${exportPath}*`, async (request, reply) => {
    const context = new RequestContext(observer)
    request.context = context
    const report = new ExecutionReport()
    context.report = report
    try {
      await answer(request, reply, context, report)
    } catch (error) {
      if (isGone(reply)) context.end(request.id, 'gone', 0, 0)
      else await fail(error, request, reply, report)
    }
    return reply
  })

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    context: RequestContext,
    report: ExecutionReport,
  ): Promise<void> {
    assertNoKeyInAuthorization(request.headers.authorization)
    const caller = await authenticate(request.headers['x-api-key'], networkOf(request.ip))
    context.caller = caller
    await scheduler.wait(caller.id)
    await context.spend(limiter, caller, headPoints(request))
    assertNoKeyInUrl(request.url)
    const limits = context.exportLimits(limiter, scheduler, caller, reply)
    const started = performance.now()
    const wanted = readWanted(request, limits.pageSize)
    limits.worked(performance.now() - started)
    context.question = request.method === 'HEAD' ? wanted.counting : wanted.request
    if (request.method === 'HEAD') {
      const cost = engine.priceExport(wanted.request, limits)
      const total = await countRows(wanted.counting, context.requestLimits(limiter, scheduler, caller, reply))
      sendHead(reply, fileHeaders(request, wanted, total, cost))
      return context.end(request.id, 'ok', 200, 0)
    }
    const slot = takeSlot(caller.id)
    let file: OpenedExport
    try {
      file = await engine.openExport(wanted.request, wanted.spec, limits, report)
    } catch (error) {
      slot[Symbol.dispose]()
      throw error
    }
    const { raw } = reply
    reply.hijack()
    raw.writeHead(200, {
      ...fileHeaders(request, wanted, file.total, report.points),
      ...(wanted.spec.gzip && { 'content-encoding': 'gzip' }),
      trailer: 'X-Row-Count, X-Query',
    })
    const end = async (): Promise<void> => {
      await file[Symbol.asyncDispose]()
      slot[Symbol.dispose]()
    }
    try {
      const sent = await transfer(file, raw, stall)
      // A caller that has all of the file may ask for the next.
      await end()
      raw.addTrailers({ 'x-row-count': String(file.rows()), 'x-query': request.url })
      raw.end()
      context.end(request.id, 'ok', 200, sent)
    } catch (error) {
      // An answer that ends early must not look complete.
      const isCallers = isGone(reply) || file.signal.aborted || error === stalled
      raw.destroy()
      await end()
      if (!isCallers) reply.log.error({ requestId: request.id, err: error }, 'An export broke off.')
      context.end(request.id, isCallers ? 'gone' : 'INTERNAL', 200, 0)
    }
  }

  async function fail(
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
    report: ExecutionReport,
  ): Promise<void> {
    const { code, errors, cause } = errorAnswer(error, report)
    await tarpit.before(code, request.context?.caller?.id ?? networkOf(request.ip), request.raw.socket)
    if (code === 'INTERNAL') return sendErrors(reply, 'application/json', 500, [reportFault(reply, cause)])
    if (cause !== undefined)
      reply.log.warn({ requestId: request.id, err: cause, code }, 'An export could not be made.')
    sendErrors(reply, 'application/json', errorCodes[code].status, errors)
  }

  function readWanted(request: FastifyRequest, mostRows: number): Wanted {
    const { url, headers } = request
    const path = url.split('?', 1)[0] ?? ''
    const { nsid, format } = parsePath(path)
    const collection = collectionNamed(schema, nsid)
    const parameters = parseQueryString(url)
    const query = buildExportQuery(schema, collection, parameters, mostRows)
    const spec: FileSpec = {
      format,
      columns: query.columns,
      bom: parameters.get('bom') === 'true',
      gzip: format !== 'parquet' && acceptsGzip(headers['accept-encoding']),
      query: url,
    }
    return { ...query, spec, name: `${nsid}.${format}` }
  }

  async function countRows(
    counting: GraphQLRequest,
    limits: Parameters<QueryEngine['execute']>[1],
  ): Promise<number> {
    const answer = await engine.execute(counting, limits)
    if (answer.kind === 'errors') throw new ServiceError(answer.code, answer.errors[0]?.message ?? '')
    const { data } = JSON.parse(Buffer.from(answer.body).toString()) as {
      readonly data: Readonly<Record<string, { readonly totalCount: number }>>
    }
    return Object.values(data)[0]?.totalCount ?? 0
  }

  function takeSlot(caller: string): Disposable {
    if (!running.acquire(caller, mostOfOne))
      throw new ServiceError(
        'RATE_LIMITED',
        'You have two exports under way. Wait until one of them has ended.',
        {
          retryAfter: 5,
          limit: mostOfOne,
        },
      )
    if (!running.acquire('', mostExports)) {
      running.release(caller)
      throw new ServiceError('UNAVAILABLE', 'Others export as much as the service can at once; try again.', {
        retryAfter: 10,
      })
    }
    return {
      [Symbol.dispose]() {
        running.release(caller)
        running.release('')
      },
    }
  }
}

function parsePath(path: string): { readonly nsid: string; readonly format: FileFormat } {
  const [, nsid, ending] = /^\/export\/([A-Za-z0-9.-]{1,317})\.([a-z]+)$/.exec(path) ?? []
  const format = fileFormats.find((each) => each === ending)
  if (nsid !== undefined && format !== undefined) return { nsid, format }
  throw new ServiceError(
    'NOT_FOUND',
    `An export is at ${exportPath}NSID.FORMAT, and FORMAT is ${fileFormats.join(', ')}.`,
  )
}

type FileHeaders = Record<string, string | number>

function fileHeaders(
  request: FastifyRequest,
  { name, spec, limit }: Wanted,
  total: number,
  cost: number,
): FileHeaders {
  return {
    ...headersOf(request, 'application/json'),
    'content-type': mediaTypes[spec.format],
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
    vary: 'accept-encoding, x-api-key',
    'x-row-count': Math.min(total, limit),
    'x-total-count': total,
    'x-truncated': String(total > limit),
    'x-cost': cost,
  }
}

function sendHead(reply: FastifyReply, headers: FileHeaders): void {
  reply.code(200).headers(headers).send()
}
