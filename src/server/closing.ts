/** Stopping without cutting anybody off, and without waiting for those who only hold a connection open. */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Makes `app.close()` end when the requests in flight are answered. Node by itself would wait for
 * connections that never sent a request (browsers open them in advance), and for the keep-alive time
 * of those whose last answer was under way.
 */
export function closeGracefully(app: FastifyInstance): void {
  let closing = false
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    if (closing) socket.destroy()
  })
  app.addHook('preClose', async () => {
    closing = true
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    // Asking every request whether we are closing would cost all of them; this costs only the last ones.
    const sweep = setInterval(() => app.server.closeIdleConnections(), 20)
    app.server.once('close', () => clearInterval(sweep))
  })
}
