import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { dictionary, startFakeJetstream } from '../../../../test/network/fake-jetstream.ts'
import {
  assertInOrder,
  clockBeside,
  collection,
  didOf,
  endsAs,
  follow,
  gist,
  noteOf,
  noteReader,
  publications,
  tid,
} from '../../../../test/network/follow.ts'
import { rounds, seed } from '../../../../test/support/rounds.ts'
import { until } from '../../../../test/support/until.ts'
import type { Source } from '../../source.ts'
import { createJetstreamSource } from './jetstream.ts'
import { startFakeTap } from '../../../../test/network/fake-tap.ts'
import { createTapSource } from './tap.ts'

const [alice, bob] = [didOf(1), didOf(2)]
const second = 1_000_000
const hour = 3600 * second
const subscribeEvents = '/xrpc/network.bsky.jetstream.subscribeEvents'

for (const protocol of [1, 2] as const) {
  test(`records, deletions, what is told of accounts and what is not known come in order by protocol ${protocol}`, async () => {
    await using server = await startFakeJetstream({ protocol })
    await using followed = follow(openJetstream(server.url))
    await until(() => server.connections.length >= 1)
    server.publishRecord(noteOf(alice, 'a', tid(1), 'one'))
    server.publishRecord({ ...noteOf(alice, 'a', tid(2), 'two'), update: true })
    server.publish({ kind: 'identity', did: alice, body: { handle: 'alice.test' } })
    server.publish({ kind: 'account', did: bob, body: { active: false, status: 'takendown' } })
    server.publishRecord({ ...noteOf(alice, 'x', tid(3), 'no'), collection: 'org.example.other' })
    server.publish({ kind: 'label', did: alice, body: {} })
    await server.sendRaw('{"$type":"error","error":"ConsumerTooSlow","message":"too slow"}')
    server.publishRecord(noteOf(alice, 'a', tid(4), null))
    await until(() => followed.changes.length >= 6 && followed.notices.length >= 1)
    assert.deepEqual(followed.changes.map(gist), [
      `ab/a ${tid(1)} one`,
      `ab/a ${tid(2)} two`,
      'identity ab',
      'account ac takendown',
      'reject unknown-event',
      `ab/a ${tid(4)} gone`,
    ])
    assert.match(followed.notices[0]!, /"ConsumerTooSlow"/)
    const { pathname, searchParams } = server.connections[0]!.url
    assert.equal(pathname, protocol === 1 ? '/subscribe' : subscribeEvents)
    assert.deepEqual(searchParams.getAll(protocol === 1 ? 'wantedCollections' : 'collections'), [collection])
    assert.deepEqual(
      [searchParams.has('cursor'), searchParams.has('zstdDictionary')],
      [false, protocol === 2],
    )
  })
}

test('publishers are asked for in the URL, and what others publish is passed over', async () => {
  await using server = await startFakeJetstream()
  await using followed = follow(openJetstream(server.url, [alice]))
  await until(() => server.connections.length >= 1)
  assert.deepEqual(server.connections[0]!.url.searchParams.getAll('dids'), [alice])
  await server.sendRaw(
    JSON.stringify({ did: bob, time_us: Date.now() * 1000, kind: 'identity', identity: { did: bob } }),
  )
  server.publishRecord(noteOf(bob, 'a', tid(1), 'no'))
  server.publishRecord(noteOf(alice, 'a', tid(1), 'yes'))
  await until(() => followed.changes.length >= 1)
  assert.deepEqual(followed.changes.map(gist), [`ab/a ${tid(1)} yes`])
})

for (const count of [10_000, 10_001])
  test(`${count} publishers are sent after connecting or sorted out here, as many as Jetstream filters by`, async () => {
    await using server = await startFakeJetstream()
    const publishers = Array.from({ length: count }, (_, at) => didOf(at + 1))
    await using followed = follow(openJetstream(server.url, publishers))
    await until(() => server.connections.length >= 1)
    const [connection] = server.connections
    const isFiltered = count === 10_000
    if (isFiltered) await until(() => connection!.received.length >= 1)
    assert.equal(connection!.url.pathname, isFiltered ? '/subscribe' : subscribeEvents)
    assert.deepEqual(connection!.url.searchParams.getAll('dids'), [])
    server.publishRecord(noteOf(didOf(count + 1), 'a', tid(1), 'no'))
    server.publishRecord(noteOf(didOf(count), 'a', tid(1), 'yes'))
    await until(() => followed.changes.length >= 1)
    assert.deepEqual(followed.changes[0]?.kind === 'put' && followed.changes[0].did, didOf(count))
    assert.match(followed.notices.join(), isFiltered ? /^$/ : /at most 10,000 publishers; there are 10,001/)
  })

