import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type FakeFirehoseOptions,
  firehoseOf,
  startFakeFirehose,
} from '../../../../test/network/fake-firehose.ts'
import { createDice, drawGarbage } from '../../../../test/network/fake-server.ts'
import { collection, didOf, follow, gist } from '../../../../test/network/follow.ts'
import { startDirectory } from '../../../../test/support/network/directory.ts'
import {
  commitFrame,
  createSignedRepo,
  errorFrame,
  frameOf,
  type SignedRepo,
} from '../../../../test/support/network/signed-repo.ts'
import { seed } from '../../../../test/support/rounds.ts'
import { until } from '../../../../test/support/until.ts'
import { subscriptionUrl } from './firehose.ts'

test('events of several accounts come in order through several threads, each group with its last number', async () => {
  await using given = await open()
  const repos = await given.join(1, 2, 3)
  await using followed = follow(given.source({ threads: 2 }))
  await until(() => given.connections.length >= 1)
  const expected: string[] = []
  for (let round = 0; round < 20; round++)
    for (const repo of repos) expected.push(await given.write(repo, `r${round}`, `text ${round}`))
  await until(() => followed.changes.length >= 60)
  assert.deepEqual(followed.changes.map(gist), expected)
  assert.equal(followed.cursor(), '60')
  assert.equal(
    followed.deliveries.reduce((sum, { events }) => sum + events, 0),
    60,
  )
  const cursors = followed.deliveries.map(({ cursor }) => Number(cursor))
  assert.deepEqual(
    cursors,
    cursors.toSorted((one, other) => one - other),
  )
  assert.deepEqual(
    [given.connection().pathname, given.connection().search],
    ['/xrpc/com.atproto.sync.subscribeRepos', ''],
  )
})

test('a connection that breaks in the middle of a message goes on from what is stored', async () => {
  await using given = await open()
  const [repo] = await given.join(1)
  const expected = [await given.write(repo, 'r1', 'one'), await given.write(repo, 'r2', 'two')]
  await using followed = follow(given.source(), { cursor: '1' })
  await until(() => followed.cursor() === '2')
  await given.connections[0]?.cut(given.frames[0]!)
  await until(() => given.connections.length >= 2)
  expected.push(await given.write(repo, 'r3', 'three'))
  await until(() => followed.cursor() === '3')
  assert.deepEqual(followed.changes.map(gist), expected.slice(1))
  assert.deepEqual([given.connection(0).search, given.connection(1).search], ['?cursor=1', '?cursor=2'])
  assert.deepEqual(
    followed.states.map((state) => state.split(':')[0]),
    ['connecting', 'live', 'unavailable', 'live'],
  )
})

test('a cursor stays where it is while only what is no event comes', async () => {
  await using given = await open()
  await using followed = follow(given.source(), { cursor: '0' })
  await until(() => given.connections.length >= 1)
  given.send(
    '{"text": "frame"}',
    new Uint8Array(200_000).fill(0x81),
    new Uint8Array(9_000_000),
    frameOf('#info', { name: 'Hello' }),
  )
  await until(() => followed.changes.length >= 3 && followed.notices.length >= 1)
  assert.deepEqual(followed.changes.map(gist), ['reject malformed', 'reject malformed', 'reject too-large'])
  assert.ok(followed.deliveries.every(({ cursor, eventAt }) => cursor === null && eventAt === null))
  assert.match(followed.notices[0] ?? '', /^127\.0\.0\.1:\d+ says "Hello"\.$/)
  assert.equal(followed.cursor(), '0')
})

test('a server whose numbers have not come to the cursor is read from now on', async () => {
  await using given = await open()
  const [repo] = await given.join(1)
  await using followed = follow(given.source(), { cursor: '9000' })
  await until(() => followed.notices.length >= 1)
  await until(() => given.connections.at(-1)?.url.search === '')
  const put = await given.write(repo, 'r1', 'one')
  await until(() => followed.cursor() === '1')
  assert.deepEqual(followed.changes.map(gist), [put])
  assert.match(
    followed.notices[0] ?? '',
    /does not know the cursor of the last connection; .* run `lexigraph backfill http:\/\/127\.0\.0\.1:\d+`\.$/,
  )
  given.connections.at(-1)?.terminate()
  await until(() => given.connections.at(-1)?.url.search === '?cursor=1')
})

