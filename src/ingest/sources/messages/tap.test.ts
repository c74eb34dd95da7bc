import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { startFakeTap } from '../../../../test/network/fake-tap.ts'
import {
  assertInOrder,
  clockBeside,
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
import { createTapSource } from './tap.ts'

const [alice, bob] = [didOf(1), didOf(2)]

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
  test('what was not acknowledged comes again with the next connection', async () => {
    await using server = await startFakeTap()
    await using followed = follow(openTap(server.url))
    await until(() => followed.states.includes('live'))
    const resume = followed.pause()
    server.publishRecord(noteOf(alice, 'a', tid(1), 'text'))
    await until(() => (server.connections[0]?.sent ?? 0) >= 1)
    server.disconnect()
    resume()
    await until(() => server.waiting() === 0)
    const sent = server.connections.map((connection) => connection.sent)
    assert.deepEqual([sent.length, sent[1]! >= 1], [2, true])
    assert.deepEqual([...new Set(followed.changes.map(gist))], [`ab/a ${tid(1)} text`])
  })

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

  test('whatever breaks, every record ends as published and each repository in order', async () => {
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

function openTap(url: string, publishers: readonly string[] | null = null): Source {
  return createTapSource({
    name: 'tap:test',
    url,
    reader: noteReader(publishers),
    threads: 2,
    clock: clockBeside(url),
  })
}
