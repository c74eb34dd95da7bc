/** Stopping without cutting anybody off, and without waiting for those who only hold a connection open. */
import type { ServerResponse } from 'node:http'
import { Server, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Milliseconds in which whoever asks again and again has asked once more, and read that it was the last time. */
const silence = 250

/**
 * Makes `app.close()` refuse new connections, answer what was or is still asked on those that there are, with
 * `Connection: close`, and end when all is answered. Node by itself hangs up at once on whoever has all answers, though
 * the next request may lie there unread, which resets the connection; it waits for those that never sent a request
 * (browsers open them in advance), and no longer looks for those who send slowly.
 */
export function closeGracefully(app: FastifyInstance): void {
  const { server } = app
  const { close } = server
  server.close = (callback) => {
    Server.prototype.close.call(server, callback)
    return server
  }
  let isClosing = false
  /** Of each connection the answer to the latest request; null before there is one. */
  const connections = new Map<Socket, ServerResponse | null>()
  server.on('connection', (socket: Socket) => {
    connections.set(socket, null)
    socket.once('close', () => connections.delete(socket))
  })
  // The framework has told the new one already.
  server.on('request', ({ socket }, response) => {
    if (isClosing) tell(connections.get(socket), false)
    connections.set(socket, response)
  })
  app.addHook('preClose', async () => {
    isClosing = true
    for (const response of connections.values()) tell(response, true)
    const hangUp = hangingUpOnTheSilent(connections)
    hangUp()
    // What has arrived while this process was busy is read between the two.
    const sweep = setInterval(() => setImmediate(hangUp), silence)
    server.once('close', () => {
      clearInterval(sweep)
      close.call(server)
    })
  })
}

/** Whether this answer is the last on its connection; too late where its head has left. */
function tell(response: ServerResponse | null | undefined, isLast: boolean): void {
  if (response === null || response === undefined || response.headersSent) return
  if (isLast) response.setHeader('connection', 'close')
  else response.removeHeader('connection')
}

/** Closes those that have all their answers and have sent nothing since it was called the last time. */
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
