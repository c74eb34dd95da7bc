/** What messages of Jetstream and of Tap say, one at a time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { createDictionary, dictionary } from '../../../../test/network/fake-jetstream.ts'
import { membersOf } from '../../../../test/network/fake-server.ts'
import { collection, didOf, gist, noteOf, noteReader, tid } from '../../../../test/network/follow.ts'
import { createChangeReader } from '../change-reader.ts'
import { createJetstreamReader } from './jetstream-reader.ts'
import { createGroupReader, packMessage, type ParsedGroup } from './message-reader.ts'
import { createTapReader } from './tap-reader.ts'

const now = 1_790_000_000_000_000
const [alice, bob] = [didOf(1), didOf(2)]
const { did: _, ...note } = membersOf(noteOf(alice, 'a', tid(5), 'text'))
const commit = { operation: 'create', ...note }
const put = `ab/a ${tid(5)} text`

test('an event of either protocol gives its change and its time', () => {
  const instant = '2026-09-21T14:13:19.123456Z'
  const micros = 1_789_999_999_123_456n
  const table: [event: unknown, says: string[], at: bigint][] = [
    [first({ commit }), [put], BigInt(now)],
    [first({ commit: { ...commit, operation: 'update' } }), [put], BigInt(now)],
    [
      first({ commit: { ...commit, operation: 'delete', record: undefined } }),
      [`ab/a ${tid(5)} gone`],
      BigInt(now),
    ],
    [
      first({ identity: { did: alice, handle: 'a.test', seq: 1, time: instant } }),
      ['identity ab'],
      BigInt(now),
    ],
    [first({ identity: {}, time_us: 1e15 }), ['identity ab'], BigInt(1e15)],
    [first({ account: { active: true, status: 'odd' } }), ['account ab active'], BigInt(now)],
    [first({ account: { active: false, status: 'deleted' } }), ['account ab deleted'], BigInt(now)],
    [first({ account: { active: false, status: 'x\0' } }), ['account ab inactive'], BigInt(now)],
    [second('commit', { ...commit, time: instant }), [put], micros],
    [second('commit', { ...commit, time: '2020-01-01T00:00:00Z', witnessedAt: instant }), [put], micros],
    [second('identity', { time: instant, identity: {} }), ['identity ab'], micros],
    [second('account', { time: instant, account: { active: false } }), ['account ab inactive'], micros],
    [second('sync', { time: instant, sync: {} }), ['repo-request ab'], micros],
  ]
  for (const [event, says, at] of table) {
    const reading = read(event)
    assert.deepEqual([reading.changes.map(gist), reading.at], [says, at])
  }
  assert.deepEqual(read(second('sync', { time: instant, sync: {} })).changes, [
    { kind: 'repo-request', did: alice, reason: 'Jetstream says that it has diverged', ifKnown: true },
  ])
})

test('the time of an account is never later than now', () => {
  const reading = read(first({ account: { active: true }, time_us: now + 3_600_000_000 }))
  const [change] = reading.changes
  assert.deepEqual([change?.kind === 'account' && change.eventAt, reading.at], [BigInt(now), BigInt(now)])
})

test('what is not wanted is passed over, and the stream goes on from it', () => {
  for (const event of [
    first({ commit: { ...commit, collection: 'org.example.other', rkey: '//', rev: 7 } }),
    first({ did: bob, commit }),
    first({ did: bob, identity: {} }),
    first({ did: bob, account: {} }),
    second('sync', { did: bob, time: '2026-09-21T14:13:20Z' }),
  ])
    assert.deepEqual(read(event, [alice]), {
      changes: [],
      at: BigInt(now),
      ids: [],
      notices: [],
      isFuture: false,
    })
})

test('an event with a time that cannot be is refused, and nothing goes on from it', () => {
  const numbers = [now + 3_600_000_001, 9e15, -1, 0, 1e15 - 1, 1.5, 2 ** 53]
  for (const time of [...numbers, '1790000000000000', null, undefined]) {
    const reading = read(first({ commit, time_us: time }))
    assert.deepEqual([reading.changes.map(gist), reading.at], [['reject malformed'], null], String(time))
  }
  for (const time of ['9999-12-31T23:59:59Z', '1969-12-31T23:59:59Z', 'yesterday', 1.79e15, undefined]) {
    const reading = read(second('commit', { ...commit, time }))
    assert.deepEqual([reading.changes.map(gist), reading.at], [['reject malformed'], null], String(time))
  }
})

test('what is broken is refused with its text', () => {
  const table: [event: unknown, reason: string][] = [
    ['', 'malformed'],
    ['{"kind":"commit"', 'malformed'],
    ['[]', 'malformed'],
    ['null', 'malformed'],
    ['"\\ud800\\u0000"', 'malformed'],
    ['{}', 'malformed'],
    [`{"kind":${'['.repeat(100_000)}`, 'malformed'],
    [first({ commit: undefined, kind: 'commit' }), 'malformed'],
    [first({ commit: [] }), 'malformed'],
    [first({ did: 7, commit }), 'malformed'],
    [first({ did: undefined, identity: {} }), 'malformed'],
    [first({ did: 'did:nobody', identity: {} }), 'bad-uri'],
    [first({ did: 'alice.test', commit }), 'bad-uri'],
    [first({ account: {} }), 'malformed'],
    [first({ account: { active: 'yes' } }), 'malformed'],
    [first({ kind: 7 }), 'malformed'],
    [first({ commit: { ...commit, collection: undefined } }), 'malformed'],
    [first({ commit: { ...commit, rkey: '..' } }), 'bad-uri'],
    [first({ commit: { ...commit, rkey: 'a/b' } }), 'bad-uri'],
    [first({ commit: { ...commit, rkey: 7 } }), 'malformed'],
    [first({ commit: { ...commit, rev: 'latest' } }), 'malformed'],
    [first({ commit: { ...commit, rev: undefined } }), 'malformed'],
    [first({ commit: { ...commit, cid: undefined } }), 'malformed'],
    [first({ commit: { ...commit, record: 'text' } }), 'malformed'],
    [first({ commit: { ...commit, record: undefined } }), 'malformed'],
    [{ $type: 'message' }, 'malformed'],
    [{ $type: 'message', payload: { $type: 7 } }, 'malformed'],
    [second('account', { time: '2026-09-21T14:13:20Z' }), 'malformed'],
  ]
  for (const [event, reason] of table) {
    const text = typeof event === 'string' ? event : JSON.stringify(event)
    const { changes } = read(event)
    assert.equal(changes.length, 1)
    const [change] = changes
    assert.ok(change?.kind === 'reject', text.slice(0, 200))
    assert.deepEqual([change.reason, change.uri, change.source], [reason, null, 'jetstream:test'])
    assert.match(change.message, /^The (event|message) .*\.$/)
    assert.equal(change.record, text.slice(0, 65_536))
  }
})

test('a record that does not fit its lexicon or its CID is refused with the revision it was written at', () => {
  for (const [wrong, reason] of [
    [{ record: { $type: collection, text: 7 } }, 'invalid-record'],
    [{ record: { $type: collection, text: 'other' } }, 'cid-mismatch'],
    [{ cid: 'bafy' }, 'bad-cid'],
  ] as const) {
    const [change] = read(first({ commit: { ...commit, ...wrong } })).changes
    assert.ok(change?.kind === 'reject')
    assert.deepEqual(
      [change.reason, change.uri, change.rev],
      [reason, `at://${alice}/${collection}/a`, tid(5)],
    )
  }
})

test('a record nested deeper than any may be is refused, and no deeper thing is walked into', () => {
  for (const depth of [200, 5_000]) {
    const record = `{"$type":"${collection}","text":${'['.repeat(depth)}${']'.repeat(depth)}}`
    const text = JSON.stringify(first({ commit: { ...commit, record: 7 } })).replace(
      '"record":7',
      `"record":${record}`,
    )
    assert.deepEqual(read(text).changes.map(gist), ['reject malformed'])
  }
})

test('what the server tells besides events is no change', () => {
  const table: [event: unknown, kind: string, what: string][] = [
    [
      { $type: 'message', payload: { $type: '#info', name: 'OutdatedCursor', message: 'old' } },
      'outdated',
      'OutdatedCursor',
    ],
    [{ $type: 'error', error: 'ConsumerTooSlow', message: 'slow' }, 'error', 'ConsumerTooSlow'],
    [{ $type: 'error' }, 'error', 'undefined'],
  ]
  for (const [event, kind, what] of table) {
    const { changes, notices } = read(event)
    assert.deepEqual([changes, notices], [[], [{ kind, what }]])
  }
})

test('an event of an unknown kind is refused, and the stream goes on from it', () => {
  const table: [event: unknown, what: string, at: bigint | null][] = [
    [{ $type: 'message', payload: { $type: '#info', name: 'FutureCursor' } }, 'FutureCursor', null],
    [{ $type: 'ping' }, 'ping', null],
    [first({ kind: 'label', label: {} }), 'label', BigInt(now)],
    [first({ kind: `\0${'x'.repeat(100)}` }), `\uFFFD${'x'.repeat(59)}…`, BigInt(now)],
    [first({ commit: { ...commit, operation: 'merge' } }), 'merge', BigInt(now)],
    [second('label', { time: '2026-09-21T14:13:20Z' }), 'label', BigInt(now)],
  ]
  for (const [event, what, at] of table) {
    const { changes, notices, at: readAt } = read(event)
    const message = `The event is of a kind that this version does not know, "${what}".`
    const reject = { kind: 'reject', source: 'jetstream:test', uri: null, reason: 'unknown-event', message }
    assert.deepEqual([changes, notices, readAt], [[{ ...reject, record: JSON.stringify(event) }], [], at])
  }
})

test('packed messages are read with the dictionary of their server and no other', () => {
  const text = JSON.stringify(first({ commit }))
  const packed = zstdCompressSync(text, { dictionary })
  const other = createDictionary(7, 'other content')
  const readPacked = (data: Uint8Array, known: Uint8Array | null): readonly string[] =>
    readGroup([packMessage(data, known)]).changes.map(gist)
  assert.deepEqual(readPacked(packed, dictionary), [put])
  for (const [data, known] of [
    [packed, other],
    [packed, null],
    [packed.subarray(0, 20), dictionary],
    [Buffer.from('garbage'), dictionary],
    [Buffer.alloc(0), dictionary],
    [zstdCompressSync(Buffer.from([0xff, 0xfe]), { dictionary }), dictionary],
  ] as const)
    assert.deepEqual(readPacked(data, known), ['reject malformed'])
})

test('a group keeps the order of its messages, and its time is that of the last that has one', () => {
  const reading = readGroup(
    [
      first({ commit, time_us: now - 3 }),
      first({ identity: {}, time_us: now - 2 }),
      first({ commit, time_us: 9e15 }),
    ].map((event) => packMessage(JSON.stringify(event), null)),
  )
  assert.deepEqual(reading.changes.map(gist), [put, 'identity ab', 'reject malformed'])
  assert.equal(reading.at, BigInt(now - 2))
})

function first(members: Record<string, unknown>): Record<string, unknown> {
  return { did: alice, time_us: now, kind: Object.keys(members).findLast((key) => key in kinds), ...members }
}

const kinds = { commit: true, identity: true, account: true }

function second(kind: string, members: Record<string, unknown>): Record<string, unknown> {
  const payload = { $type: `network.bsky.jetstream.subscribeEvents#${kind}`, did: alice, seq: 1, ...members }
  return { $type: 'message', payload }
}

function read(event: unknown, publishers: readonly string[] | null = null): ParsedGroup {
  const text = typeof event === 'string' ? event : JSON.stringify(event)
  return readGroup([packMessage(text, null)], publishers)
}

function readGroup(
  messages: Parameters<ReturnType<typeof createGroupReader>>[0],
  publishers: readonly string[] | null = null,
): ParsedGroup {
  const reader = createChangeReader(noteReader(publishers))
  return createGroupReader(
    'jetstream:test',
    createJetstreamReader(reader, 'jetstream:test', () => BigInt(now)),
  )(messages)
}

test('a revision from the future is refused without a place, and its repository asked for', () => {
  const rev = tid(2.1e15)
  for (const reading of [
    ...['create', 'update', 'delete'].map((operation) =>
      read(first({ commit: { ...commit, operation, rev } })),
    ),
    ...['create', 'delete'].map((action) =>
      readTap({ id: 12, type: 'record', record: { ...record, rev, action } }),
    ),
  ]) {
    const { changes, isFuture } = reading
    assert.deepEqual([changes.map(gist), isFuture], [['repo-request ab', 'reject future-revision'], true])
    assert.deepEqual(
      changes.flatMap((change) => (change.kind === 'reject' ? [change.uri, change.rev] : [])),
      [null, undefined],
    )
  }
})

test('an event that happens later than clocks may differ is told of', () => {
  const seconds = [0, 299, 301]
  const told = seconds.map((ahead) => read(first({ commit, time_us: now + ahead * 1_000_000 })).isFuture)
  assert.deepEqual(told, [false, false, true])
})

const tapRev = tid(1_789_999_999_123_456)
const record = { live: true, action: 'create', ...membersOf(noteOf(alice, 'a', tapRev, 'text')) }
const identity = { did: alice, handle: 'alice.test', is_active: true, status: 'active' }
const tapPut = `ab/a ${tapRev} text`

/** Ahead of the clock, as far as clocks may differ. */
const soon = 1_790_000_200_000_000

