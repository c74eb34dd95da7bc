import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type HttpServer, startServer } from '../../../test/support/server/http-server.ts'
import { createStandInEngine } from '../../../test/support/service/stand-in-engine.ts'
import { until } from '../../../test/support/until.ts'

const timeout = { head: 10_000, request: 30_000, idle: 72_000, reading: 60_000, check: 50 }

test('what was sent on open connections is answered, and told to be the last', async () => {
  const engine = createStandInEngine()
  await using server = await startServer({ engine })
  const used = await Promise.all(Array.from({ length: 5 }, () => connected(server)))
  for (const socket of used) {
    socket.write(asking('{ hello }'))
    assert.match(await head(socket), /^HTTP\/1\.1 200 OK[^]+connection: keep-alive/i)
  }
  const sockets = [...used, await connected(server), await connected(server)]
  await accepted(server, 7)
  const answers = sockets.map((socket) => text(socket))
  const [early, ...others] = sockets
  early?.write(asking('{ slow }'))
  await engine.begun
  // Nobody reads these before the server is told to close.
  for (const socket of others.slice(1)) socket.write(asking('{ hello }'))
  const closed = server.close()
  await setImmediate()
  others[0]?.write(asking('{ hello }'))
  engine.finish()
  for (const answer of await Promise.all(answers)) {
    assert.match(answer, /^HTTP\/1\.1 200 OK/)
    assert.match(answer, /\r\nconnection: close\r\n/i)
  }
  await closed
})

test('of several that were sent on one connection only the last answer says so', async () => {
  await using server = await startServer()
  const socket = await connected(server)
  await accepted(server, 1)
  const answers = text(socket)
  socket.write(asking('{ a: hello }') + asking('{ b: hello }') + asking('{ c: hello }'))
  const closed = server.close()
  const [, ...heads] = (await answers).split('HTTP/1.1 200 OK')
  assert.deepEqual(
    heads.map((one) => /\r\nconnection: close/i.test(one)),
    [false, false, true],
  )
  await closed
})

test('an answer that is not taken yet is sent to its end, and the idle are hung up on at once', async () => {
  const bytes = 8_000_000
  await using server = await startServer()
  const socket = await connected(server)
  socket.write(asking(`{ text(bytes: ${bytes}) }`))
  await once(socket, 'readable')
  const idle = text(await connected(server))
  await accepted(server, 2)
  const closed = server.close()
  assert.equal(await idle, '')
  await assert.rejects(fetch(server.url))
  assert.ok((await text(socket)).length > bytes)
  await closed
})

test('who never sends the rest of a request has no longer than otherwise', async () => {
  await using server = await startServer({ timeout: { ...timeout, head: 200, request: 200 } })
  const socket = await connected(server)
  await accepted(server, 1)
  const answer = text(socket)
  socket.write(asking('{ hello }').slice(0, -1))
  const closed = server.close()
  assert.match(await answer, /^HTTP\/1\.1 408 REQUEST_TIMEOUT\r[^]+ came too slowly/)
  await closed
})

test('a request that came while the process was held up is answered, not refused as late', async () => {
  await using server = await startServer({ timeout: { ...timeout, head: 100, request: 100 } })
  const socket = await connected(server)
  const [start, rest] = asking('{ hello }').split(/(?<=\r\n\r\n)/)
  const holdUp = (): void => {
    socket.write(rest ?? '')
    execFileSync('sleep', ['0.3'])
  }
  subscribe('http.server.request.start', holdUp)
  socket.write(start ?? '')
  assert.match(await head(socket), /^HTTP\/1\.1 200 OK/)
  unsubscribe('http.server.request.start', holdUp)
  socket.destroy()
})

async function connected({ port }: HttpServer): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/** A server that closes resets connections that the system has made and it has not taken yet. */
async function accepted(server: HttpServer, count: number): Promise<void> {
  await until(() => server.accepted() === count)
}

function asking(query: string): string {
  const body = JSON.stringify({ query })
  return `POST /api/graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

async function head(socket: Socket): Promise<string> {
  const [piece] = await once(socket, 'data')
  return String(piece)
}
