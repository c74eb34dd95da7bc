/** Connections as such: how many there may be, and how much they may leave unread. It knows nothing of what is asked. */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError, errorCodes } from '../../errors.ts'
import { crossOriginHeaders } from './cross-origin.ts'
import { errorBody, formatError } from '../graphql/graphql-http.ts'
import { networkOf } from '../admission/limits/address.ts'

export interface ConnectionLimits {
  /** Of everybody. */
  readonly all: number
  /** Of one address, IPv6 by its network of 64 bits; null where proxies are in front. */
  readonly each: number | null
}

/** Beyond them a connection is closed; beyond those of one address it is told why. */
export function limitConnections(server: Server, { all, each }: ConnectionLimits): void {
  // Without the second, which its types lack, a worker gives back those that are too many, and they go from one full
  // worker to the other without end.
  Object.assign(server, { maxConnections: all, dropMaxConnection: true })
  const counts = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress)
    const count = (counts.get(network) ?? 0) + 1
    if (each !== null && count > each) return refuse(socket, each)
    counts.set(network, count)
    socket.once('close', () => {
      const left = (counts.get(network) ?? 1) - 1
      if (left === 0) counts.delete(network)
      else counts.set(network, left)
    })
  })
}

function refuse(socket: Socket, each: number): void {
  const message = `Your address has ${each} connections open, which is all it may have. Use them again, or close some.`
  endByHand(socket, new ServiceError('RATE_LIMITED', message, { retryAfter: 1, limit: each }))
  // What may already be asked on it is not waited for.
  socket.destroySoon()
}

const crossOriginLines = Object.entries(crossOriginHeaders)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')

/** Answers on a connection where there is no reply to send with, and closes it. */
export function endByHand(socket: Socket, failure: ServiceError): void {
  // What the caller still sends is read and dropped for a while: closing at once would lose the answer.
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

/** Bytes of large answers that callers may leave unread at one time, all together. */
const mostUnread = 256 * 1024 * 1024
/** The same of one caller. */
const mostOfOne = mostUnread / 4

/** Large answers that are on their way. Small ones fit into what the system holds for a connection. */
export class InFlightLimit {
  readonly #readingTime: number
  readonly #ofOne = new Map<string, number>()
  #unread = 0

  /** Milliseconds in which a caller must have taken a large answer. */
  constructor(readingTime: number) {
    this.#readingTime = readingTime
  }

  /** Keeps room until the response is over. Throws UNAVAILABLE when callers read too slowly for one more. */
  reserve(bytes: number, response: ServerResponse, caller: string): void {
    if (response.destroyed) return
    const own = this.#ofOne.get(caller) ?? 0
    if (own + bytes > mostOfOne || this.#unread + bytes > mostUnread) {
      const message = 'Too many large answers are on their way; try again, or ask for less.'
      throw new ServiceError('UNAVAILABLE', message, { retryAfter: 5 })
    }
    this.#add(bytes, caller)
    const { socket } = response
    const timer = setTimeout(() => socket?.destroy(), this.#readingTime)
    response.once('close', () => {
      this.#add(-bytes, caller)
      clearTimeout(timer)
    })
  }

  #add(bytes: number, caller: string): void {
    this.#unread += bytes
    const own = (this.#ofOne.get(caller) ?? 0) + bytes
    if (own === 0) this.#ofOne.delete(caller)
    else this.#ofOne.set(caller, own)
  }
}
