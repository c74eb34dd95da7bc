/** Starts a server at exactly one address, guards it, and stops it gracefully: it answers open requests first. */
import { lookup } from 'node:dns/promises'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, Server, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type ConnectionLimits, limitConnections } from './connections.ts'
import { askBeforeBodies, rejectBadHeads } from './requests.ts'

export interface ListenAddress {
  /** An address, or a name of this host. */
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
}

/**
 * Resolves to a URL such as `http://127.0.0.1:4000`. For the name `localhost` the framework would create one more
 * server per further address, without the limits on connections and without the graceful shutdown.
 */
export async function listenAt(app: FastifyInstance, { host, port }: ListenAddress): Promise<string> {
  const { address } = await lookup(host, { order: 'ipv4first' })
  await app.listen({ host: address, port })
  const actual = app.server.address() as AddressInfo
  const name = actual.family === 'IPv6' ? `[${actual.address}]` : actual.address
  return `http://${name}:${actual.port}`
}

/** What servers do for all routes; called before these and other hooks are added. */
export function guardServer(app: FastifyInstance, connections: ConnectionLimits): void {
  app.decorateRequest('context', null)
  app.removeAllContentTypeParsers()
  app.addHook('onRequest', rejectBadHeads)
  askBeforeBodies(app.server)
  closeGracefully(app)
  limitConnections(app.server, connections)
}

/** Milliseconds in which a client that sends continuously sends one more request, and learns that it is the last. */
const silence = 250

/**
 * Makes `app.close()` refuse new connections, answer pending and further requests on the open ones with
 * `Connection: close`, and end when all are answered. Node itself closes idle connections at once, although the next
 * request may already be in the receive buffer, which resets the connection; it waits for connections that never sent
 * a request (browsers open them in advance), and stops checking for slow senders.
 */
function closeGracefully(app: FastifyInstance): void {
  const { server } = app
  const { close } = server
  server.close = (callback) => {
    Server.prototype.close.call(server, callback)
    return server
  }
  let isClosing = false
  /** The latest answer of each connection; null before the first request. */
  const connections = new Map<Socket, ServerResponse | null>()
  server.on('connection', (socket: Socket) => {
    connections.set(socket, null)
    socket.once('close', () => connections.delete(socket))
  })
  // The framework itself sets the header on the new response.
  server.on('request', ({ socket }, response) => {
    if (isClosing) tell(connections.get(socket), false)
    connections.set(socket, response)
  })
  app.addHook('preClose', async () => {
    isClosing = true
    for (const response of connections.values()) tell(response, true)
    const hangUp = hangingUpOnTheSilent(connections)
    hangUp()
    // setImmediate lets the event loop first read data that arrived while the process was busy.
    const sweep = setInterval(() => setImmediate(hangUp), silence)
    server.once('close', () => {
      clearInterval(sweep)
      close.call(server)
    })
  })
}

/** Sets or removes `Connection: close`; has no effect once the head was sent. */
function tell(response: ServerResponse | null | undefined, isLast: boolean): void {
  if (response === null || response === undefined || response.headersSent) return
  if (isLast) response.setHeader('connection', 'close')
  else response.removeHeader('connection')
}

/** Each call closes the connections that are fully answered and have sent nothing since the previous call. */
function hangingUpOnTheSilent(connections: ReadonlyMap<Socket, ServerResponse | null>): () => void {
  const read = new WeakMap<Socket, number>()
  return () => {
    for (const [socket, response] of connections) {
      const isSilent = socket.bytesRead === read.get(socket)
      if (isSilent && response?.writableFinished !== false) socket.destroy()
      read.set(socket, socket.bytesRead)
    }
  }
}