test('messages that are too large are refused, packed or not, and those after them are read', async () => {
  await using server = await startFakeJetstream()
  await using followed = follow(openJetstream(server.url))
  await until(() => server.connections.length >= 1)
  await server.sendRaw(zstdCompressSync(Buffer.alloc(20_000_000, ' '), { dictionary }))
  await server.connections[0]!.send('x'.repeat(9_000_000))
  server.publishRecord(noteOf(alice, 'a', tid(1), 'text'))
  await until(() => followed.changes.length >= 3)
  assert.deepEqual(followed.changes.map(gist), [
    'reject too-large',
    'reject too-large',
    `ab/a ${tid(1)} text`,
  ])
  for (const change of followed.changes)
    if (change.kind === 'reject')
      assert.ok(change.cut && change.record.length <= 64 * 1024 && !change.record.includes('\0'))
})

for (const ahead of [2, -2])
  test(`with a clock that is two hours ${ahead > 0 ? 'behind' : 'ahead'} nothing is stored, and nothing lost`, async () => {
    await using server = await startFakeJetstream()
    server.clock.ahead = ahead * 3_600_000
    await using followed = follow(openJetstream(server.url))
    await until(() => server.connections.length >= 1)
    const rev = tid(Date.now() * 1_000)
    server.publishRecord(noteOf(alice, 'a', rev, 'one'))
    server.publish({ kind: 'account', did: bob, body: { active: false, status: 'deleted' } })
    await until(() =>
      followed.states.some((state) =>
        /^unavailable: The clock of .* is 7,[12]\d\d s\w+ (ahead of|behind) this/.test(state),
      ),
    )
    assert.deepEqual(followed.changes, [])
    // As if this machine's clock were set.
    server.clock.ahead = 0
    await until(() => followed.changes.length >= 2)
    assert.deepEqual(followed.changes.map(gist), [`ab/a ${rev} one`, 'account ac deleted'])
  })

