/**
 * What fakes of streaming servers share: HTTP and WebSockets on a port of this machine, and faults that are
 * drawn from a seed, so that a run can be repeated.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type JsonValue, jsonToLex } from '@atproto/lex-json'
import { WebSocket, WebSocketServer } from 'ws'
import { cidOf, formatCid } from '../../src/lexicon/records/cid.ts'
import { patience } from '../support/until.ts'

/** Chances from 0 to 1, drawn for every message. */
export interface Faults {
  /** It is never sent on this connection, though the server goes on as if it was. */
  readonly drop?: number
  /** It is sent twice. */
  readonly duplicate?: number
  /** The connection breaks in the middle of it. */
  readonly cut?: number
  /** Something that is no event comes before it. */
  readonly garbage?: number
  /** It changes places with those next to it that are of other repositories. */
  readonly reorder?: number
}

/** What a repository publishes: a record, or its deletion. */
export interface Publication {
  readonly did: string
  readonly collection: string
  readonly rkey: string
  readonly rev: string
  /** In the JSON form of the data model; null: deleted. */
  readonly record: Readonly<Record<string, JsonValue>> | null
  /** An update unless it is the first; a deletion anyway without a record. */
  readonly update?: boolean
}

/** Its members in the words of both protocols, without what either calls the kind of change. */
export function membersOf({ did, collection, rkey, rev, record }: Publication): Record<string, unknown> {
  const place = { did, collection, rkey, rev }
  return record === null ? place : { ...place, record, cid: formatCid(cidOf(jsonToLex(record))) }
}

export function actionOf({ record, update }: Publication): 'create' | 'update' | 'delete' {
  if (record === null) return 'delete'
  return update === true ? 'update' : 'create'
}

export interface Refusal {
  readonly status: number
  readonly body: unknown
}

interface FakeServerOptions {
  readonly respond: (request: IncomingMessage, response: ServerResponse, body: string) => void
  /** Why a WebSocket is not let in; null lets it in. */
  readonly refuse: (url: URL, request: IncomingMessage) => Refusal | null
  /** Called for each that is let in. */
  readonly serve: (connection: FakeConnection) => Promise<void>
  readonly subprotocol?: string
}

/** A client's WebSocket, seen from the server. */
export class FakeConnection {
  /** What it asked for. */
  readonly url: URL
  /** Text messages of the client. */
  readonly received: string[] = []
  /** Messages that left this process; while the client does not read, it soon stands still. */
  sent = 0
  readonly #socket: Duplex
  readonly #webSocket: WebSocket
  /** Resolves when the connection is over, however it ends. */
  readonly closed: Promise<void>
  #waiting: (() => void)[] = []

