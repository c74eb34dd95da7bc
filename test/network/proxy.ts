/** A connection that fails when it is told to: stands before a server and passes all on, WebSockets too. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { freePort } from '../support/free-port.ts'

/** `url` is the server's, such as `http://localhost:2583`. */
export async function startProxy(url: string) {
  const target = new URL(url)
  const open = new Set<Socket>()
  /** Grows when connections are frozen. */
  let generation = 0
  let accepted = 0
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
    }
    const made = generation
    accepted += 1
    const pass = (pieces: AsyncIterable<Buffer>) => passOn(pieces, made)
    const either = Promise.all([pipeline(client, pass, upstream), pipeline(upstream, pass, client)])
    // What breaks on one side breaks on the other; that is what connections do.
    either.catch(() => cut([client, upstream]))
  })
  async function* passOn(pieces: AsyncIterable<Buffer>, made: number): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      if (made < generation) await new Promise(() => undefined)
      yield piece
    }
  }
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const stop = async (): Promise<void> => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    cut(open)
    await closed
  }
  const port = await freePort()
  await listen(port)
  return {
    /** To be used in place of the server's; the same for as long as the proxy is there. */
    url: `${target.protocol}//127.0.0.1:${port}`,
    /** How many connections were accepted so far. */
    accepted: () => accepted,
    /** Breaks every connection that is open; new ones are taken. */
    cut: () => cut(open),
    /** From now on nothing more passes on connections that are open, and nobody is told; new ones are as good as ever. */
    freeze: (): void => {
      generation += 1
    },
    /** Breaks every connection and refuses new ones, until it is told to resume. */
    stop,
    resume: () => listen(port),
    [Symbol.asyncDispose]: stop,
  }
}

function cut(sockets: Iterable<Socket>): void {
  for (const socket of sockets) socket.resetAndDestroy()
}