// Each waits a second or more to connect again, so they do it together.
suite('when a connection is lost or refused', { concurrency: true }, () => {
  for (const protocol of [1, 2] as const) {
    test(`a lost connection goes on two seconds before what is stored, by protocol ${protocol}`, async () => {
      await using server = await startFakeJetstream({ protocol })
      const begin = Date.now() * 1000 - hour
      for (let at = 0; at < 10; at++)
        server.publishRecord(noteOf(alice, `r${at}`, tid(at + 1), 'text'), begin + at * second)
      await using followed = follow(openJetstream(server.url), { cursor: String(begin + 3 * second) })
      await until(() => followed.cursor() === String(begin + 9 * second))
      assert.equal(gist(followed.changes[0]!), `ab/r1 ${tid(2)} text`)
      server.refuseNext(1)
      server.disconnect()
      await until(() => server.connections.length >= 2)
      server.publishRecord(noteOf(alice, 'r10', tid(11), 'text'), begin + 10 * second)
      await until(() => followed.cursor() === String(begin + 10 * second))
      assert.deepEqual(
        server.connections.map(({ url }) => url.searchParams.get('cursor')),
        [begin + second, begin + 7 * second].map(String),
      )
      assert.deepEqual(followed.changes.slice(9).map(gist), [
        `ab/r7 ${tid(8)} text`,
        `ab/r8 ${tid(9)} text`,
        `ab/r9 ${tid(10)} text`,
        `ab/r10 ${tid(11)} text`,
      ])
      assert.deepEqual(
        followed.states.map((state) => state.split(':')[0]),
        ['connecting', 'live', 'unavailable', 'unavailable', 'live'],
      )
      assert.match(followed.states[3]!, /503/)
      const packed = server.connections.map(({ url }) => url.searchParams.has('zstdDictionary'))
      assert.deepEqual(packed, [protocol === 2, protocol === 2])
    })

    test(`after random faults every record is as published, each repository in order, by protocol ${protocol}`, async () => {
      const check = fc.asyncProperty(fc.nat(), publications, async (seed, published) => {
        const faults = { duplicate: 0.2, reorder: 0.3, garbage: 0.1, cut: 0.03 }
        await using server = await startFakeJetstream({ protocol, seed, faults })
        const begin = Date.now() * 1000 - hour
        published.forEach((publication, at) => server.publishRecord(publication, begin + at * 200_000))
        await using followed = follow(openJetstream(server.url), { cursor: String(begin) })
        await until(() => endsAs(published, followed.changes))
        assertInOrder(followed.changes)
      })
      await fc.assert(check, {
        numRuns: rounds(),
        seed,
        includeErrorInReport: true,
      })
    })
  }

  test('before anything is stored, a lost connection goes on from where the first began', async () => {
    await using server = await startFakeJetstream()
    const before = Date.now() * 1000
    await using followed = follow(openJetstream(server.url))
    const connected = (times: number) =>
      until(() => followed.states.filter((state) => state === 'live').length >= times)
    await connected(1)
    server.refuseNext(1)
    server.disconnect()
    await connected(2)
    server.disconnect()
    server.publishRecord(noteOf(alice, 'a', tid(1), 'meanwhile'))
    await until(() => followed.changes.length >= 1)
    const [, again, last] = server.connections.map(({ url }) => url.searchParams.get('cursor'))
    assert.equal(last, again)
    const cursor = Number(last)
    assert.ok(cursor >= before - 2 * second && cursor <= Date.now() * 1000 - 2 * second, String(cursor))
  })

  test('a server that does not know the dictionary it handed out is read without compression', async () => {
    await using server = await startFakeJetstream({ dictionaryRetired: true })
    await using followed = follow(openJetstream(server.url))
    await until(() => server.connections.length >= 1)
    server.publishRecord(noteOf(alice, 'a', tid(1), 'plain'))
    await until(() => followed.changes.length >= 1)
    const { pathname, searchParams } = server.connections[0]!.url
    assert.deepEqual([pathname, searchParams.has('zstdDictionary')], [subscribeEvents, false])
  })

  test('when the server no longer has what is asked for, the operator learns how to make up for it', async () => {
    const now = Date.now() * 1000
    const cursor = String(now - 37 * hour)
    for (const protocol of [1, 2] as const) {
      await using server = await startFakeJetstream({ protocol, keptSince: now - hour })
      await using followed = follow(openJetstream(server.url, [alice]), { cursor })
      await until(() => server.connections.length >= 1 && followed.notices.length > 0)
      server.disconnect()
      await until(() => server.connections.length >= 2)
      server.publishRecord(noteOf(alice, 'a', tid(1), 'text'))
      await until(() => followed.changes.length >= 1)
      assert.equal(followed.notices.length, 1)
      assert.equal(server.connections[1]!.url.searchParams.has('zstdDictionary'), protocol === 2)
      assert.match(followed.notices[0]!, /events were missed.* run `lexigraph backfill` with did:plc:/)
    }
    await using server = await startFakeJetstream({ protocol: 1 })
    await using followed = follow(openJetstream(server.url), { cursor: String(now - 35 * hour) })
    await until(() => server.connections.length >= 1)
    assert.deepEqual(followed.notices, [])
  })
})

test('records, deletions and accounts come in order, and every event is acknowledged', async () => {
  await using server = await startFakeTap()
  const now = Date.now() * 1000
  server.publishRecord(noteOf(alice, 'a', tid(now), 'one'), { live: false })
  server.publishRecord({ ...noteOf(alice, 'a', tid(now + 1), 'two'), update: true })
  server.publishRecord({ ...noteOf(alice, 'x', tid(now + 2), 'no'), collection: 'org.example.other' })
  server.publishRecord(noteOf(alice, 'a', tid(now + 3), null))
  server.publishIdentity({ did: bob, handle: 'bob.test', is_active: false, status: 'suspended' })
  server.publishIdentity({ did: bob, handle: 'bob.test', is_active: true, status: 'active' })
  await using followed = follow(openTap(server.url))
  await until(() => server.waiting() === 0)
  const of = (did: string): readonly string[] =>
    followed.changes.filter((change) => 'did' in change && change.did === did).map(gist)
  assert.deepEqual(of(alice), [
    `ab/a ${tid(now)} one`,
    `ab/a ${tid(now + 1)} two`,
    `ab/a ${tid(now + 3)} gone`,
  ])
  assert.deepEqual(of(bob), ['account ac suspended', 'identity ac', 'account ac active', 'identity ac'])
  assert.deepEqual(server.acknowledged.toSorted(), [1, 2, 3, 4, 5, 6])
  assert.equal(followed.cursor(), null)
  assert.ok(followed.deliveries.some(({ eventAt }) => eventAt === BigInt(now + 3)))
})