  constructor(url: URL, socket: Duplex, webSocket: WebSocket) {
    this.url = url
    this.#socket = socket
    this.#webSocket = webSocket
    webSocket.on('message', (data) => {
      this.received.push(data.toString())
      for (const wake of this.#waiting.splice(0)) wake()
    })
    this.closed = new Promise((resolve) => webSocket.on('close', () => resolve()))
    webSocket.on('error', () => {})
  }

  get open(): boolean {
    return this.#webSocket.readyState === WebSocket.OPEN
  }

  /** Resolves when the message has left, or never will. `binary` false sends bytes as a text, whatever they are. */
  async send(data: string | Uint8Array, binary = typeof data !== 'string'): Promise<void> {
    if (!this.open) return
    const error = await new Promise((resolve) => this.#webSocket.send(data, { binary }, resolve))
    if (!(error instanceof Error)) this.sent++
  }

  /** Breaks the connection in the middle of a message. */
  async cut(data: string | Uint8Array): Promise<void> {
    const bytes = Buffer.from(data)
    const head = Buffer.from([typeof data === 'string' ? 0x81 : 0x82, 126, 0, 0])
    head.writeUInt16BE(Math.min(bytes.length, 0xffff), 2)
    const half = Buffer.concat([head, bytes.subarray(0, bytes.length / 2)])
    await new Promise<void>((resolve) => this.#socket.write(half, () => resolve()))
    this.#socket.destroy()
  }

  close(code: number, reason: string): void {
    this.#webSocket.close(code, reason)
  }

  terminate(): void {
    this.#webSocket.terminate()
  }

  /** Until the client has sent another message, or is gone. */
  whenReceived(): Promise<void> {
    return Promise.race([this.closed, new Promise<void>((resolve) => this.#waiting.push(resolve))])
  }
}

export type FakeServer = Awaited<ReturnType<typeof startFakeServer>>

export async function startFakeServer(options: FakeServerOptions) {
  const connections: FakeConnection[] = []
  let refusals = 0
  /** How far its clock is ahead of this machine's, in milliseconds; `Date` headers say so. */
  const clock = { ahead: 0 }
  const server = createServer({ keepAliveTimeout: patience }, (request, response) => {
    response.setHeader('date', new Date(Date.now() + clock.ahead).toUTCString())
    text(request).then(
      (body) => options.respond(request, response, body),
      () => response.destroy(),
    )
  })
  const { subprotocol } = options
  const upgrader = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) =>
      subprotocol !== undefined && offered.has(subprotocol) ? subprotocol : false,
  })
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {})
    const url = new URL(request.url ?? '/', 'ws://fake')
    const refusal = refusals > 0 ? { status: 503, body: 'Not now.' } : options.refuse(url, request)
    if (refusal !== null) {
      refusals = Math.max(0, refusals - 1)
      const body = JSON.stringify(refusal.body)
      socket.end(
        `HTTP/1.1 ${refusal.status} Refused\r\ncontent-type: application/json\r\nconnection: close\r\n` +
          `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
      return
    }
    upgrader.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new FakeConnection(url, socket, webSocket)
      connections.push(connection)
      options.serve(connection).catch((error: unknown) => {
        // A fault of the fake itself must fail the test.
        queueMicrotask(() => {
          throw error
        })
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** All that were ever let in. */
    connections: connections as readonly FakeConnection[],
    clock,
    /** The next so many WebSockets are not let in. */
    refuseNext: (times: number): void => {
      refusals = times
    },
    /** Breaks all connections. */
    disconnect: (): void => {
      for (const connection of connections) connection.terminate()
    },
    [Symbol.asyncDispose]: async () => {
      for (const connection of connections) connection.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type Dice = ReturnType<typeof createDice>

/** The same seed gives the same row of numbers. */
export function createDice(seed: number) {
  let state = seed | 0
  const draw = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    /** From 0 to 1. */
    draw,
    chance: (probability = 0): boolean => probability > 0 && draw() < probability,
    pick: <Value>(values: readonly Value[]): Value => values[Math.floor(draw() * values.length)]!,
  }
}

/** Something that is no event, in one of several ways. */
export function drawGarbage(dice: Dice): string | Uint8Array {
  return dice.pick<string | Uint8Array>([
    '',
    'no json',
    '{"kind":"commit"',
    '[]',
    'null',
    '{}',
    '{"kind":7}',
    '{"$type":"message"}',
    '{"did":"did:plc:x","time_us":"soon","kind":"commit","commit":[]}',
    '{"id":"one","type":"record"}',
    '\u0000\ud800',
    '['.repeat(50_000),
    new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3]),
  ])
}

/** Moves values past those before them that have another `keyOf`; those of one keep their order. */
export function reorder<Value>(
  values: readonly Value[],
  keyOf: (value: Value) => string,
  dice: Dice,
  chance: number | undefined,
): readonly Value[] {
  const row = [...values]
  for (let at = 1; at < row.length; at++)
    for (let to = at; to > 0 && keyOf(row[to]!) !== keyOf(row[to - 1]!) && dice.chance(chance); to--)
      [row[to - 1], row[to]] = [row[to]!, row[to - 1]!]
  return row
}