test('before anything is stored, a lost connection goes on from the last event that was read', async () => {
  await using given = await open()
  const [repo] = await given.join(1)
  await using followed = follow(given.source())
  const resume = followed.pause()
  await until(() => given.connections.length >= 1)
  const expected = [await given.write(repo, 'r1', 'one')]
  await until(() => followed.delivered() >= 1)
  given.connections[0]!.terminate()
  expected.push(await given.write(repo, 'r2', 'two'))
  await until(() => given.connections.length >= 2)
  resume()
  await until(() => followed.cursor() === '2')
  assert.deepEqual(followed.changes.map(gist), expected)
  assert.equal(given.connection().search, '?cursor=1')
})

test('a firehose read with a clock that is behind loses nothing, not even its first event', async () => {
  await using given = await open({
    sendTo: async (connection) => {
      const time = new Date(Date.now() + given.clock.ahead).toISOString()
      await connection.send(await commitFrame(7, commit, { time }))
    },
  })
  const [repo] = await given.join(1)
  const record = { $type: collection, text: 'one' }
  const commit = await repo.write({ action: 'create', collection, rkey: 'a', record })
  given.send(...Array(6).fill(''))
  given.clock.ahead = 3_600_000
  await using followed = follow(given.source())
  await until(() => given.connections.length > 0)
  given.send('the seventh')
  await until(() => followed.states.some((state) => state.startsWith('unavailable: The clock of ')))
  assert.deepEqual(followed.changes, [])
  given.clock.ahead = 0
  await until(() => followed.cursor() === '7')
  assert.deepEqual(followed.changes.map(gist), [`ab/a ${commit.rev} one`])
  assert.deepEqual(
    given.connections.map(({ url }) => url.searchParams.get('cursor')),
    [null, '6'],
  )
})

test('what an operator should know is said once, and after an error all goes on by a new connection', async () => {
  await using given = await open()
  await using followed = follow(given.source())
  await until(() => given.connections.length >= 1)
  const info = frameOf('#info', { name: 'OutdatedCursor' })
  given.send(frameOf('#identity', { seq: 1, did: didOf(1) }), info, info)
  for (const [at, name] of ['ConsumerTooSlow', 'Broken\u0000', 'ConsumerTooSlow'].entries()) {
    await until(() => followed.cursor() === String(at * 2 + 1))
    await given.connections.at(-1)!.send(errorFrame(name, 'Sorry'))
    await until(() => given.connections.length >= at + 2)
    given.send(frameOf('#identity', { seq: at * 2 + 3, did: didOf(1) }), info)
  }
  await until(() => followed.cursor() === '7')
  assert.deepEqual(
    followed.notices.map((text) => text.replaceAll(/127\.0\.0\.1:\d+/g, 'host')),
    [
      'host no longer keeps all events since the last connection. To make up for events that were missed, run `lexigraph backfill http://host`.',
      'host ended the connection because its events were read too slowly; they are read on from the last one.',
      'host ended the connection with the error "Broken\uFFFD", Sorry.',
    ],
  )
  assert.equal(
    followed.states.filter((state) => state === 'unavailable: The server ended the stream with an error.')
      .length,
    3,
  )
})

test('while nothing is read the server has to wait, and nothing is lost', async () => {
  await using given = await open()
  const [repo] = await given.join(1)
  const first = await given.write(repo, 'first', 'one')
  await using followed = follow(given.source(), { cursor: '0' })
  const resume = followed.pause()
  await until(() => given.connections.length >= 1)
  const big = frameOf('#commit', { seq: 2, repo: didOf(2), ops: [], padding: new Uint8Array(1_000_000) })
  const count = 200
  given.send(...Array.from({ length: count }, () => big))
  const [connection] = given.connections
  let [last, still] = [0, 0]
  await until(() => {
    still = connection!.sent === last && last > 0 ? still + 1 : 0
    last = connection!.sent
    return still === 30
  })
  assert.ok(last < count / 3, `${last} of ${count} megabytes were sent to a client that does not read`)
  given.send(frameOf('#identity', { seq: 3, did: repo.did }))
  resume()
  await until(() => followed.cursor() === '3')
  assert.deepEqual([followed.changes.map(gist)[0], followed.changes.length], [first, 2])
  assert.equal(
    followed.deliveries.reduce((sum, { events }) => sum + events, 0),
    count + 2,
  )
})

