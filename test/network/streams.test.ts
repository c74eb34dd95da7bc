/** Streams of every kind beside each other, and what servers say that is wrong, too much or too late. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Json } from '../reference/shapes.ts'
import { commitFrame, createSignedRepo, frameOf } from '../support/network/signed-repo.ts'
import { temporaryFolder } from '../support/store/store.ts'
import { until } from '../support/until.ts'
import { startFakeJetstream } from './fake-jetstream.ts'
import { createDice, type Publication } from './fake-server.ts'
import { startFakeTap } from './fake-tap.ts'
import { tid } from './follow.ts'
import { startNetwork } from './network.ts'
import { runProgram } from './service.ts'
import { differences, eventually, settingsIn, startIngest, storedIn } from './support-index.ts'
import { article, collections, outlet, rkeyOf } from './support-news.ts'
import { startPublishers, tellJetstream, tellTap } from './support-publisher.ts'
import { startRelay } from './support-relay.ts'

const inFolder = temporaryFolder()
const seed = Date.now() % 2 ** 31

test('streams of every kind lead to the same index', async (t) => {
  t.diagnostic(`Seed ${seed}.`)
  await using network = await startNetwork()
  const faults = { duplicate: 0.05, reorder: 0.2, garbage: 0.02, cut: 0.002 }
  await using first = await startFakeJetstream({ seed, faults, protocol: 1 })
  await using second = await startFakeJetstream({ seed, faults })
  await using tap = await startFakeTap({ seed, faults, retryMs: 500 })
  await using started = new AsyncDisposableStack()
  const sources = [
    `firehose:${network.pdsUrl}`,
    `jetstream:${first.url}`,
    `jetstream:${second.url}`,
    `tap:${tap.url}`,
  ]
  const databases = sources.map((_, number) => inFolder(`same-${number}.db`))
  for (const [number, from] of sources.entries())
    started.use(await startIngest(from, settingsIn(network, databases[number] ?? '')))
  const publishers = await startPublishers(
    network,
    ['crowd', 'alice', 'bert'],
    createDice(seed),
    (happening) => {
      tellJetstream(first, happening)
      tellJetstream(second, happening)
      tellTap(tap, happening)
    },
  )
  for (let act = 0; act < 80; act += 1) await publishers.act()
  const published = await publishers.published()
  for (const [number, database] of databases.entries())
    await eventually(
      async () => ({ [sources[number] ?? '']: differences(published, await storedIn(database)) }),
      {
        [sources[number] ?? '']: [],
      },
    )
})

test('a Tap is told that an event is stored when others can read it', async () => {
  await using network = await startNetwork()
  await using tap = await startFakeTap({ retryMs: 600_000 })
  const database = inFolder('acknowledged.db')
  await using _ingest = await startIngest(`tap:${tap.url}`, settingsIn(network, database))
  using reading = new DatabaseSync(database, { readOnly: true })
  const found = reading.prepare('select rkey from "tech.service.news.source" where rkey = ?')
  for (let number = 1; number <= 50; number += 1) {
    tap.publishRecord(publication(`key-${number}`, outlet(`Number ${number}`)))
    await until(() => tap.acknowledged.includes(number))
    assert.notEqual(found.get(`key-${number}`), undefined, `Event ${number} is acknowledged and not stored.`)
  }
})

test('what a Jetstream or a Tap sends that is no event is counted, and those that are go on', async () => {
  await using network = await startNetwork()
  const huge = JSON.stringify({ text: 'x'.repeat(9_000_000) })
  const garbage = ['no json', '[]', '['.repeat(100_000), huge]
  const wrong = [
    { ...publication('good', outlet('Good')), rkey: 'no key!' },
    { ...publication('good', outlet('Good')), rev: 'no revision' },
    publication('unfit', { $type: collections.source }),
    publication('typed', { ...outlet('Other'), $type: collections.article }),
  ]
  const expected = {
    'bad-uri': 1,
    'invalid-record': 2,
    malformed: 4,
    'too-large': 1,
    'unknown-event': 1,
  }
  await using first = await startFakeJetstream({ protocol: 1 })
  await using second = await startFakeJetstream()
  await using tap = await startFakeTap()
  const servers = [
    ...[first, second].map(({ url, sendRaw, publish, publishRecord }) => ({
      from: `jetstream:${url}`,
      say: sendRaw,
      surprise: () => publish({ kind: 'surprise', did, body: {} }),
      publish: (one: Publication) => publishRecord(one),
    })),
    {
      from: `tap:${tap.url}`,
      say: (data: string) => Promise.all(tap.connections.map((connection) => connection.send(data))),
      surprise: () => tap.publish(did, { type: 'surprise' }),
      publish: (one: Publication) => tap.publishRecord(one),
    },
  ]
  for (const [number, { from, say, surprise, publish }] of servers.entries()) {
    const database = inFolder(`garbage-${number}.db`)
    await using ingest = await startIngest(from, settingsIn(network, database))
    for (const data of garbage) await say(data)
    surprise()
    for (const one of wrong) publish(one)
    publish(publication('good', outlet('Good')))
    await eventually(async () => [...(await storedIn(database)).keys()].map(rkeyOf), ['good'])
    await eventually(async () => ({ [from]: (await ingest.status()).rejections }), { [from]: expected })
    assert.match(ingest.stderr(), /refused an event: malformed: /)
    await ingest.stop()
  }
})

test('what a firehose sends that no account has signed is refused, and what is signed goes on', async () => {
  await using network = await startNetwork()
  await using relay = await startRelay(network.pdsUrl)
  const database = inFolder('forged.db')
  const env = settingsIn(network, database)
  const alice = await network.createAccount('alice')
  await using ingest = await startIngest(`firehose:${relay.url}`, env)
  const source = await alice.create(collections.source, outlet('True'), 'true')
  await eventually(async () => [...(await storedIn(database)).keys()], [source.uri])
  const forger = await createSignedRepo(alice.did)
  const forged = await forger.write({
    action: 'create',
    collection: collections.source,
    rkey: 'forged',
    record: outlet('Forged'),
  })
  const seq = Number((await ingest.status()).sources[0].cursor)
  relay.say(
    'no frame',
    new Uint8Array([1, 2, 3]),
    new Uint8Array(9_000_000),
    frameOf('#surprise', { seq }),
    await commitFrame(seq, forged),
    await commitFrame(seq, forged, { ops: [] }),
    await commitFrame(seq, { ...forged, did: 'did:plc:zzzzzzzzzzzzzzzzzzzzzzzz' }),
  )
  const told = await alice.create(collections.article, article('Told', source))
  await eventually(async () => [...(await storedIn(database)).keys()], [told.uri, source.uri])
  await eventually(async () => (await ingest.status()).rejections, {
    'bad-proof': 1,
    'bad-signature': 1,
    malformed: 2,
    'too-large': 1,
    'unknown-event': 1,
  })
  // Both repositories were asked for; of the second nobody knows.
  await eventually(async () => (await ingest.status()).repositories, { waiting: 0, failed: 1 })
  assert.deepEqual(differences(await alice.records(), await storedIn(database)), [])
})

test('a cursor that is too old is told of, with the command that makes up for what was missed', async () => {
  await using network = await startNetwork()
  const alice = await network.createAccount('alice')
  const missed = await alice.create(collections.source, outlet('Missed'))

  const check = async (from: string, cursor: string, wanted: RegExp, announce: () => void) => {
    const database = inFolder(`outdated-${from.replaceAll(/\W/g, '-')}-${cursor}.db`)
    const env = settingsIn(network, database, { LEXIGRAPH_PUBLISHERS: alice.did })
    await (await startIngest(from, env)).stop()
    using writing = new DatabaseSync(database)
    writing.prepare('update source set cursor = ?').run(cursor)
    announce()
    await using ingest = await startIngest(from, env)
    const [, ...command] = await ingest.said(wanted)
    const { status, stderr } = await runProgram(command, { env })
    assert.equal(status, 0, stderr)
    assert.deepEqual([...(await storedIn(database)).keys()], [missed.uri])
    await ingest.stop()
  }
  await using relay = await startRelay(network.pdsUrl)
  const backfill = /`lexigraph (backfill) (http:[^`]*)`/
  await check(`firehose:${relay.url}`, '1', backfill, () =>
    relay.say(frameOf('#info', { name: 'OutdatedCursor' })),
  )
  await check(`firehose:${network.pdsUrl}`, '123456789', backfill, () => {})
  await using jetstream = await startFakeJetstream({ keptSince: Date.now() * 1000 })
  await check(
    `jetstream:${jetstream.url}`,
    '1700000000000000',
    /`lexigraph (backfill)` with (did:plc:\w+)/,
    () => {},
  )
})

const did = `did:plc:${'a'.repeat(24)}`
const rev = tid(Date.UTC(2026, 10, 16) * 1000)

function publication(rkey: string, record: Json): Publication {
  return { did, collection: collections.source, rkey, rev, record }
}
