/** Attacks that hold connections: senders that never come to an end, readers that do not read, too many at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorCode } from '../../src/errors.ts'
import { type HttpServer, longTimeouts, startServer } from '../support/server/http-server.ts'
import { createStandInEngine } from '../support/service/stand-in-engine.ts'
import { moment, until } from '../support/until.ts'
import { asked, head, host, numbers, path } from './attack.ts'
import { type Bytes, Connection } from './exchange.ts'
import { codeOf } from './launch.ts'

const json = 'content-type: application/json'
const announced = head(`POST ${path} HTTP/1.1`, host, json, 'content-length: 1000')
const chunked = head(`POST ${path} HTTP/1.1`, host, json, 'transfer-encoding: chunked')

/** The timeout that ends it, what is sent first, and what follows for ever, a byte at a time. */
type SlowSender = readonly [name: string, ends: 'head' | 'request' | 'idle', first: Bytes, drip?: string]

const slowSenders: readonly SlowSender[] = [
  ['nothing at all', 'head', ''],
  ['the first byte alone', 'head', 'G'],
  ['empty lines without end', 'head', '\r\n', '\r\n'],
  ['a target byte by byte', 'head', 'GET /', 'x'],
  ['a head byte by byte', 'head', 'GET / HTTP/1.1\r\nhost: x\r\n', 'x: y\r\n'],
  ['a header value byte by byte', 'head', 'GET / HTTP/1.1\r\nhost: ', 'x'],
  ['a body that never comes', 'request', announced],
  [
    'a body that is asked for and never comes',
    'request',
    announced.replace(json, `${json}\r\nexpect: 100-continue`),
  ],
  ['a body byte by byte', 'request', announced, ' '],
  ['chunks of one byte, slowly', 'request', chunked, '1\r\n \r\n'],
  ['a chunk that never comes', 'request', `${chunked}ff\r\n`],
  ['a chunk extension byte by byte', 'request', `${chunked}1;`, 'x'],
  ['trailers byte by byte', 'request', `${chunked}0\r\n`, 'x: y\r\n'],
  ['silence after an answer', 'idle', head('GET /healthz HTTP/1.1', host)],
]

for (const [name, ends, first, drip] of slowSenders) {
  const code = ends === 'idle' ? null : 'REQUEST_TIMEOUT'
  test(`slow senders, ${name}: ${code ?? 'hung up on'}`, async () => {
    // The others are so long that this process may be held up before it sends the rest.
    const short = ends === 'request' ? { head: 150, request: 150 } : { [ends]: 150 }
    await using server = await startServer({ timeout: { ...longTimeouts, ...short } })
    assert.equal(await sendSlowly(server.port, first, drip), code)
    await untilAnswered(server)
    assert.deepEqual(server.log, [])
  })
}

test('a hundred slow senders at once keep nobody waiting', async () => {
  await using server = await startServer({ timeout: { ...longTimeouts, head: 1_000 } })
  const slow = numbers(100).map(() => sendSlowly(server.port, 'GET /', 'x'))
  await until(() => server.accepted() >= 100)
  await untilAnswered(server)
  assert.deepEqual(new Set(await Promise.all(slow)), new Set(['REQUEST_TIMEOUT']))
})

test('a caller that has said all and closes its side is answered', async () => {
  await using server = await startServer()
  using connection = await Connection.open(server.port)
  connection.socket.end(asked('{ hello }'))
  assert.match((await connection.answer())?.body ?? '', /Hello/)
  await connection.closed()
})

/** More than the system takes over for a connection. */
const big = 'query { text(bytes: 32000000) }'

test('a reader that does not read is hung up on', async () => {
  await using server = await startServer({ timeout: { ...longTimeouts, reading: 400 } })
  const [connection] = await openIdle(server, 1)
  connection?.socket.write(asked(big))
  // Its reading is paused, so that only the server's own end tells.
  await until(async () => (await server.connections()) === 0)
})

test('readers that do not read fill no more memory than there is for them', async () => {
  await using server = await startServer()
  const readers: Connection[] = []
  const fills = async (): Promise<string | null> => {
    const reader = await Connection.open(server.port)
    readers.push(reader)
    reader.socket.pause()
    reader.socket.write(asked(big))
    const next = await server.post({ query: big })
    if (next.status === 503) return next.text()
    await next.body?.cancel()
    return null
  }
  let refused = await fills()
  while (refused === null) {
    assert.ok(readers.length < 2_000, 'two thousand were let in')
    refused = await fills()
  }
  assert.match(refused, /UNAVAILABLE/)
  assert.equal((await server.post({ query: '{ hello }' })).status, 200)
  for (const { socket } of readers) socket.resetAndDestroy()
  await until(async () => (await server.connections()) <= 2)
  assert.equal((await server.post({ query: '{ text(bytes: 1000000) }' })).status, 200)
})

