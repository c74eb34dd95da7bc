/**
 * A server of one prepared stream, in a process of its own: bytes from a file into the socket, as fast as the
 * reader takes them, once. Beside it the directory of the stream's accounts.
 * Usage: fork('feeder.ts', [STREAM, EVENTS, WINDOW, FOLDER?])
 */
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { dictionary } from '../../test/network/fake-jetstream.ts'
import { startDirectory } from '../../test/support/network/directory.ts'
import { prepareStream, type StreamName } from './streams.ts'

export interface FeederReady {
  readonly host: string
  readonly plcUrl: string
  readonly firstCursor: number
}

const [name, events, window, folder = null] = process.argv.slice(2) as [StreamName, string, string, string?]
const { file, sizes, accounts, firstCursor } = await prepareStream(name, Number(events), folder)
/** Messages that are under way at most until they are answered; 0: no limit. */
const limit = Number(window) === 0 ? sizes.length : Number(window)
/** Bytes that are written at once. */
const pieceSize = 64 * 1024

let answers = 0
let wake = (): void => {}
const server = createServer((request, response) => {
  if (name === 'jetstream-2' && request.url?.endsWith('.getZstdDictionary')) response.end(dictionary)
  else response.writeHead(404).end()
})
const upgrader = new WebSocketServer({ noServer: true })
server.on('upgrade', (request, socket, head) => {
  upgrader.handleUpgrade(request, socket, head, (webSocket) => {
    // It answers pings by itself, and between two of our pieces.
    webSocket.on('message', () => {
      answers += 1
      wake()
    })
    process.send?.('connected')
    void feed(socket)
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
const directory = await startDirectory(...accounts.map((account) => ({ ...account, pds: `http://${host}` })))
process.send?.({ host, plcUrl: directory.url, firstCursor } satisfies FeederReady)
process.on('disconnect', () => process.exit())

async function feed(socket: Duplex): Promise<void> {
  await using bytes = await open(file)
  let [sent, at] = [0, 0]
  while (sent < sizes.length && !socket.destroyed) {
    let size = 0
    while (sent < sizes.length && sent - answers < limit && size < pieceSize) size += sizes[sent++] ?? 0
    if (size === 0) {
      await new Promise<void>((resolve) => (wake = resolve))
      continue
    }
    const piece = Buffer.allocUnsafe(size)
    await bytes.read(piece, 0, size, at)
    at += size
    // When the reader is gone, there is nothing left to do.
    if (!socket.write(piece)) await new Promise((resolve) => socket.once('drain', resolve))
  }
  process.send?.('sent')
}
