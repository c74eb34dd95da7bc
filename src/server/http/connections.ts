/** Limits connections, small chunks and unread answers. It must not know the content of requests. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { BlockList, type Socket, type SocketAddress } from 'node:net'
import { LRUCache } from 'lru-cache'
import { ServiceError, errorCodes } from '../../errors.ts'
import { atMost, releaseBuffer } from '../../util/memory.ts'
import { crossOriginHeaders } from './cross-origin.ts'
import { errorBody, formatError } from '../graphql/graphql-http.ts'
import { networkOf } from '../admission/limits/address.ts'
import { KeyedSemaphore, MemoryPoints } from '../admission/limits/counts.ts'
import { leastAverage, piecesLookedOver } from './requests.ts'

export interface ConnectionLimits {
  /** Of all addresses together. */
  readonly all: number
  /** Of one address, or one /64 network of IPv6; null behind proxies. */
  readonly each: number | null
}

/** Excess connections of a network that are answered in a second; further ones are closed when they are accepted. */
export const mostRefusals = 100
const mostNetworks = 10_000

export function limitConnections(server: Server, { all, each }: ConnectionLimits): void {
  // Without dropMaxConnection, which the types lack, a worker returns excess connections to the primary process, and
  // they circulate between full workers without end.
  Object.assign(server, { maxConnections: all, dropMaxConnection: true })
  if (each !== null) limitEach(server, each)
  limitChunks(server, each)
}

/** Connections over `all` are closed without an answer, connections over `each` with an error. */
function limitEach(server: Server, each: number): void {
  const open = new KeyedSemaphore()
  const refusals = new MemoryPoints(mostNetworks, 1)
  closeAtAccept(server, (network) => refusals.find(network)?.used === mostRefusals)
  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress)
    if (open.acquire(network, each)) return socket.once('close', () => open.release(network))
    refusals.take(network, mostRefusals, 1, 1)
    return refuse(socket, each)
  })
}

/**
 * Closes connections of networks that `isClosed` before a socket and a parser are made for them, which takes several
 * times as long: thousands a second would delay the answers to others.
 */
function closeAtAccept(server: Server, isClosed: (network: string) => boolean): void {
  const { blockList: others } = server as { blockList?: BlockList }
  class Closed extends BlockList {
    override check(address: string | SocketAddress): boolean {
      const text = typeof address === 'string' ? address : address.address
      return isClosed(networkOf(text)) || (others?.check(text) ?? false)
    }
  }
  // Of HTTP servers the constructor takes no block list; a server reads this member for each connection.
  Object.assign(server, { blockList: new Closed() })
}

function refuse(socket: Socket, each: number): void {
  const message = `Your address has ${each} connections open, which is all it may have. Use them again, or close some.`
  endByHand(socket, new ServiceError('RATE_LIMITED', message, { retryAfter: 1, limit: each }))
  // Requests that may already be on the connection are not awaited.
  socket.destroySoon()
}

const crossOriginLines = Object.entries(crossOriginHeaders)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')