test('connections beyond those of one address are told so, and the next is welcome when one has gone', async () => {
  await using server = await startServer({ connections: { all: 100, each: 5 } })
  const open = await openIdle(server, 5)
  using sixth = await Connection.open(server.port)
  const refused = await sixth.answer()
  assert.equal(refused?.status, 429)
  assert.equal(refused && codeOf(refused), 'RATE_LIMITED')
  assert.equal(refused?.headers.get('retry-after'), '1')
  open[0]?.[Symbol.dispose]()
  await until(async () => (await server.connections()) <= 4)
  using next = await Connection.open(server.port)
  next.socket.write(asked('{ hello }'))
  assert.equal((await next.answer())?.status, 200)
  for (const connection of open) connection[Symbol.dispose]()
})

test('an address that goes on to open connections is not answered for the rest of the second', async () => {
  await using server = await startServer({ connections: { all: 1_000, each: 5 } })
  const open = await openIdle(server, 5)
  const isAnswered = async (): Promise<boolean> => {
    using connection = await Connection.open(server.port)
    return (await connection.answer()) !== null
  }
  await until(async () => {
    const before = server.accepted()
    const answers = await Promise.all(Array.from({ length: 300 }, isAnswered))
    return answers.includes(false) && server.accepted() - before < 300
  })
  open[0]?.socket.resume().write(asked('{ hello }'))
  assert.equal((await open[0]?.answer())?.status, 200)
  await until(isAnswered)
  for (const connection of open) connection[Symbol.dispose]()
})

test('connections beyond all that there may be are closed', async () => {
  await using server = await startServer({ connections: { all: 5, each: null } })
  const open = await openIdle(server, 5)
  using sixth = await Connection.open(server.port)
  assert.equal(await sixth.answer(), null)
  for (const connection of open) connection[Symbol.dispose]()
  await until(async () => (await server.connections()) === 0)
  assert.equal((await server.post({ query: '{ hello }' })).status, 200)
})

for (const [when, sent] of [
  ['before the first byte', ''],
  ['in the first line', 'GET /api/gr'],
  ['in the head', 'GET / HTTP/1.1\r\nhost: x\r\nx-'],
  ['before the body', announced],
  ['in the body', `${announced}{"query"`],
  ['in a chunk', `${chunked}ff\r\n{"query"`],
  ['when it has asked', asked('{ slow }')],
  ['while it reads', asked('{ text(bytes: 10000000) }')],
  ['in the middle of a hundred requests', head('GET /healthz HTTP/1.1', host).repeat(100)],
] as const)
  test(`a caller that breaks off ${when} leaves nothing behind`, async () => {
    const engine = createStandInEngine()
    await using server = await startServer({ engine })
    const open = await openIdle(server, 20)
    for (const { socket } of open) socket.write(sent)
    for (const { socket } of open) socket.resetAndDestroy()
    await until(async () => (await server.connections()) === 0)
    engine.finish()
    assert.equal((await server.post({ query: '{ hello }' })).status, 200)
    assert.deepEqual(server.log, [])
  })

/** Sends until the server has had enough; then what it said last. */
async function sendSlowly(port: number, first: Bytes, drip = ''): Promise<string | null> {
  using connection = await Connection.open(port)
  const { socket } = connection
  socket.write(first)
  const drop = async (): Promise<void> => {
    if (drip === '') return
    for (let sent = 0; socket.writable; sent += 1) {
      socket.write(drip.charAt(sent % drip.length))
      await moment(5)
    }
  }
  const dropping = drop()
  let last: ErrorCode | string | null = null
  for (let answer = await connection.answer(); answer !== null; answer = await connection.answer())
    last = codeOf(answer)
  socket.destroy()
  await dropping
  return last
}

/** A caller whose request was itself too slow for the server's short timeout asks again. */
async function untilAnswered(server: HttpServer): Promise<void> {
  await until(() =>
    server.post({ query: '{ hello }' }).then(
      ({ status }) => status === 200,
      () => false,
    ),
  )
}

/** Connections that the server has, and on which nothing is read. */
async function openIdle(server: HttpServer, count: number): Promise<readonly Connection[]> {
  const open = await Promise.all(numbers(count).map(() => Connection.open(server.port)))
  for (const { socket } of open) socket.pause()
  await until(() => server.accepted() >= count)
  return open
}
