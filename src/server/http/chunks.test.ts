import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { test } from 'node:test'
import { startServer } from '../../../test/support/server/http-server.ts'
import { patience, until } from '../../../test/support/until.ts'
import { limitConnections } from './connections.ts'

const small = '1\r\n \r\n'.repeat(1_100)
const start = (method: string, path: string): string =>
  `${method} ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`

test('a connection is closed whose body comes in small chunks, and its network after some such bodies', async () => {
  await using server = await startServer({ connections: { all: 1_000, each: 100 } })
  const answers = [
    ['POST', '/api/graphql', 400],
    ['GET', '/healthz', 200],
    ['GET', '/nothing', 404],
  ] as const
  for (const [method, path, status] of answers)
    assert.match(await server.raw(start(method, path) + small), new RegExp(`^HTTP/1.1 ${status} `))
  const other = connect(server.port, '127.0.0.1').on('error', () => undefined)
  other.write('POST /api/graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n')
  await until(async () => (await server.connections()) === 1)
  for (let body = 0; body < 40; body += 1)
    await server.raw(start('POST', '/api/graphql') + small).catch(() => '')
  const get = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'
  assert.equal(await server.raw(get).catch(() => ''), '')
  assert.equal(await server.connections(), 1)
  other.destroy()
})

for (const isUsed of [false, true])
  test(`a network that sends such bodies on many ${isUsed ? 'used' : 'new'} connections is refused before any has an answer`, async () => {
    const answered = (request: IncomingMessage, response: ServerResponse): unknown =>
      request.method === 'GET' && response.end()
    const server = createServer({ keepAliveTimeout: patience }, answered).listen(0, '127.0.0.1')
    limitConnections(server, { all: 1_000, each: 100 })
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const sockets = Array.from({ length: 30 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
    for (const socket of isUsed ? sockets : []) {
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
      await once(socket, 'data')
    }
    for (const socket of sockets) socket.resume().write(start('POST', '/') + small)
    await until(() => sockets.filter((socket) => !socket.destroyed).length === 1)
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })

test('what is read of a body with small chunks is its beginning, also where large ones follow', () => {
  const server = createServer()
  limitConnections(server, { all: 1_000, each: null })
  const request = new IncomingMessage(new Socket())
  request.headers = { 'transfer-encoding': 'chunked' }
  server.emit('request', request, new ServerResponse(request))
  const pieces = [...Array.from({ length: 1_001 }, () => 'a'.repeat(64)), 'b', 'c'.repeat(1_000)]
  for (const piece of pieces) request.push(Buffer.from(piece))
  assert.equal(String(request.read()), pieces.slice(0, -1).join(''))
})

test('of a body that nobody reads yet few small chunks are held, and all large ones up to the usual limit', async () => {
  const requests: IncomingMessage[] = []
  const server = createServer((request) => void requests.push(request)).listen(0, '127.0.0.1')
  limitConnections(server, { all: 1_000, each: null })
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(start('POST', '/') + small)
  await until(() => (requests[0]?.readableLength ?? 0) >= 1_001)
  assert.equal(requests[0]?.readableLength, 1_001)
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})
