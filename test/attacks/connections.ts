/** Attacks that hold connections: senders that never come to an end, readers that do not read, too many at once. */
import assert from 'node:assert/strict'
import type { ErrorCode } from '../../src/errors.ts'
import { startServer, type HttpServer } from '../support/server/http-server.ts'
import { createStandInEngine } from '../support/service/stand-in-engine.ts'
import { until } from '../support/until.ts'
import { asked, head, host, path } from './attack.ts'
import { type Bytes, Connection } from './exchange.ts'
import { codeOf } from './launch.ts'

/** A sender that is told to stop, or hung up on. */
export interface SlowSender {
  readonly name: string
  readonly first: Bytes
  /** What follows for ever, a byte at a time; nothing when absent. */
  readonly drip?: string
  /** Null where the connection is closed without a word. */
  readonly code: ErrorCode | null
}

const json = 'content-type: application/json'
const announced = head(`POST ${path} HTTP/1.1`, host, json, 'content-length: 1000')
const chunked = head(`POST ${path} HTTP/1.1`, host, json, 'transfer-encoding: chunked')

export const slowSenders: readonly SlowSender[] = [
  { name: 'nothing at all', first: '', code: 'BAD_REQUEST' },
  { name: 'the first byte alone', first: 'G', code: 'BAD_REQUEST' },
  { name: 'empty lines without end', first: '\r\n', drip: '\r\n', code: 'BAD_REQUEST' },
  { name: 'a target byte by byte', first: 'GET /', drip: 'x', code: 'BAD_REQUEST' },
  {
    name: 'a head byte by byte',
    first: 'GET / HTTP/1.1\r\nhost: x\r\n',
    drip: 'x: y\r\n',
    code: 'BAD_REQUEST',
  },
  { name: 'a header value byte by byte', first: 'GET / HTTP/1.1\r\nhost: ', drip: 'x', code: 'BAD_REQUEST' },
  { name: 'a body that never comes', first: announced, code: 'BAD_REQUEST' },
  {
    name: 'a body that is asked for and never comes',
    first: announced.replace(json, `${json}\r\nexpect: 100-continue`),
    code: 'BAD_REQUEST',
  },
  { name: 'a body byte by byte', first: announced, drip: ' ', code: 'BAD_REQUEST' },
  { name: 'chunks of one byte, slowly', first: chunked, drip: '1\r\n \r\n', code: 'BAD_REQUEST' },
  { name: 'a chunk that never comes', first: `${chunked}ff\r\n`, code: 'BAD_REQUEST' },
  { name: 'a chunk extension byte by byte', first: `${chunked}1;`, drip: 'x', code: 'BAD_REQUEST' },
  { name: 'trailers byte by byte', first: `${chunked}0\r\n`, drip: 'x: y\r\n', code: 'BAD_REQUEST' },
  { name: 'silence after an answer', first: head('GET /healthz HTTP/1.1', host), code: null },
]

const timeout = { head: 200, request: 400, idle: 150, reading: 400, check: 40 }

/** A server that is in a hurry. */
export function startImpatient(options: Parameters<typeof startServer>[0] = {}): Promise<HttpServer> {
  return startServer({ timeout, ...options })
}

/** Sends as it is told until the server has had enough; then what it said last. */
export async function sendSlowly(port: number, { first, drip }: SlowSender): Promise<string | null> {
  using connection = await Connection.open(port)
  const { socket } = connection
  socket.write(first)
  let sent = 0
  const timer = setInterval(() => {
    if (drip !== undefined && socket.writable) socket.write(drip.charAt(sent++ % drip.length))
  }, 5)
  let last: string | null = null
  for (let answer = await connection.answer(); answer !== null; answer = await connection.answer())
    last = codeOf(answer)
  clearInterval(timer)
  return last
}

/** An attack of several steps, which says by itself what must come of it. */
export interface Scene {
  readonly name: string
  readonly play: () => Promise<void>
}

/** More than the system takes over for a connection. */
const big = 'query { text(bytes: 32000000) }'

