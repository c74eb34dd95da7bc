/**
 * Limits the number of connections and the memory of answers on their way. It must not know the content of requests.
 */
import type { Server, ServerResponse } from 'node:http'
import { BlockList, type Socket, type SocketAddress } from 'node:net'
import { LRUCache } from 'lru-cache'
import { ServiceError, errorCodes } from '../../errors.ts'
import { atMost, releaseBuffer } from '../../util/memory.ts'
import { crossOriginHeaders } from './cross-origin.ts'
import { errorBody, formatError } from '../graphql/graphql-http.ts'
import { networkOf } from '../admission/limits/address.ts'
import { KeyedSemaphore } from '../admission/limits/keyed-semaphore.ts'

export interface ConnectionLimits {
  /** Of all addresses together. */
  readonly all: number
  /** Of one address, or one /64 network of IPv6; null behind proxies. */
  readonly each: number | null
}

/** Excess connections of a network that are answered in a second; further ones are closed when they are accepted. */
export const mostRefusals = 100
export const mostNetworks = 10_000

/** Connections over `all` are closed without an answer, connections over `each` with an error. */
export function limitConnections(server: Server, { all, each }: ConnectionLimits): void {
  // Without dropMaxConnection, which the types lack, a worker returns excess connections to the primary process, and
  // they circulate between full workers without end.
  Object.assign(server, { maxConnections: all, dropMaxConnection: true })
  if (each === null) return
  const open = new KeyedSemaphore()
  const refusals = new LRUCache<string, number>({ ...atMost(mostNetworks), ttl: 1000, noUpdateTTL: true })
  closeAtAccept(server, (network) => (refusals.get(network) ?? 0) >= mostRefusals)
  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress)
    if (open.acquire(network, each)) return socket.once('close', () => open.release(network))
    refusals.set(network, (refusals.get(network) ?? 0) + 1)
    return refuse(socket, each)
  })
}

/**
 * Closes connections of networks that `isClosed` before a socket and a parser are made for them, which takes several
 * times as long: thousands a second would delay the answers to others.
 */
export function closeAtAccept(server: Server, isClosed: (network: string) => boolean): void {
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