test('an event is acknowledged when its delivery is stored, not before', async () => {
  await using server = await startFakeTap()
  await using followed = follow(openTap(server.url))
  await until(() => followed.states.includes('live'))
  const resume = followed.pause()
  server.publishRecord(noteOf(alice, 'a', tid(1), 'one'))
  server.publishRecord(noteOf(alice, 'a', tid(2), 'two'))
  await until(() => (server.connections[0]?.sent ?? 0) >= 1)
  assert.deepEqual([followed.changes.length, server.connections[0]!.received.length], [0, 0])
  resume()
  await until(() => server.waiting() === 0)
  assert.deepEqual(followed.changes.map(gist), [`ab/a ${tid(1)} one`, `ab/a ${tid(2)} two`])
})

test('Tap is told the publishers and given the password, which is shown nowhere', async () => {
  const password = 'päss:wörd/100%'
  await using server = await startFakeTap({ password })
  const url = server.url.replace('//', `//admin:${encodeURIComponent(password)}@`)
  server.publishRecord(noteOf(bob, 'a', tid(1), 'no'))
  server.publishRecord(noteOf(alice, 'a', tid(1), 'yes'))
  await using followed = follow(openTap(url, [alice]))
  await until(() => server.waiting() === 0 && server.repositories.size >= 1)
  assert.deepEqual([...server.repositories], [alice])
  assert.deepEqual(followed.changes.map(gist), [`ab/a ${tid(1)} yes`])
  await using wrong = follow(openTap(url.replace('100', '99'), [alice]))
  await until(() => wrong.states.some((state) => state.includes('401')))
  assert.doesNotMatch([...wrong.states, ...wrong.notices].join(), /admin|w%C3|w\u00f6rd/)
})

test('what seems to come from the future while the clock is behind is not acknowledged, and comes again', async () => {
  await using server = await startFakeTap()
  server.clock.ahead = 3_600_000
  await using followed = follow(openTap(server.url))
  await until(() => followed.states.includes('live'))
  const rev = tid((Date.now() + 3_600_000) * 1_000)
  server.publishRecord(noteOf(alice, 'a', rev, 'one'))
  await until(() => followed.states.some((state) => state.startsWith('unavailable: The clock of ')))
  assert.deepEqual([server.waiting(), server.acknowledged, followed.changes], [1, [], []])
  server.clock.ahead = 0
  // By a clock that is right the revision does come from the future.
  await until(() => server.waiting() === 0)
  assert.deepEqual([...new Set(followed.changes.map(gist))], ['repo-request ab', 'reject future-revision'])
})

// Each waits a second or more to connect again, so they do it together.
suite('when Tap or the connection to it fails', { concurrency: true }, () => {
  test('when it cannot be told the publishers, the operator learns it once, and it is told again later', async () => {
    await using server = await startFakeTap()
    server.failAdding = 500
    const publishers = Array.from({ length: 2_500 }, (_, at) => didOf(at))
    await using followed = follow(openTap(server.url, publishers))
    await until(() => followed.notices.length >= 1)
    assert.match(
      followed.notices[0]!,
      /could not be told which repositories to follow: it answered with HTTP 500/,
    )
    server.failAdding = null
    server.disconnect()
    await until(() => server.repositories.size >= 2_500)
    assert.equal(followed.notices.length, 1)
  })

  test('after random faults every record is as published, each repository in order', async () => {
    const check = fc.asyncProperty(fc.nat(), publications, fc.nat(20), async (seed, published, past) => {
      const faults = { duplicate: 0.2, reorder: 0.3, garbage: 0.1, drop: 0.05, cut: 0.03 }
      await using server = await startFakeTap({ seed, faults })
      // What is past may come in any order within a repository, but before what is live.
      published.forEach((publication, at) => server.publishRecord(publication, { live: at >= past }))
      await using followed = follow(openTap(server.url))
      await until(() => server.waiting() === 0)
      assert.ok(endsAs(published, followed.changes))
      const early = new Set(published.slice(0, past).map(({ rev }) => rev))
      assertInOrder(followed.changes.filter((change) => !('rev' in change && early.has(String(change.rev)))))
    })
    await fc.assert(check, {
      numRuns: rounds(),
      seed,
      includeErrorInReport: true,
    })
  })
})

function openJetstream(url: string, publishers: readonly string[] | null = null): Source {
  return createJetstreamSource(optionsOf(url, publishers))
}

function openTap(url: string, publishers: readonly string[] | null = null): Source {
  return createTapSource(optionsOf(url, publishers))
}

function optionsOf(url: string, publishers: readonly string[] | null) {
  return { name: 'messages:test', url, reader: noteReader(publishers), threads: 2, clock: clockBeside(url) }
}
