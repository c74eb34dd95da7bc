/** A relay before a PDS that says more than the PDS does: frames of its own, before those it passes on. */
import type { ServerResponse } from 'node:http'
import { type FakeServer, startFakeServer } from './fake-server.ts'

export interface Relay extends AsyncDisposable {
  readonly url: string
  /** To whom is connected, or is the next to be. */
  readonly say: (...frames: readonly (string | Uint8Array)[]) => void
  readonly disconnect: () => void
}

export async function startRelay(pdsUrl: string): Promise<Relay> {
  const waiting: (string | Uint8Array)[] = []
  const server: FakeServer = await startFakeServer({
    respond: ({ url }, response) => void passOn(`${pdsUrl}${url}`, response),
    refuse: () => null,
    serve: async (connection) => {
      const { pathname, search } = connection.url
      const upstream = new WebSocket(`${pdsUrl}${pathname}${search}`)
      upstream.binaryType = 'arraybuffer'
      let last: Promise<void> = say()
      upstream.addEventListener('message', ({ data }) => {
        last = last.then(() => connection.send(new Uint8Array(data)))
      })
      upstream.addEventListener('close', () => connection.terminate())
      await connection.closed
      upstream.close()
      await last
    },
  })
  async function say(): Promise<void> {
    const connection = server.connections.findLast(({ open }) => open)
    if (connection === undefined) return
    for (const frame of waiting.splice(0)) await connection.send(frame)
  }
  return {
    url: `http://${server.host}`,
    say: (...frames) => {
      waiting.push(...frames)
      void say()
    },
    disconnect: server.disconnect,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function passOn(url: string, response: ServerResponse): Promise<void> {
  const answer = await fetch(url)
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
  response.end(Buffer.from(await answer.arrayBuffer()))
}
