import assert from 'node:assert/strict'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { BatchOutcome, Change } from '../database/changes.ts'
import { DatabaseBusyError, type Writer } from '../database/database.ts'
import {
  openTestStore,
  recordLexicon,
  temporaryFolder,
  type TestStore,
} from '../../test/support/store/store.ts'
import { until } from '../../test/support/until.ts'
import { createIngestLog } from './log.ts'
import { createFloodGuard, follow, pump, type PumpOptions } from './pump.ts'
import type { Delivery, Source, SourceContext } from './source.ts'

const inFolder = temporaryFolder()
const lexicon = recordLexicon('org.example.thing', { size: { type: 'integer' } })
const line = (rkey: string, size: unknown) => ({
  uri: `at://did:web:a.example/org.example.thing/${rkey}`,
  value: { $type: 'org.example.thing', size },
})

let files = 0
const open = (): Promise<TestStore> =>
  openTestStore({
    path: inFolder(`${(files += 1)}.db`),
    lexicons: [lexicon],
    now: () => BigInt(Date.now()) * 1000n,
  })

function optionsWith(log: string[] = [], signal: AbortSignal = new AbortController().signal): PumpOptions {
  return {
    signal,
    log: createIngestLog((_, text) => log.push(text), Date.now),
    flood: createFloodGuard(1_000_000, () => 0n),
  }
}

function sourceOf(deliveries: Source['deliveries']): Source {
  return { name: 'test:source', deliveries }
}

/** A source whose events are numbered by their cursor; it goes on after the one it is given. */
function numbered(store: TestStore, count: number, delivery: Partial<Delivery> = {}): Source {
  return {
    name: 'test:numbered',
    async *deliveries({ cursor, onState }: SourceContext) {
      onState('live', null)
      for (let at = Number(cursor() ?? 0) + 1; at <= count; at += 1)
        yield {
          changes: [store.change(line(`r${at}`, at))],
          cursor: String(at),
          eventAt: 1_700_000_000_000_000n + BigInt(at),
          events: 1,
          ...delivery,
        }
    },
  }
}

