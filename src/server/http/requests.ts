/**
 * Reads requests: refuses heads that HTTP forbids but the parser accepts, because proxies in front may interpret them
 * differently; limits the length of bodies and the number of tiny chunks; and negotiates content by `Accept`,
 * `Accept-Encoding` and `If-None-Match`. It must not know what a body means.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { parseQualities } from '../../util/text/qualities.ts'

type Head = Pick<IncomingMessage, 'httpVersion' | 'headers' | 'rawHeaders'>

const lastRequests = new WeakMap<Socket, IncomingMessage>()

/** The last request on a connection whose head was read. */
export function lastRequestOf(socket: Socket): IncomingMessage | undefined {
  return lastRequests.get(socket)
}

/** Closes the connection after a bad head, because the end of its request is uncertain. */
export function rejectBadHeads(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  done: (problem?: Error) => void,
): void {
  lastRequests.set(raw.socket, raw)
  const problem = headProblem(raw)
  if (problem !== undefined) reply.header('connection', 'close')
  done(problem)
}

/** Checks RFC 9112, sections 2.3, 3.2 and 6.1; undefined when the head is valid. */
export function headProblem({ httpVersion, headers, rawHeaders }: Head): ServiceError | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return new ServiceError('BAD_REQUEST', `HTTP/${httpVersion} is not spoken here. Write HTTP/1.1.`)
  // The framework shows only the first of two.
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1'))
    return new ServiceError('BAD_REQUEST', `The request has ${hosts} Host headers. Send one.`)
  // The parser itself refuses another final coding.
  if (!/,\s*chunked$/i.test(headers['transfer-encoding'] ?? '')) return undefined
  return new ServiceError(
    'UNSUPPORTED_MEDIA_TYPE',
    'Of the transfer codings only `chunked` is read. Send the body as it is.',
  )
}

export type ResponseType = 'application/json' | 'application/graphql-response+json'

/** The media type of a GraphQL answer: `application/json`, unless the newer one is asked for by name. */
export function responseType(accept: string | undefined): ResponseType {
  if (accept === undefined) return 'application/json'
  const wanted = parseQualities(accept)
  const modern = wanted.get('application/graphql-response+json') ?? 0
  return modern > 0 && modern >= qualityOf(wanted, 'application', 'json')
    ? 'application/graphql-response+json'
    : 'application/json'
}

/** True for a browser's navigation: it accepts HTML by name and prefers no type of a GraphQL answer. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const wanted = parseQualities(accept)
  const html = wanted.get('text/html') ?? 0
  const modern = wanted.get('application/graphql-response+json') ?? 0
  return html > 0 && html >= qualityOf(wanted, 'application', 'json') && html >= modern
}

export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false
  const wanted = parseQualities(acceptEncoding)
  return (wanted.get('gzip') ?? wanted.get('*') ?? 0) > 0
}

/** True if `If-None-Match` names this version, by weak comparison (RFC 9110, 13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const bare = etag.replace(/^W\//, '')
  return ifNoneMatch
    .split(',')
    .some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === bare)
}

function qualityOf(wanted: ReadonlyMap<string, number>, type: string, subtype: string): number {
  return wanted.get(`${type}/${subtype}`) ?? wanted.get(`${type}/*`) ?? wanted.get('*/*') ?? 0
}

type Done = (error: Error | null, body?: Buffer) => void

/** Maximum bytes that are still read of a body that is too long: a client that is still sending sees no answer. */
const mostDropped = 16 * 1024 * 1024
/** Parsing a chunk takes as long as reading a kilobyte. Beyond this number of chunks ... */
export const piecesLookedOver = 1_000
/** ... their average length must be at least this many bytes. */
export const leastAverage = 64

/** Requests that wait for permission to send their body (`Expect: 100-continue`). */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/** Sends 100 Continue only where a body is read: a request that its head refuses need not send its body. */
export function askBeforeBodies(server: Server): void {
  server.on('checkContinue', (request, response) => {
    waiting.set(request, response)
    server.emit('request', request, response)
  })
}

/** A body parser for the framework, which closes the connection after a failure. */
export function createBodyReader(
  limit: number,
): (request: FastifyRequest, payload: IncomingMessage, done: Done) => void {
  return (request, payload, done) => {
    const waits = waiting.get(payload)
    const most = waits === undefined ? mostDropped : limit
    if (Number(request.headers['content-length']) > most) return done(tooLarge(limit))
    waits?.writeContinue()
    let pieces: Buffer[] = []
    let count = 0
    let length = 0
    payload.on('data', onData).on('end', onEnd).on('error', onError)

    function onData(piece: Buffer): void {
      count += 1
      length += piece.length
      if (length <= limit) pieces.push(piece)
      else pieces = []
      if (length > mostDropped) finish(tooLarge(limit))
      else if (count > piecesLookedOver && length < count * leastAverage) {
        // Stops parsing the rest of the body. The connection is closed after the answer.
        payload.pause()
        finish(partialChunks)
      }
    }

    function onEnd(): void {
      if (length > limit) finish(tooLarge(limit))
      else finish(null, join(pieces, length))
    }

    function onError(): void {
      finish(new ServiceError('BAD_REQUEST', 'The body ended too soon.'))
    }

    function finish(error: Error | null, body?: Buffer): void {
      payload.off('data', onData).off('end', onEnd).off('error', onError)
      done(error, body)
    }
  }
}

/** Most bodies are one chunk, which needs no copy unless it is a view of the connection's read buffer. */
function join(pieces: readonly Buffer[], length: number): Buffer {
  const [first, ...others] = pieces
  const isWhole = first?.buffer.byteLength === length && others.length === 0
  return first !== undefined && isWhole ? first : Buffer.concat(pieces, length)
}

const partialChunks = new ServiceError(
  'BAD_REQUEST',
  `The body comes in too many small pieces. Send it in pieces of at least ${leastAverage} bytes.`,
)

function tooLarge(limit: number): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', `The body is over the limit of ${limit} bytes.`, { limit })
}
