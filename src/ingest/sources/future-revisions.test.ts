import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { blocksToCarFile } from '@atproto/repo'
import { firehoseOf, startFakeFirehose } from '../../../test/network/fake-firehose.ts'
import { collection, didOf, follow, gist, tid } from '../../../test/network/follow.ts'
import { startDirectory } from '../../../test/support/network/directory.ts'
import {
  brief,
  create,
  did,
  openFirehoseReader,
  start,
} from '../../../test/support/network/firehose-reader.ts'
import { collections, libraryLexicons } from '../../../test/support/records/lexicons.ts'
import { lexicons, openRepoNetwork, put, tables } from '../../../test/support/network/repo-network.ts'
import {
  atRevision,
  buildCar,
  commitFrame,
  createSignedRepo,
  frameOf,
} from '../../../test/support/network/signed-repo.ts'
import { openTestStore, temporaryFolder } from '../../../test/support/store/store.ts'
import { until } from '../../../test/support/until.ts'
import { retryRejections } from '../retry.ts'
import { importRecords } from './files/import.ts'
import { fileInput } from './files/lines.ts'

const { book } = collections
const inFolder = temporaryFolder()
const reading = { lexicons, tables }
const rev2036 = tid(2_100_000_000_000_000)

test('a commit from 2036 that its account has really signed is refused, and leaves no revision behind', async () => {
  await using given = await openFirehoseReader()
  const { keypair } = given.repo
  const commit = await atRevision(await given.repo.write(create('1', { title: 'Wind' })), keypair, rev2036)
  const reading = await given.read(await commitFrame(1, commit))
  assert.deepEqual(reading.changes.map(brief), ['reject future-revision', 'repo-request'])
  assert.deepEqual([reading.isFuture, reading.before, reading.seq], [true, '0', '1'])
  const [reject] = reading.changes
  assert.deepEqual(reject?.kind === 'reject' && [reject.uri, reject.rev], [null, undefined])
  const blocks = await blocksToCarFile(commit.cid, commit.blocks)
  const sync = frameOf('#sync', { seq: 2, did, rev: rev2036, blocks })
  assert.deepEqual(await given.outcome(sync), ['reject future-revision', 'repo-request'])
  await using later = await openFirehoseReader({
    keypair: keypair as never,
    now: () => 2_100_000_000_000_000n,
  })
  assert.deepEqual(await later.outcome(await commitFrame(1, commit)), [`put ${book}/1 ${rev2036} Wind`])
})

test('revisions may be ahead of the clock by as much as clocks may differ', async () => {
  await using given = await openFirehoseReader()
  const outcomes: (string | undefined)[] = []
  for (const seconds of [-1, 299, 301]) {
    const commit = await given.repo.write(create(`r${seconds + 1}`, { title: 'Wind' }))
    const ahead = await atRevision(commit, given.repo.keypair, tid(Number(start) + seconds * 1_000_000))
    outcomes.push((await given.outcome(await commitFrame(1, ahead)))[0]?.split(' ')[0])
  }
  assert.deepEqual(outcomes, ['put', 'put', 'reject'])
})

test('a firehose read with a clock that is behind loses nothing, not even its first event', async () => {
  await using directory = await startDirectory()
  const repo = await createSignedRepo(didOf(1))
  directory.add({ did: repo.did, key: repo.keypair.did() })
  const commit = await repo.write({
    action: 'create',
    collection,
    rkey: 'a',
    record: { $type: collection, text: 'one' },
  })
  await using server = await startFakeFirehose({
    sendTo: async (connection) => {
      const time = new Date(Date.now() + server.clock.ahead).toISOString()
      await connection.send(await commitFrame(7, commit, { time }))
    },
  })
  server.send(...Array(6).fill(''))
  server.clock.ahead = 3_600_000
  await using followed = follow(firehoseOf(server.url, directory))
  await until(() => server.connections.length > 0)
  server.send('the seventh')
  await until(() => followed.states.some((state) => state.startsWith('unavailable: The clock of ')))
  assert.deepEqual(followed.changes, [])
  server.clock.ahead = 0
  await until(() => followed.cursor() === '7')
  assert.deepEqual(followed.changes.map(gist), [`ab/a ${commit.rev} one`])
  assert.deepEqual(
    server.connections.map(({ url: { searchParams } }) => searchParams.get('cursor')),
    [null, '6'],
  )
})

test('a repository from 2036 is refused whole, fetched or from a file, and freezes nothing', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 2)
  await network.fetch({ targets: [ana.did] })
  const records = new Map([[`${book}/a0`, { $type: book, title: 'From 2036' }]])
  const car = await buildCar(ana.keypair, { did: ana.did, rev: rev2036 }, records)
  network.host.repos.set(ana.did, car)
  const fetched = await network.fetch({ targets: [ana.did] })
  const path = inFolder('future.car')
  await writeFile(path, car)
  const loaded = await network.fetch({ targets: [path] })
  for (const { failed, outcome } of [fetched, loaded]) {
    assert.match(
      failed[0]?.error ?? '',
      /is refused\. The revision \w+ is of 2036-07-18T.*, which is still to come\./,
    )
    assert.deepEqual([outcome.stored, outcome.updated, outcome.deleted], [0, 0, 0])
  }
  assert.deepEqual(await network.stored(), await network.published())
  await ana.write(put('a0', 'Sand', 'update'))
  await network.publish(ana)
  await network.fetch({ targets: [ana.did] })
  assert.deepEqual(await network.stored(), await network.published())
})

test('a line with a revision from the future is refused, and stored by a retry when it no longer is one', async () => {
  const store = await openTestStore({ path: inFolder('lines.db'), lexicons: libraryLexicons })
  await using _ = store
  const rev = tid((Date.now() + 600_000) * 1_000)
  const line = { uri: `at://${did}/${book}/1`, rev, value: { $type: book, title: 'Wind' } }
  const path = inFolder('lines.jsonl')
  await writeFile(path, JSON.stringify(line))
  const imported = await importRecords(store.database.write, [fileInput(path, null)], {
    ...reading,
    workers: 1,
  })
  assert.deepEqual([imported.stored, imported.refused], [0, { 'future-revision': 1 }])
  assert.deepEqual((await retryRejections(store.database, reading)).stored, 0)
  // By a clock that is ten minutes later.
  assert.deepEqual((await retryRejections(store.database, { ...reading, maxClockSkew: 900 })).stored, 1)
})