/** The same database, whose batches are stored as `work` says. */
function around(
  database: Writer,
  work: (changes: readonly Change[], apply: () => Promise<BatchOutcome>) => Promise<BatchOutcome>,
): Writer {
  return new Proxy(database, {
    get: (target, name) => {
      if (name === 'applyBatch')
        return (...given: Parameters<Writer['applyBatch']>) =>
          work(given[0], () => target.applyBatch(...given))
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

const countOf = async (store: TestStore): Promise<unknown> =>
  (await store.rows('select count(*) as n from "org.example.thing"'))[0]?.n

test('everything a source delivers is stored, and its cursor with it', async () => {
  await using store = await open()
  await pump(numbered(store, 1234), store.database.write, optionsWith())
  assert.equal(await countOf(store), 1234)
  const [source] = (await store.database.read.readStatus()).sources
  assert.deepEqual(
    [source?.name, source?.state, source?.cursor, source?.lastEventAt],
    ['test:numbered', 'finished', '1234', 1_700_000_000_001_234n],
  )
})

test('deliveries that wait are stored together, up to five hundred changes', async () => {
  await using store = await open()
  const sizes: number[] = []
  let delivered = 0
  const source = numbered(store, 2_000)
  const counted: Source = {
    ...source,
    async *deliveries(context) {
      for await (const delivery of source.deliveries(context)) {
        delivered += 1
        yield delivery
      }
    },
  }
  const database = around(store.database.write, async (changes, apply) => {
    if (sizes.length === 0) await until(() => delivered > 900)
    sizes.push(changes.length)
    return apply()
  })
  await pump(counted, database, optionsWith())
  assert.equal(await countOf(store), 2_000)
  assert.equal(Math.max(...sizes), 500)
})

test('deliveries are acknowledged only when another connection can read them', async () => {
  await using store = await open()
  const seen: unknown[] = []
  const acknowledge = async (): Promise<void> => {
    seen.push(await countOf(store))
  }
  await pump(numbered(store, 3, { acknowledge }), store.database.write, optionsWith())
  assert.equal(seen.length, 3)
  assert.ok(seen.every((stored, index) => Number(stored) > index))
})

test('another process that writes is waited for, and nothing is left out', async () => {
  await using store = await open()
  const other = new DatabaseSync(store.path)
  let attempts = 0
  const database = around(store.database.write, async (_, apply) => {
    attempts += 1
    if (attempts === 1) other.exec('begin immediate')
    if (attempts < 3) throw new DatabaseBusyError('Another process writes.')
    const applied = apply()
    if (attempts === 3) other.exec('rollback')
    return applied
  })
  await pump(numbered(store, 5), database, optionsWith())
  other.close()
  assert.ok(attempts >= 3)
  assert.equal(await countOf(store), 5)
})

test('a delivery without a cursor leaves the cursor as it was, for the source and in the database', async () => {
  await using store = await open()
  let cursorAtEnd: string | null = null
  const source = sourceOf(async function* ({ cursor }) {
    // One batch each, since the next is made when the one before is stored.
    for (const given of ['7', null]) {
      const stored = Promise.withResolvers<void>()
      const acknowledge = async (): Promise<void> => stored.resolve()
      yield { changes: [], cursor: given, eventAt: null, events: 1, acknowledge }
      await stored.promise
    }
    cursorAtEnd = cursor()
  })
  await pump(source, store.database.write, optionsWith())
  const [status] = (await store.database.read.readStatus()).sources
  assert.deepEqual([cursorAtEnd, status?.cursor], ['7', '7'])
})

test('a source is not read further than the database keeps up with', async () => {
  await using store = await open()
  let delivered = 0
  let storedAtLast = 0
  let widest = 0
  const source = sourceOf(async function* () {
    for (let at = 1; at <= 8_000; at += 1) {
      delivered = at
      widest = Math.max(widest, delivered - storedAtLast)
      yield {
        changes: [store.change(line(`r${at}`, at))],
        cursor: String(at),
        eventAt: null,
        events: 1,
        acknowledge: async () => {
          storedAtLast = at
        },
      }
    }
  })
  await pump(source, store.database.write, optionsWith())
  assert.equal(await countOf(store), 8_000)
  assert.ok(widest <= 4_000, `${widest} were ahead of the database`)
})

test('an error of our own ends the pump with it, and what was stored before stays', async () => {
  await using store = await open()
  const source = sourceOf(async function* () {
    yield { changes: [store.change(line('a', 1))], cursor: '1', eventAt: null, events: 1 }
    throw new Error('a fault of ours')
  })
  await assert.rejects(pump(source, store.database.write, optionsWith()), /a fault of ours/)
  assert.equal(await countOf(store), 1)
  const [status] = (await store.database.read.readStatus()).sources
  assert.deepEqual([status?.state, status?.detail, status?.cursor], ['stopped', 'a fault of ours', '1'])
})

test('a database that cannot be read ends the pump, and nothing of it lives on', async (t) => {
  const store = await open()
  await store[Symbol.asyncDispose]()
  const { mock: set } = t.mock.method(globalThis, 'setInterval')
  const { mock: cleared } = t.mock.method(globalThis, 'clearInterval')
  await assert.rejects(pump(numbered(store, 1), store.database.write, optionsWith()))
  // Other parts of this process have timers too.
  const own = set.calls.filter(({ stack }) => stack.stack?.includes('/pump.ts:'))
  const ended = cleared.calls.map(({ arguments: [timer] }) => timer)
  assert.ok(own.every(({ result }) => ended.includes(result)))
})

test('an aborted pump stores what was delivered, and says that it has stopped', async () => {
  await using store = await open()
  const stop = new AbortController()
  const source = sourceOf(async function* ({ signal, onState }) {
    onState('unavailable', 'Nobody answers.')
    yield { changes: [store.change(line('a', 1))], cursor: '1', eventAt: null, events: 1 }
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  })
  const log: string[] = []
  const pumped = pump(source, store.database.write, optionsWith(log, stop.signal))
  await until(async () => (await store.database.read.readStatus()).sources[0]?.state === 'unavailable')
  await until(async () => (await countOf(store)) === 1)
  stop.abort()
  await pumped
  assert.equal((await store.database.read.readStatus()).sources[0]?.state, 'stopped')
  assert.deepEqual(log, ['test:source is unavailable: Nobody answers.'])
})

test('refused records are counted by their reason, and told', async () => {
  await using store = await open()
  const source = sourceOf(async function* () {
    const changes = [
      store.change(line('a', 1)),
      store.change(line('b', 'large')),
      store.change(line('c', 'huge')),
    ]
    yield { changes, cursor: '1', eventAt: null, events: 3 }
  })
  const log: string[] = []
  await pump(source, store.database.write, optionsWith(log))
  const { collections, rejections } = await store.database.read.readStatus()
  assert.deepEqual(rejections, { 'invalid-record': 2 })
  assert.deepEqual(collections[0]?.outcomes, { stored: 1, rejected: 2 })
  assert.equal(log.length, 1)
})

test('a publisher that sends too much is held back where publishers send as they like, and nowhere else', async () => {
  await using store = await open()
  const flood = createFloodGuard(5, () => 0n)
  const crowded = { ...numbered(store, 9), name: 'test:crowded', crowded: true }
  await pump(crowded, store.database.write, { ...optionsWith(), flood })
  assert.equal(await countOf(store), 5)
  assert.equal((await store.database.read.readStatus()).repositories.waiting, 1)
  await pump(numbered(store, 9), store.database.write, { ...optionsWith(), flood })
  assert.equal(await countOf(store), 9)
})

const remove = (did: string): Change => ({
  kind: 'delete',
  did,
  collection: 'org.example.thing',
  rkey: 'a',
  rev: '3kaaaaaaaaaa2',
})

test('what an account sends beyond its rate is passed over, and its repository fetched when it is calm', () => {
  let now = 0n
  const guard = createFloodGuard(2, () => now)
  const send = (did: string): string[] => guard(remove(did)).map(({ kind }) => kind)
  assert.deepEqual([send('did:web:a'), send('did:web:a')], [['delete'], ['delete']])
  const [rejection, request] = guard(remove('did:web:a'))
  assert.equal(rejection?.kind === 'reject' && rejection.reason, 'flood')
  assert.equal(request?.kind === 'repo-request' && request.dueAt, 600_000_000n)
  assert.deepEqual(send('did:web:a'), [])
  assert.deepEqual(send('did:web:b'), ['delete'])
  now = 60_000_000n
  assert.deepEqual(send('did:web:a'), ['delete'])
})

test('changes that are no records are let through', () => {
  const guard = createFloodGuard(1, () => 0n)
  const account: Change = { kind: 'identity', did: 'did:web:a' }
  for (let sent = 0; sent < 5; sent += 1) assert.deepEqual(guard(account), [account])
})

test('a stop stores ten seconds of what waits, and the next start resumes behind it', async (t) => {
  await using store = await open()
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const stop = new AbortController()
  const stored: number[] = []
  const database = around(store.database.write, async (changes, apply) => {
    stored.push(changes.length)
    if (stored.length === 2) stop.abort()
    now += 4_000
    return apply()
  })
  await pump(numbered(store, 6_000), database, optionsWith([], stop.signal))
  assert.ok(stored.length >= 3 && stored.length <= 5, `${stored.length} batches`)
  const before = stored.reduce((sum, changes) => sum + changes, 0)
  assert.ok(before < 6_000)
  const [source] = (await store.database.read.readStatus()).sources
  assert.deepEqual([source?.state, source?.cursor], ['stopped', String(before)])
  await pump(numbered(store, 6_000), store.database.write, optionsWith())
  assert.equal(await countOf(store), 6_000)
})

test('what fails beside the sources stops them first and is told then', async () => {
  await using store = await open()
  const endless = sourceOf(async function* ({ onState, signal }) {
    onState('live', null)
    yield { changes: [], cursor: '1', eventAt: null, events: 1 }
    if (!signal.aborted) await once(signal, 'abort')
  })
  const fail = async (): Promise<void> => {
    throw new Error('The disk is full.')
  }
  await assert.rejects(follow([endless], store.database.write, { ...optionsWith(), beside: [fail] }), {
    message: 'The disk is full.',
  })
  assert.deepEqual(await store.rows('select state, cursor from source'), [{ state: 'stopped', cursor: '1' }])
})

test('what goes on beside the sources ends with the last of them', async () => {
  await using store = await open()
  const short = sourceOf(async function* () {
    yield { changes: [], cursor: '7', eventAt: null, events: 1 }
  })
  let ended = false
  const beside = async (signal: AbortSignal): Promise<void> => {
    await once(signal, 'abort')
    ended = true
  }
  await follow([short], store.database.write, { ...optionsWith(), beside: [beside] })
  assert.ok(ended)
  assert.deepEqual(await store.rows('select state, cursor from source'), [{ state: 'finished', cursor: '7' }])
})

test('refusals are told once for each reason and minute, with how many there were meanwhile', () => {
  const rejection = { kind: 'reject', source: 's', message: 'Not so.', record: '{}' } as const
  const refused = (reason: 'malformed' | 'bad-text', uri: string | null = null): Change => ({
    ...rejection,
    reason,
    uri,
  })
  let now = 0
  const lines: string[] = []
  const log = createIngestLog(
    (level, text) => lines.push(`${level} ${text}`),
    () => now,
  )
  log.refusals('tap:x', [
    refused('malformed', 'at://did:web:a/b.c.d/e'),
    refused('malformed'),
    refused('bad-text'),
  ])
  now = 59_000
  log.refusals('tap:x', [refused('malformed')])
  now = 60_000
  log.refusals('tap:x', [refused('malformed'), refused('malformed')])
  assert.deepEqual(lines, [
    'warn tap:x: refused at://did:web:a/b.c.d/e: malformed: Not so.',
    'warn tap:x: refused an event: bad-text: Not so.',
    'warn tap:x: refused an event: malformed: Not so. (2 more since the last line)',
  ])
})
