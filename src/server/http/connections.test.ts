import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, it, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { rounds } from '../../../test/support/rounds.ts'
import { startServer } from '../../../test/support/server/http-server.ts'
import { createStandInEngine } from '../../../test/support/service/stand-in-engine.ts'
import { patience, until } from '../../../test/support/until.ts'
import { freeWhenSent, limitInFlight } from './connections.ts'

/** Answers each path `/N` with a text of N bytes that are no ASCII. */
async function listen(isOwn = true, fill = bodyOf) {
  const sent: Buffer[] = []
  const server = createServer({ keepAliveTimeout: patience }, (request, response) => {
    const body = fill(Number(request.url?.slice(1)))
    sent.push(body)
    response.writeHead(200, { 'content-length': body.length })
    if (isOwn) freeWhenSent(response, body)
    response.end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    sent,
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

/** More than the system takes from a server for a caller that does not read. */
const large = 16 * 1024 * 1024

/** Each begins with its length, and all of it is of that. */
function ownBodyOf(length: number): Buffer {
  return Buffer.alloc(length, `${length} `)
}

function head(length: number): string {
  return `GET /${length} HTTP/1.1\r\nhost: a\r\n\r\n`
}

describe('memory of answers that nobody else has', () => {
  it('is free once they are sent, and not before', async () => {
    await using server = await listen()
    const socket = connect(server.port, '127.0.0.1').pause()
    socket.write(head(large))
    await until(() => server.sent.length >= 1)
    const [body] = server.sent
    // Others are answered meanwhile, in memory that is given back and taken again.
    for (let round = 0; round < 50; round += 1)
      await (await fetch(`http://127.0.0.1:${server.port}/${300_000}`)).arrayBuffer()
    assert.equal(body?.length, large)
    socket.end()
    const received = await buffer(socket)
    assert.ok(received.subarray(received.indexOf('\r\n\r\n') + 4).equals(bodyOf(large)))
    await until(() => server.sent.every(({ length }) => length === 0))
  })

  it('stays where somebody else has it', async () => {
    await using server = await listen(false)
    for (const length of [4_097, 300_000]) {
      await (await fetch(`http://127.0.0.1:${server.port}/${length}`)).arrayBuffer()
    }
    assert.deepEqual(
      server.sent.map(({ length }) => length),
      [4_097, 300_000],
    )
  })

  it('is never given to another while callers still read, several answers on each connection', async () => {
    await using server = await listen(true, ownBodyOf)
    const order = [900_000, 5_000, 1_200_000, 300_000, 4_096, 2_000_000]
    const callers = Array.from({ length: 8 }, async (_, index) => {
      const socket = connect(server.port, '127.0.0.1').pause()
      const wanted = order.map((length) => length + index)
      socket.write(wanted.map(head).join(''))
      // All are asked, and the first waits half read, before any of them is read to its end.
      await until(() => server.sent.length >= 8 * order.length)
      socket.end()
      const received = await buffer(socket)
      let at = 0
      for (const length of wanted) {
        at = received.indexOf('\r\n\r\n', at) + 4
        assert.ok(received.subarray(at, at + length).equals(ownBodyOf(length)), `one of ${length} bytes`)
        at += length
      }
      assert.equal(at, received.length)
    })
    await Promise.all(callers)
    await until(() => server.sent.every(({ length }) => length <= 4_096 + 8))
  })

  it('does no harm where callers hang up in the middle', async () => {
    await using server = await listen(true, ownBodyOf)
    for (let round = 0; round < rounds(2); round += 1) {
      const sockets = Array.from({ length: 10 }, () => connect(server.port, '127.0.0.1'))
      const halves = sockets.map(async (socket, index) => {
        socket.write(head(large + index) + head(300_000 + index))
        await once(socket, 'data')
        socket.resetAndDestroy()
      })
      const length = 2_000_000 + round
      const whole = fetch(`http://127.0.0.1:${server.port}/${length}`).then((it) => it.arrayBuffer())
      await Promise.all(halves)
      assert.ok(Buffer.from(await whole).equals(ownBodyOf(length)))
    }
  })

  it('is free once the answer to a question is sent, compressed or not', async () => {
    const standIn = createStandInEngine()
    const bodies: Uint8Array[] = []
    const engine: Pick<typeof standIn, 'execute'> = {
      execute: async (request) => {
        const answer = await standIn.execute(request)
        if (answer.kind === 'data') bodies.push(answer.body)
        return answer
      },
    }
    await using server = await startServer({ engine })
    const query = '{ text(bytes: 100000) }'
    for (const encoding of ['identity', 'gzip'])
      await (await server.post({ query }, { 'accept-encoding': encoding })).arrayBuffer()
    assert.equal(bodies.length, 2)
    await until(() => bodies.every(({ length }) => length === 0))
  })
})

test('a large answer is compressed at the level that takes the least time', async () => {
  const text = Array.from({ length: 20_000 }, (_, n) => (n * n).toString(36)).join(' ')
  const { execute } = createStandInEngine()
  const engine: { execute: typeof execute } = {
    execute: async (...given) => ({
      ...(await execute(...given)),
      kind: 'data',
      body: Buffer.from(text),
      isOwn: false,
    }),
  }
  await using server = await startServer({ engine })
  const answer = await server.raw(
    'GET /api/graphql?query=%7Bhello%7D HTTP/1.0\r\nhost: x\r\naccept-encoding: gzip\r\n\r\n',
  )
  const [, length] = /content-length: (\d+)/i.exec(answer) ?? []
  const quickest = gzipSync(text, { level: 1 })
  assert.equal(Number(length), quickest.length)
  assert.notEqual(gzipSync(text).length, quickest.length)
})

test('large answers have room up to a bound for each caller and one for all, until they have been taken', async (t) => {
  const server = createServer({ keepAliveTimeout: patience }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const reserveBytes = limitInFlight(60_000)
  const reserve = async (megabytes: number, caller: string): Promise<ServerResponse> => {
    const asked = request({ port, host: '127.0.0.1' })
    asked.on('error', () => undefined)
    asked.on('response', (answer) => answer.resume())
    asked.end()
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse]
    reserveBytes(megabytes * 2 ** 20, response, caller)
    return response
  }
  const isFull = { code: 'UNAVAILABLE', details: { retryAfter: 5 } }

  const first = await reserve(60, 'a')
  await assert.rejects(reserve(8, 'a'), isFull)
  for (const caller of ['b', 'c', 'd']) await reserve(64, caller)
  await reserve(4, 'e')
  await assert.rejects(reserve(8, 'f'), isFull)
  first.end('taken')
  await once(first, 'close')
  await reserve(8, 'f')
  await reserve(50, 'a')
})
