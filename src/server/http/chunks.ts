/**
 * Limits bodies in small chunks. The parser reads 64 KB at once, which may be ten thousand chunks, before a request can be
 * refused: the memory of those that nobody reads yet is limited here, and networks that send such bodies repeatedly.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import { atMost } from '../../util/memory.ts'
import { networkOf } from '../admission/limits/address.ts'
import { closeAtAccept, type ConnectionLimits, mostNetworks } from './connections.ts'
import { leastAverage, piecesLookedOver } from './requests.ts'

/** Bodies in tiny chunks that a network may send in a minute; each takes some 15 ms. */
const mostBodies = 3

/** Networks are not known behind proxies, which join chunks themselves. */
export function limitChunks(server: Server, { each }: Pick<ConnectionLimits, 'each'>): void {
  const bodies = new LRUCache<string, number>({ ...atMost(mostNetworks), ttl: 60_000, noUpdateTTL: true })
  /** Connections on which a body in chunks is sent, whose network may be refused meanwhile. */
  const sending = new Map<Socket, string>()
  const isBanned = (network: string): boolean => (bodies.get(network) ?? 0) > mostBodies
  const count = (network: string, own: Socket): void => {
    if (each === null) return
    bodies.set(network, (bodies.get(network) ?? 0) + 1)
    if (!isBanned(network)) return
    for (const [socket, other] of sending) if (other === network && socket !== own) socket.destroy()
  }
  const watch = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    if (request.headers['transfer-encoding'] === undefined) return
    const network = networkOf(socket.remoteAddress)
    sending.set(socket, network)
    response.once('close', () => sending.delete(socket))
    // What is left of a body would be parsed for as long as it is sent.
    response.once('finish', () => {
      if (!request.complete) socket.destroySoon()
    })
    const { push } = request
    let [pieces, length, isOver] = [0, 0, false]
    request.push = (piece: Buffer | null): boolean => {
      if (piece === null) return push.call(request, piece)
      if (isOver) return false
      pieces += 1
      length += piece.length
      // As the reader decides, which refuses the body with this piece.
      isOver = pieces > piecesLookedOver && length < pieces * leastAverage
      // At once: the answer is only sent when the first pieces of all other connections have been parsed.
      if (isOver) count(network, socket)
      return push.call(request, piece)
    }
  }
  server.prependListener('request', watch)
  closeAtAccept(server, isBanned)
}