export const connectionScenes: readonly Scene[] = [
  {
    name: 'a hundred slow senders at once keep nobody waiting',
    async play() {
      // The one that waits for its turn is not slow, however long this process takes to send what it asks.
      await using server = await startImpatient({ timeout: { ...timeout, head: 5_000, request: 5_000 } })
      const slow = Array.from({ length: 100 }, () =>
        sendSlowly(server.port, { name: '', first: 'GET /', drip: 'x', code: null }),
      )
      await until(() => server.accepted() >= 100)
      assert.equal((await server.post({ query: '{ hello }' })).status, 200)
      assert.deepEqual(new Set(await Promise.all(slow)), new Set(['BAD_REQUEST']))
    },
  },
  {
    name: 'a caller that has said all and closes its side is answered',
    async play() {
      await using server = await startImpatient()
      using connection = await Connection.open(server.port)
      connection.socket.end(asked('{ hello }'))
      assert.match((await connection.answer())?.body ?? '', /Hello/)
      await connection.closed()
    },
  },
  {
    name: 'a reader that does not read is hung up on',
    async play() {
      await using server = await startImpatient()
      using connection = await Connection.open(server.port)
      connection.socket.pause()
      connection.socket.write(asked(big))
      // Its reading is paused, so that only the server's own end tells.
      await until(() => server.accepted() >= 1)
      await until(async () => (await server.connections()) === 0)
    },
  },
  {
    name: 'readers that do not read fill no more memory than there is for them',
    async play() {
      await using server = await startImpatient({ timeout: { ...timeout, reading: 600_000 } })
      const readers: Connection[] = []
      // One that was slow to ask is hung up on, so that there is one more each time.
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
    },
  },
  {
    name: 'connections beyond those of one address are told so, and the next is welcome when one has gone',
    async play() {
      await using server = await startImpatient({
        connections: { all: 100, each: 5 },
        timeout: { ...timeout, head: 5_000 },
      })
      const open = await Promise.all(Array.from({ length: 5 }, () => Connection.open(server.port)))
      await until(() => server.accepted() >= 5)
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
    },
  },
  {
    name: 'connections beyond all that there may be are closed',
    async play() {
      await using server = await startImpatient({
        connections: { all: 5, each: null },
        timeout: { ...timeout, head: 5_000 },
      })
      const open = await Promise.all(Array.from({ length: 5 }, () => Connection.open(server.port)))
      await until(() => server.accepted() >= 5)
      using sixth = await Connection.open(server.port)
      assert.equal(await sixth.answer(), null)
      for (const connection of open) connection[Symbol.dispose]()
      await until(async () => (await server.connections()) === 0)
      assert.equal((await server.post({ query: '{ hello }' })).status, 200)
    },
  },
  ...(
    [
      ['before the first byte', ''],
      ['in the first line', 'GET /api/gr'],
      ['in the head', 'GET / HTTP/1.1\r\nhost: x\r\nx-'],
      ['before the body', announced],
      ['in the body', `${announced}{"query"`],
      ['in a chunk', `${chunked}ff\r\n{"query"`],
      ['when it has asked', asked('{ slow }')],
      ['while it reads', asked('{ text(bytes: 10000000) }')],
      ['in the middle of a hundred requests', head('GET /healthz HTTP/1.1', host).repeat(100)],
    ] as const
  ).map(
    ([when, sent]): Scene => ({
      name: `a caller that breaks off ${when} leaves nothing behind`,
      async play() {
        const engine = createStandInEngine()
        await using server = await startImpatient({
          engine,
          timeout: { ...timeout, head: 5_000, request: 5_000, idle: 5_000, reading: 60_000 },
        })
        const open = await openIdle(server.port, 20)
        for (const { socket } of open) socket.write(sent)
        await until(() => server.accepted() >= 20)
        for (const { socket } of open) socket.resetAndDestroy()
        await until(async () => (await server.connections()) === 0)
        engine.finish()
        assert.equal((await server.post({ query: '{ hello }' })).status, 200)
        assert.deepEqual(server.log, [])
      },
    }),
  ),
]

/** Connections on which nothing is read. */
async function openIdle(port: number, count: number): Promise<readonly Connection[]> {
  const open = await Promise.all(Array.from({ length: count }, () => Connection.open(port)))
  for (const { socket } of open) socket.pause()
  return open
}
