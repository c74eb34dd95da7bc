import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { Departures } from './departures.ts'

const lengths = [0, 1, 4_096, 4_097, 300_000]

/** Answers each path `/N` with a text of N bytes that are no ASCII. */
async function listen() {
  const departures = new Departures()
  const server = createServer((request, response) => {
    const body = bodyOf(Number(request.url?.slice(1)))
    response.writeHead(200, { 'content-length': body.length })
    departures.send(response, body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function bodyOf(length: number): Buffer {
  return Buffer.alloc(length, 'ß')
}

describe('answers that leave together', () => {
  it('are whole, however many are asked at a time', async () => {
    await using server = await listen()
    for (const atOnce of [1, 2, 30, 1, 30]) {
      const asked = Array.from({ length: atOnce }, async (_, index) => {
        const length = lengths[index % lengths.length] ?? 0
        const response = await fetch(`http://127.0.0.1:${server.port}/${length}`)
        assert.deepEqual(Buffer.from(await response.arrayBuffer()), bodyOf(length))
      })
      await Promise.all(asked)
    }
  })

  it('keep their order on one connection', async () => {
    await using server = await listen()
    const socket = connect(server.port, '127.0.0.1')
    const order = [1, 4, 2, 3]
    const head = (length: number, last: boolean) =>
      `GET /${length} HTTP/1.1\r\nhost: a\r\n${last ? 'connection: close\r\n' : ''}\r\n`
    socket.write(order.map((length, index) => head(length, index === order.length - 1)).join(''))
    const answered = [...(await text(socket)).matchAll(/content-length: (\d)/gi)].map(([, length]) => length)
    assert.deepEqual(answered, order.map(String))
  })

  it('do not wait for a caller that is gone', async () => {
    await using server = await listen()
    for (let round = 0; round < 5; round += 1) {
      const sockets = Array.from({ length: 20 }, () => connect(server.port, '127.0.0.1'))
      for (const socket of sockets) socket.end('GET /300000 HTTP/1.1\r\nhost: a\r\n\r\n').destroySoon()
      const response = await fetch(`http://127.0.0.1:${server.port}/4097`)
      assert.equal((await response.arrayBuffer()).byteLength, 4_097)
      for (const socket of sockets) socket.destroy()
    }
  })
})