test('after random faults the newest version of every record is stored, and nothing forged', async () => {
  const dice = createDice(seed)
  await using given = await open({
    sendTo: async (connection, frame) => {
      if (dice.chance(0.1)) await connection.send(drawGarbage(dice))
      if (dice.chance(0.1)) await connection.send(frame)
      if (dice.chance(0.03)) return connection.cut(frame)
      await connection.send(frame)
    },
  })
  const repos = await given.join(1, 2, 3)
  const forgers = await Promise.all(repos.map((repo) => createSignedRepo(repo.did)))
  await using followed = follow(given.source({ threads: 2 }), { cursor: '0' })
  const newest = new Map<string, string>()
  for (let at = 0; at < 60; at++) {
    const repo = dice.pick(repos)
    const rkey = `r${at}`
    newest.set(`${repo.did}/${rkey}`, await given.write(repo, rkey, `text ${at}`))
    if (dice.chance(0.2)) await given.write(dice.pick(forgers), `forged${at}`, 'forged')
  }
  await until(() => followed.cursor() === String(given.frames.length))
  const found = new Map<string, string>()
  for (const change of followed.changes)
    if (change.kind === 'put') found.set(`${change.did}/${change.rkey}`, gist(change))
  assert.deepEqual(found, newest, `Replay with TEST_SEED=${seed}.`)
})

test('word of a new identity reaches every thread, so that none takes what the old key has signed', async () => {
  await using given = await open()
  const [repo] = await given.join(1)
  await using followed = follow(given.source({ threads: 3 }))
  await until(() => given.connections.length >= 1)
  const next = async (count: number): Promise<void> => {
    await until(() => followed.deliveries.reduce((sum, { events }) => sum + events, 0) >= count)
  }
  for (let seq = 1; seq <= 3; seq++) {
    await given.write(repo, `r${seq}`, 'signed with the old key')
    await next(seq)
  }
  assert.equal(given.directory.asked.length, 3)
  const moved = await createSignedRepo(repo.did)
  given.directory.add({ did: repo.did, key: moved.keypair.did() })
  given.send(frameOf('#identity', { seq: 4, did: repo.did }))
  await next(4)
  for (let seq = 5; seq <= 7; seq++) {
    await given.write(repo, `r${seq}`, 'signed with the old key')
    await next(seq)
  }
  assert.deepEqual(followed.changes.slice(3).map(gist), [
    'identity ab',
    ...[5, 6, 7].flatMap(() => ['reject bad-signature', 'repo-request ab']),
  ])
})

test('stopping does not wait for keys that are being looked up', async () => {
  await using given = await open()
  const [repo] = await given.join(1)
  given.directory.documents.set(repo.did, null)
  await given.write(repo, 'r1', 'one')
  const followed = follow(given.source(), { cursor: '0' })
  await until(() => given.directory.asked.length > 0)
  const asked = given.directory.asked.length
  await followed.stop()
  // Had it waited until the look-up was given up, the directory would have been asked again.
  assert.equal(given.directory.asked.length, asked)
  assert.deepEqual([followed.changes, followed.cursor()], [[], '0'])
})

test('a host is given by any URL of it', () => {
  const urls = [
    ['https://pds.test', 'wss://pds.test/xrpc/com.atproto.sync.subscribeRepos?cursor=7'],
    ['wss://relay.test:8443/', 'wss://relay.test:8443/xrpc/com.atproto.sync.subscribeRepos?cursor=7'],
    ['http://localhost:2583', 'ws://localhost:2583/xrpc/com.atproto.sync.subscribeRepos?cursor=7'],
    [
      'https://me:%21@pds.test/?a=b#c',
      'wss://me:%21@pds.test/xrpc/com.atproto.sync.subscribeRepos?a=b&cursor=7',
    ],
    ['ws://relay.test/xrpc/org.test.subscribe?a=b', 'ws://relay.test/xrpc/org.test.subscribe?a=b&cursor=7'],
  ]
  for (const [base = '', full] of urls) assert.equal(subscriptionUrl(base, '7').href, full)
  assert.equal(subscriptionUrl('https://pds.test', null).search, '')
})

async function open(options: FakeFirehoseOptions = {}) {
  await using started = new AsyncDisposableStack()
  const directory = started.use(await startDirectory())
  const server = started.use(await startFakeFirehose(options))
  const running = started.move()
  return {
    ...server,
    directory,
    /** What the connection asked for; by default the newest. */
    connection: (at = -1) => server.connections.at(at)!.url,
    source: (more?: { readonly threads?: number }) => firehoseOf(server.url, directory, more),
    join: async (...numbers: readonly number[]) => {
      const repos = await Promise.all(numbers.map((number) => createSignedRepo(didOf(number))))
      for (const { did, keypair } of repos) directory.add({ did, key: keypair.did() })
      return repos as [SignedRepo, ...SignedRepo[]]
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
