/**
 * A Jetstream server for tests: both protocols as the real one speaks them, over a log that is kept in memory,
 * with the faults that a network and a busy server add.
 *
 *     await using server = await startFakeJetstream({ seed: 1, faults: { duplicate: 0.1 } })
 *     server.publishRecord({ did, collection, rkey, rev, record })
 */
import type { ServerResponse } from 'node:http'
import { zstdCompressSync } from 'node:zlib'
import { formatInstant } from '../../src/util/instant.ts'
import {
  actionOf,
  createDice,
  drawGarbage,
  type FakeConnection,
  type FakeServer,
  type Faults,
  membersOf,
  type Publication,
  type Refusal,
  reorder,
  startFakeServer,
} from './fake-server.ts'

interface FakeJetstreamOptions {
  readonly seed?: number
  readonly faults?: Faults
  /** The newest protocol it speaks; 1 is all that older servers know. By default 2, which includes 1. */
  readonly protocol?: 1 | 2
  /** It hands out a dictionary and knows nothing of it when it is named, as a server just replaced does. */
  readonly dictionaryRetired?: boolean
  /** Microseconds: events before are no longer kept. */
  readonly keptSince?: number
}

interface FakeEvent {
  readonly kind: 'commit' | 'identity' | 'account' | 'sync' | (string & {})
  readonly did: string
  /** The members of `commit`, `identity` and so on. */
  readonly body: Readonly<Record<string, unknown>>
  /** Microseconds; by default now, and later than the last one. */
  readonly time?: number
}

export type FakeJetstream = Awaited<ReturnType<typeof startFakeJetstream>>

interface Logged extends FakeEvent {
  readonly seq: number
  readonly time: number
}

const dictionaryId = 20_260_101
const timeCursors = 1e15
const path = '/xrpc/network.bsky.jetstream'

export async function startFakeJetstream(options: FakeJetstreamOptions = {}) {
  const { seed = 1, faults = {}, protocol = 2, keptSince = 0 } = options
  const dice = createDice(seed)
  const log: Logged[] = []
  const waiting = new Set<() => void>()
  /** Microseconds: times are those of the server's clock. */
  const ahead = (): number => server.clock.ahead * 1_000

  const publish = (event: FakeEvent): void => {
    const time = event.time ?? Math.max(Date.now() * 1000, (log.at(-1)?.time ?? 0) + 1)
    log.push({ ...event, time, seq: log.length + 1 })
    for (const wake of waiting) wake()
    waiting.clear()
  }

  const serve = async (connection: FakeConnection): Promise<void> => {
    const { pathname, searchParams } = connection.url
    const second = pathname !== '/subscribe'
    const pack = packerOf(connection)
    // Clients have nothing to say in the second protocol.
    if (second) void connection.whenReceived().then(() => connection.close(1008, 'unexpected data frame'))
    else if (searchParams.get('requireHello') === 'true') await connection.whenReceived()
    const wants = createFilter(connection)
    const cursor = searchParams.get('cursor')
    let next = log.length
    if (cursor !== null) {
      const from = Number(cursor)
      const found = log.findIndex(({ seq, time }) => {
        if (from < timeCursors) return seq >= from
        return time + ahead() >= Math.max(from, keptSince)
      })
      if (found >= 0) next = found
      if (second && from >= timeCursors && from < keptSince)
        await connection.send(
          pack(messageFrame({ $type: `${path.slice(6)}.subscribeEvents#info`, name: 'OutdatedCursor' })),
        )
    }
    while (connection.open) {
      if (next === log.length) {
        await Promise.race([connection.closed, new Promise<void>((resolve) => waiting.add(resolve))])
        continue
      }
      const events = reorder(log.slice(next, next + 8), ({ did }) => did, dice, faults.reorder)
      next += events.length
      for (const event of events) {
        if (!wants(event) || dice.chance(faults.drop)) continue
        const told = { ...event, time: event.time + ahead() }
        const data = pack(second ? encodeSecond(told) : encodeFirst(told))
        if (dice.chance(faults.garbage)) await connection.send(drawGarbage(dice))
        if (dice.chance(faults.cut)) return connection.cut(data)
        await connection.send(data)
        if (dice.chance(faults.duplicate)) await connection.send(data)
      }
    }
  }

  const server: FakeServer = await startFakeServer({
    subprotocol: 'xrpc.v1.json',
    respond: ({ url }, response) => {
      if (protocol === 2 && url === `${path}.getZstdDictionary`) return sendDictionary(response)
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"NotFound"}')
    },
    refuse: (url) => refusalOf(url, options),
    serve,
  })
  return {
    ...server,
    url: `ws://${server.host}`,
    publish,
    publishRecord: (publication: Publication, time?: number): void => {
      const { did, ...members } = membersOf(publication)
      const body = { operation: actionOf(publication), ...members }
      publish({ kind: 'commit', did: String(did), body, ...(time === undefined ? {} : { time }) })
    },
    /** To all that are connected, as it is; a text is compressed where messages are. */
    sendRaw: async (data: string | Uint8Array) => {
      await Promise.all(
        server.connections.map((connection) =>
          connection.send(typeof data === 'string' ? packerOf(connection)(data) : data),
        ),
      )
    },
  }
}

