/** Answers with a file: reads how it is to be written, opens it within the limits of its caller, and sends it. */
import { once } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { type FileFormat, fileFormats, type FileForm, mediaTypes } from '../../files/file-spec.ts'
import type { FileHead, GraphQLRequest, OpenedFile, QueryEngine } from '../../query/execute/execute.ts'
import { ExecutionReport } from '../../query/execute/execute.ts'
import { KeyedSemaphore } from '../admission/limits/counts.ts'
import { type Exchange, isGone } from '../admission/request-context.ts'
import type { Caller } from '../admission/tiers.ts'
import { headersOf } from '../graphql/graphql-http.ts'
import { acceptsGzip } from '../http/requests.ts'
import { within } from '../../util/async/promises.ts'
import { releaseBuffer } from '../../util/memory.ts'
import { parseQualities } from '../../util/text/qualities.ts'

/** Files of lists at once: each takes a process. */
const mostFiles = 4
/** Of one caller. */
const mostOfOne = 2

/**
 * What it returns fails with the error of the engine if there is no file, before anything was sent. `stall`: milliseconds
 * in which a caller must take a piece of a file.
 */
export function createFileSender(
  app: FastifyInstance,
  engine: Pick<QueryEngine, 'openFile' | 'describeFile'>,
  stall = 30_000,
): (exchange: Exchange, caller: Caller, question: GraphQLRequest, form: FileForm) => Promise<void> {
  const takeSlot = createSlots()
  const sending = new Set<ServerResponse>()
  // A server that is to stop does not wait for minutes.
  app.addHook('preClose', async () => {
    for (const response of sending) response.destroy()
  })

  return async (exchange, caller, question, form) => {
    const { request, reply, context } = exchange
    const report = new ExecutionReport()
    context.report = report
    const limits = context.fileLimits(caller, reply, takeSlot)
    if (request.method === 'HEAD')
      sendHead(await engine.describeFile(question, limits, report), form, exchange)
    else await send(await engine.openFile(question, form, limits, report), question, form, exchange)
  }

  function sendHead(head: FileHead, form: FileForm, { request, reply, context }: Exchange): void {
    // The framework would say that the file is empty.
    reply.hijack()
    reply.raw.writeHead(200, fileHeaders(request, head, form)).end()
    context.end(request.id, 'ok', 200, 0)
  }

  async function send(
    file: OpenedFile,
    question: GraphQLRequest,
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
      raw.addTrailers({ 'x-row-count': String(file.rows()), ...queryTrailer(request, question, form) })
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
}

/** A process for a file of a list; what it returns takes one for a caller, and returns what releases it. */
function createSlots(): (caller: string) => () => void {
  const running = new KeyedSemaphore()
  return (caller) => {
    if (!running.acquire(caller, mostOfOne))
      throw new ServiceError(
        'RATE_LIMITED',
        'You have two files under way. Wait until one of them has ended.',
        { retryAfter: 5, limit: mostOfOne },
      )
    if (!running.acquire('', mostFiles)) {
      running.release(caller)
      throw new ServiceError(
        'UNAVAILABLE',
        'Others take as many files as the service can at once; try again.',
        { retryAfter: 10 },
      )
    }
    return () => {
      running.release(caller)
      running.release('')
    }
  }
}

function fileHeaders(
  request: Exchange['request'],
  { name, rows, total, isTruncated, cost }: FileHead,
  { format, name: given = name }: FileForm,
): Readonly<Record<string, string | number>> {
  // A file on a disk has no headers, only its name.
  const whole = isTruncated ? `${given}-first-${rows}` : given
  return {
    ...headersOf(request, 'application/json'),
    'content-type': mediaTypes[format],
    'content-disposition': attachment(`${whole}.${format}`),
    'cache-control': 'no-store',
    'x-row-count': rows,
    'x-total-count': total,
    'x-truncated': String(isTruncated),
    'x-cost': cost,
  }
}

/** The header `Content-Disposition` of a file to store; older programs read the name without letters of other scripts. */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^\w.-]+/g, '_')
  return `attachment; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${encodeURIComponent(name)}`}`
}

/** The address that gives the same file, unless it is longer than the head of a request may be. */
function queryTrailer(
  { method, url }: Exchange['request'],
  { query, variables, operationName }: GraphQLRequest,
  { format, bom }: FileForm,
): Readonly<Record<string, string>> {
  if (method !== 'POST') return { 'x-query': url }
  const parameters = new URLSearchParams({
    format,
    ...(bom && { bom: 'true' }),
    query: query ?? '',
    ...(variables != null && { variables: JSON.stringify(variables) }),
    ...(operationName != null && { operationName }),
  })
  const address = `${url.split('?', 1)[0]}?${parameters}`
  return address.length <= longestQuery ? { 'x-query': address } : {}
}

const longestQuery = 12_000

const stalled = new Error('The caller does not read.')

/**
 * Returns the bytes that were sent; fails if the file is cut. While the caller does not read, nothing is read from the
 * database; a caller that takes no piece for `stall` milliseconds is disconnected, because the file holds a snapshot.
 */
async function transfer(
  { bytes, signal }: Pick<OpenedFile, 'bytes' | 'signal'>,
  response: ServerResponse,
  stall: number,
): Promise<number> {
  let sent = 0
  for await (const piece of bytes) {
    signal.throwIfAborted()
    sent += piece.length
    const isOwn = piece.length === piece.buffer.byteLength
    const isRoomy = response.write(piece, () => isOwn && setImmediate(releaseBuffer, piece))
    if (!isRoomy) await within(stall, once(response, 'drain', { signal }), () => stalled)
  }
  return sent
}

/** How a request wants its answer to be written, by members of a body or parameters of a URL. Null for an answer in JSON. */
export function formOf(
  { format: wanted, bom, name }: Readonly<Record<string, unknown>>,
  headers: IncomingHttpHeaders,
): FileForm | null {
  const isNamed = wanted !== undefined && wanted !== null
  const format = isNamed ? fileFormats.find((each) => each === wanted) : acceptedFormat(headers.accept)
  if (format === null) return null
  if (format === undefined)
    throw new ServiceError(
      'BAD_USER_INPUT',
      `\`format\` is ${fileFormats.join(', ')}. Leave it out for an answer in JSON.`,
    )
  const hasMark = isTrue(bom)
  if (hasMark && format !== 'csv')
    throw new ServiceError(
      'BAD_USER_INPUT',
      `Only CSV has a byte order mark. Leave out \`bom\` for ${format}.`,
    )
  if (name !== undefined && name !== null && !(typeof name === 'string' && fileName.test(name)))
    throw new ServiceError(
      'BAD_USER_INPUT',
      '`name` is 1 to 120 letters and digits of any script, `-`, `_` and `.`, and begins with neither of these.',
    )
  return {
    format,
    ...(typeof name === 'string' && { name }),
    bom: hasMark,
    gzip: format !== 'parquet' && acceptsGzip(headers['accept-encoding']),
  }
}

const fileName = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,119}$/u

/** The format that is accepted by name and preferred to JSON. */
function acceptedFormat(accept: string | undefined): FileFormat | null {
  // Nearly all callers accept JSON or anything.
  if (accept === undefined || !/csv|ndjson|parquet/i.test(accept)) return null
  const wanted = parseQualities(accept)
  const qualityOf = (format: FileFormat): number => wanted.get(mediaTypes[format].split(';', 1)[0] ?? '') ?? 0
  const json = ['application/json', 'application/graphql-response+json'].map((type) => wanted.get(type) ?? 0)
  const [best = 'csv'] = fileFormats.toSorted((one, other) => qualityOf(other) - qualityOf(one))
  return qualityOf(best) > Math.max(...json) ? best : null
}

function isTrue(bom: unknown): boolean {
  if (bom === undefined || bom === null || bom === 'false' || bom === false) return false
  if (bom === 'true' || bom === true) return true
  throw new ServiceError('BAD_USER_INPUT', '`bom` is `true` or `false`.')
}