/** Writes an answer to a connection without a framework reply, and closes it. */
export function endByHand(socket: Socket, failure: ServiceError): void {
  // The socket reads and drops further data for a while: closing at once would lose the answer.
  socket.on('error', () => socket.destroy())
  const timer = setTimeout(() => socket.destroy(), 5000).unref()
  socket.once('close', () => clearTimeout(timer))
  const body = errorBody([formatError(failure)])
  const { retryAfter } = failure.details
  socket.end(
    `HTTP/1.1 ${errorCodes[failure.code].status} ${failure.code}\r\n` +
      `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `${retryAfter === undefined ? '' : `retry-after: ${String(retryAfter)}\r\n`}` +
      `${crossOriginLines}x-content-type-options: nosniff\r\nconnection: close\r\n\r\n${body}`,
  )
}

/** Chunks of such bodies that a network may send in a minute; parsing as many takes some 6 ms. */
const mostChunks = 4_000

/**
 * Limits bodies in small chunks. The parser reads 64 KB at once, which may be ten thousand chunks, before a request can be
 * refused: the memory of those that nobody reads yet is limited here, and networks that send such bodies repeatedly.
 * Networks are not known behind proxies, which join chunks themselves.
 */
function limitChunks(server: Server, each: number | null): void {
  const sent = new LRUCache<string, { chunks: number }>({
    ...atMost(mostNetworks),
    ttl: 60_000,
    noUpdateTTL: true,
  })
  /** Connections on which a body in chunks is sent, or may be with the first request, and their networks. */
  const sending = new Map<Socket, string>()
  const isBanned = (network: string): boolean => (sent.get(network)?.chunks ?? 0) > mostChunks
  const counterOf = (network: string, own: Socket): ((chunks: number) => void) => {
    if (each === null) return () => undefined
    const total = sent.get(network) ?? { chunks: 0 }
    if (total.chunks === 0) sent.set(network, total)
    return (chunks) => {
      const isFirst = total.chunks <= mostChunks && total.chunks + chunks > mostChunks
      total.chunks += chunks
      if (!isFirst) return
      for (const [socket, other] of sending) if (other === network && socket !== own) socket.destroy()
    }
  }
  const watch = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    sending.delete(socket)
    if (request.headers['transfer-encoding'] === undefined) return
    const network = networkOf(socket.remoteAddress)
    if (isBanned(network)) {
      // What has been read is parsed nevertheless, up to 64 KB.
      request.push = () => false
      return void socket.destroy()
    }
    sending.set(socket, network)
    response.once('close', () => sending.delete(socket))
    // What is left of a body would be parsed for as long as it is sent.
    response.once('finish', () => {
      if (!request.complete) socket.destroySoon()
    })
    const { push } = request
    const count = counterOf(network, socket)
    let [pieces, length, isOver] = [0, 0, false]
    request.push = (piece: Buffer | null): boolean => {
      if (piece === null) return push.call(request, piece)
      if (isOver) {
        // At once: the answer is only sent when the first pieces of all other connections have been parsed.
        count(1)
        return false
      }
      pieces += 1
      length += piece.length
      // As the reader decides, which refuses the body with this piece.
      isOver = pieces > piecesLookedOver && length < pieces * leastAverage
      if (isOver) count(pieces)
      return push.call(request, piece)
    }
  }
  server.on('connection', (socket: Socket) => {
    sending.set(socket, networkOf(socket.remoteAddress))
    socket.once('close', () => sending.delete(socket))
  })
  server.prependListener('request', watch)
  closeAtAccept(server, isBanned)
}

/** Maximum bytes of large answers that all callers together may leave unread. */
const mostUnread = 256 * 1024 * 1024
/** The same for one caller. */
const mostOfOne = mostUnread / 4

/**
 * Limits large answers in flight; small ones fit into the socket buffers of the operating system. `readingTime`:
 * milliseconds in which a caller must read a large answer. What it returns reserves bytes until the response is closed,
 * and throws UNAVAILABLE when unread answers exceed a limit.
 */
export function limitInFlight(
  readingTime: number,
): (bytes: number, response: ServerResponse, caller: string) => void {
  const ofEach = new KeyedSemaphore()
  let unread = 0
  return (bytes, response, caller) => {
    if (response.destroyed) return
    if (unread + bytes > mostUnread || !ofEach.acquire(caller, mostOfOne, bytes)) {
      const message = 'Too many large answers are on their way; try again, or ask for less.'
      throw new ServiceError('UNAVAILABLE', message, { retryAfter: 5 })
    }
    unread += bytes
    const { socket } = response
    const timer = setTimeout(() => socket?.destroy(), readingTime)
    response.once('close', () => {
      unread -= bytes
      ofEach.release(caller, bytes)
      clearTimeout(timer)
    })
  }
}

/**
 * Releases the memory of a sent answer, which the garbage collector would do only after hundreds of requests. The
 * caller must own the body exclusively. Listeners of the response may still read it in the turn of `finish`.
 */
export function freeWhenSent(response: ServerResponse, body: Uint8Array): void {
  response.once('finish', () => setImmediate(releaseBuffer, body))
}