test('an event of Tap gives its changes, its time if it is live, and its number', () => {
  const table: [event: object, says: string[], at: bigint | null][] = [
    [{ type: 'record', record }, [tapPut], 1_789_999_999_123_456n],
    [{ type: 'record', record: { ...record, action: 'update', live: false } }, [tapPut], null],
    [
      { type: 'record', record: { ...record, rev: tid(soon), action: 'delete' } },
      [`ab/a ${tid(soon)} gone`],
      BigInt(now),
    ],
    [{ type: 'identity', identity }, ['account ab active', 'identity ab'], BigInt(now)],
    [
      { type: 'identity', identity: { ...identity, is_active: false, status: 'takendown' } },
      ['account ab takendown', 'identity ab'],
      BigInt(now),
    ],
  ]
  for (const [event, says, at] of table) {
    const reading = readTap({ id: 12, ...event })
    assert.deepEqual([reading.changes.map(gist), reading.at, reading.ids], [says, at, [12]])
  }
})

test('what is not wanted of Tap is passed over and acknowledged', () => {
  for (const event of [
    { type: 'record', record: { ...record, did: bob } },
    { type: 'record', record: { ...record, collection: 'org.example.other', rev: 7 } },
    { type: 'identity', identity: { ...identity, did: bob } },
  ]) {
    const { changes, ids } = readTap({ id: 12, ...event }, [alice])
    assert.deepEqual([changes, ids], [[], [12]])
  }
})