/**
 * The smallest dictionary of the structured kind (RFC 8878, section 5): tables of one symbol each, which the
 * compressor may leave aside, three offsets, and content to refer to.
 */
export function createDictionary(id: number, content: string): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32LE(0xec30a437, 0)
  head.writeUInt32LE(id, 4)
  const literals = [0x80, 0x10]
  const oneSymbol = [0xf0, 0x03]
  const tables = Buffer.from([...literals, ...oneSymbol, ...oneSymbol, ...oneSymbol])
  const offsets = Buffer.from(new Uint32Array([1, 4, 8]).buffer)
  return Buffer.concat([head, tables, offsets, Buffer.from(content)])
}

export const dictionary = createDictionary(
  dictionaryId,
  '{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#commit","did":"did:plc:","seq":1,' +
    '"time":"2026-11-16T12:00:00Z","operation":"create","collection":"tech.service.news.article","rkey":"3k","rev":"3k',
)

function sendDictionary(response: ServerResponse): void {
  response
    .writeHead(200, {
      'content-type': 'application/octet-stream',
      'x-zstd-dictionary-id': String(dictionaryId),
      'cache-control': 'public, max-age=31536000, immutable',
    })
    .end(dictionary)
}

function refusalOf(
  { pathname, searchParams }: URL,
  { protocol = 2, dictionaryRetired = false }: FakeJetstreamOptions,
): Refusal | null {
  const invalid = (message: string): Refusal => ({ status: 400, body: { error: 'InvalidRequest', message } })
  const cursor = searchParams.get('cursor')
  if (cursor !== null && !/^\d+$/.test(cursor)) return invalid('invalid cursor')
  if (pathname === '/subscribe') return null
  if (protocol !== 2 || pathname !== `${path}.subscribeEvents`) return { status: 404, body: 'not found' }
  if (searchParams.has('wantedDids') || searchParams.has('wantedCollections'))
    return invalid('legacy parameter')
  if (searchParams.getAll('dids').length > 10_000) return invalid('too many dids')
  if (searchParams.getAll('collections').length > 100) return invalid('too many collections')
  const named = searchParams.get('zstdDictionary')
  if (named === null || (named === String(dictionaryId) && !dictionaryRetired)) return null
  return { status: 400, body: { error: 'UnknownZstdDictionary', message: `current is ${dictionaryId}` } }
}

/** Text as this connection takes it. */
function packerOf({ url }: FakeConnection): (text: string) => string | Uint8Array {
  if (!url.searchParams.has('zstdDictionary')) return (text) => text
  return (text) => zstdCompressSync(text, { dictionary })
}

function createFilter({ url, received }: FakeConnection): (event: Logged) => boolean {
  const [hello] = received
  const update =
    hello === undefined ? {} : (JSON.parse(hello) as { payload: Record<string, string[]> }).payload
  const of = (first: string, second: string): readonly string[] => [
    ...url.searchParams.getAll(first),
    ...url.searchParams.getAll(second),
    ...(update[first] ?? []),
  ]
  const dids = new Set(of('wantedDids', 'dids'))
  const collections = of('wantedCollections', 'collections')
  return ({ did, kind, body }) => {
    if (kind === 'sync' && url.pathname === '/subscribe') return false
    if (dids.size > 0 && !dids.has(did)) return false
    // What is about the account comes whatever the collections are.
    if (collections.length === 0 || kind !== 'commit') return true
    return collections.some((wanted) =>
      wanted.endsWith('.*')
        ? String(body['collection']).startsWith(wanted.slice(0, -1))
        : wanted === body['collection'],
    )
  }
}

function encodeFirst({ did, time, seq, kind, body }: Logged): string {
  const members = kind === 'commit' ? body : { did, seq, time: formatInstant(BigInt(time)), ...body }
  return JSON.stringify({ did, time_us: time, cursor: seq, kind, [kind]: members })
}

function encodeSecond({ did, time, seq, kind, body }: Logged): string {
  const instant = formatInstant(BigInt(time))
  const members = kind === 'commit' ? body : { [kind]: { did, seq, time: instant, ...body } }
  const $type = `${path.slice(6)}.subscribeEvents#${kind}`
  return messageFrame({ $type, seq, did, time: instant, witnessedAt: instant, ...members })
}

function messageFrame(payload: object): string {
  return JSON.stringify({ $type: 'message', payload })
}
