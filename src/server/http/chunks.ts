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

/** Chunks of such bodies that a network may send in a minute; parsing as many takes some 6 ms. */
const mostChunks = 4_000

/** Networks are not known behind proxies, which join chunks themselves. */
export function limitChunks(server: Server, { each }: Pick<ConnectionLimits, 'each'>): void {
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
