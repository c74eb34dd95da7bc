/** Answers with a file: opens it within the limits of its caller, and sends its head and its rows. */
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { type FileForm, mediaTypes } from '../../files/file-spec.ts'
import {
  ExecutionReport,
  type FileHead,
  type GraphQLRequest,
  type LongQueryPermit,
  type OpenedFile,
  type QueryEngine,
} from '../../query/execute/execute.ts'
import type { ClientScheduler } from '../admission/client-scheduler.ts'
import { KeyedSemaphore } from '../admission/limits/keyed-semaphore.ts'
import type { Limiter } from '../admission/limits/limiter.ts'
import { type Exchange, isGone } from '../admission/request-context.ts'
import type { Caller } from '../admission/tiers.ts'
import { headersOf } from '../graphql/graphql-http.ts'
import { stalled, transfer } from './transfer.ts'

/** Files of lists at once: each takes a process. */
const mostFiles = 4
/** Of one caller. */
const mostOfOne = 2

/** Fails with the error of the engine if there is no file, before anything was sent. */
export type SendFile = (
  exchange: Exchange,
  caller: Caller,
  question: GraphQLRequest,
  form: FileForm,
) => Promise<void>

/** `stall`: milliseconds in which a caller must take a piece of a file. */
export function createFileSender(
  app: FastifyInstance,
  {
    engine,
    limiter,
  }: { readonly engine: Pick<QueryEngine, 'openFile' | 'describeFile'>; readonly limiter: Limiter },
  scheduler: ClientScheduler,
  stall = 30_000,
): SendFile {
  const running = new KeyedSemaphore()
  const sending = new Set<ServerResponse>()
  // A server that is to stop does not wait for minutes.
  app.addHook('preClose', async () => {
    for (const response of sending) response.destroy()
  })

  return async (exchange, caller, question, form) => {
    const { request, reply, context } = exchange
    const report = new ExecutionReport()
    context.report = report
    const { startFile, ...limits } = context.fileLimits(limiter, scheduler, caller, reply)
    const all = { ...limits, startFile: () => withSlot(caller.id, startFile) }
    if (request.method === 'HEAD') sendHead(await engine.describeFile(question, all, report), form, exchange)
    else await send(await engine.openFile(question, form, all, report), form, exchange)
  }

  function sendHead(head: FileHead, form: FileForm, { request, reply, context }: Exchange): void {
    // The framework would say that the file is empty.
    reply.hijack()
    reply.raw.writeHead(200, fileHeaders(request, head, form)).end()
    context.end(request.id, 'ok', 200, 0)
  }

  async function send(
    file: OpenedFile,
    form: FileForm,
    { request, reply, context }: Exchange,
  ): Promise<void> {
    const { raw } = reply
    let outcome: 'ok' | 'gone' | 'INTERNAL' = 'ok'
    let sent = 0
    try {
      reply.hijack()
      context.begin()
      sending.add(raw)
      raw.writeHead(200, {
        ...fileHeaders(request, file.head, form),
        ...(form.gzip && { 'content-encoding': 'gzip' }),
        trailer: 'X-Row-Count, X-Query',
      })
      sent = await transfer(file, raw, stall)
      raw.addTrailers({ 'x-row-count': String(file.written()), 'x-query': request.url })
    } catch (error) {
      outcome = isGone(reply) || file.signal.aborted || error === stalled ? 'gone' : 'INTERNAL'
      if (outcome === 'INTERNAL') reply.log.error({ requestId: request.id, err: error }, 'A file broke off.')
    }
    sending.delete(raw)
    // Before the last bytes: a caller that has all of the file may ask for the next.
    await file[Symbol.asyncDispose]()
    // An answer that ends early must not look complete.
    if (outcome === 'ok') raw.end()
    else raw.destroy()
    context.end(request.id, outcome, 200, sent)
  }

  /** A permit for a file of a list, which takes a process. */
  async function withSlot(caller: string, start: () => Promise<LongQueryPermit>): Promise<LongQueryPermit> {
    if (!running.acquire(caller, mostOfOne))
      throw new ServiceError(
        'RATE_LIMITED',
        'You have two exports under way. Wait until one of them has ended.',
        { retryAfter: 5, limit: mostOfOne },
      )
    if (!running.acquire('', mostFiles)) {
      running.release(caller)
      throw new ServiceError('UNAVAILABLE', 'Others export as much as the service can at once; try again.', {
        retryAfter: 10,
      })
    }
    const release = (): void => {
      running.release(caller)
      running.release('')
    }
    try {
      const permit = await start()
      return {
        caller: permit.caller,
        deadline: permit.deadline,
        signal: permit.signal,
        [Symbol.dispose]() {
          permit[Symbol.dispose]()
          release()
        },
      }
    } catch (error) {
      release()
      throw error
    }
  }
}

type FileHeaders = Record<string, string | number>

function fileHeaders(
  request: Exchange['request'],
  { name, rows, total, isTruncated, cost }: FileHead,
  { format }: FileForm,
): FileHeaders {
  // A file on a disk has no headers, only its name.
  const whole = isTruncated ? `${name}-first-${rows}` : name
  return {
    ...headersOf(request, 'application/json'),
    'content-type': mediaTypes[format],
    'content-disposition': `attachment; filename="${whole}.${format}"`,
    'cache-control': 'no-store',
    'x-row-count': rows,
    'x-total-count': total,
    'x-truncated': String(isTruncated),
    'x-cost': cost,
  }
}