test('what is broken of Tap is refused, and acknowledged where it has a number', () => {
  const table: [event: object, reason: string][] = [
    [{}, 'malformed'],
    [{ type: 7 }, 'malformed'],
    [{ type: 'label', label: {} }, 'unknown-event'],
    [{ type: 'record', record: { ...record, action: 'merge' } }, 'unknown-event'],
    [{ type: 'record' }, 'malformed'],
    [{ type: 'record', record: { ...record, did: 'did:nobody' } }, 'bad-uri'],
    [{ type: 'record', record: { ...record, record: { $type: collection, text: 7 } } }, 'invalid-record'],
    [{ type: 'identity', identity: [] }, 'malformed'],
    [{ type: 'identity', identity: { ...identity, is_active: 1 } }, 'malformed'],
    [{ type: 'identity', identity: { ...identity, did: null } }, 'malformed'],
  ]
  for (const [event, reason] of table) {
    const reading = readTap({ id: 12, ...event })
    assert.deepEqual([reading.changes.map(gist), reading.ids], [[`reject ${reason}`], [12]])
  }
  assert.deepEqual(readTap({ id: 0, type: 'record', record }).ids, [0])
  for (const id of [undefined, '12', -1, 1.5, null]) {
    const reading = readTap({ id, type: 'record', record })
    assert.deepEqual([reading.changes.map(gist), reading.ids], [['reject malformed'], []])
  }
})

function readTap(event: object, publishers: readonly string[] | null = null): ParsedGroup {
  const reader = createChangeReader(noteReader(publishers))
  const readEvent = createTapReader(reader, 'tap:test', () => BigInt(now))
  return createGroupReader('tap:test', readEvent)([packMessage(JSON.stringify(event), null)])
}
