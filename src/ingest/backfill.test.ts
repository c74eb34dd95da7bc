import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { tid } from '../../test/network/follow.ts'
import { someForms } from '../../test/support/rounds.ts'
import { startRepoHost } from '../../test/support/network/repo-host.ts'
import { lexicons, openRepoNetwork, put, remove, tables } from '../../test/support/network/repo-network.ts'
import { buildCar, type SignedRepo } from '../../test/support/network/signed-repo.ts'
import { collections, libraryLexicons } from '../../test/support/records/lexicons.ts'
import { openTestStore, temporaryFolder } from '../../test/support/store/store.ts'
import { until } from '../../test/support/until.ts'
import type { FetchProgress } from './backfill.ts'

const { book } = collections
const inFolder = temporaryFolder()

test('accounts, handles, hosts and files all lead to their repositories', async () => {
  await using network = await openRepoNetwork()
  const [ana, ben, cai, dot] = await Promise.all(['a', 'b', 'c', 'd'].map((letter) => network.add(letter, 3)))
  assert.ok(ana && ben && cai && dot)
  network.host.handles.set('b.test', ben.did)
  await using other = await startRepoHost()
  other.repos.set(cai.did, await cai.car())
  const path = inFolder('dot.car')
  await writeFile(path, await dot.car())
  const { outcome, ...result } = await network.fetch({
    targets: [ana.did, 'b.test', other.url, path],
    parallel: 2,
  })
  assert.equal(outcome.stored, 12)
  assert.deepEqual(
    result.differences.toSorted((a, b) => a.name.localeCompare(b.name)),
    [
      { name: path, stored: 3, updated: 0, deleted: 0 },
      ...[ana, ben, cai].map(({ did }) => ({ name: did, stored: 3, updated: 0, deleted: 0 })),
    ],
  )
  assert.deepEqual(
    { ...result, differences: [] },
    {
      read: 4,
      differing: 4,
      differences: [],
      forgotten: 0,
      unsettled: [],
      repaired: [],
      damage: [],
      gone: 0,
      failed: [],
      complete: true,
    },
  )
  assert.deepEqual(await network.stored(), await network.published())
  assert.deepEqual(await network.leftOver(), { waiting: 0, failed: 0 })
})

test('reconciling looks at all accounts that have records here, and says which differed', async () => {
  await using network = await openRepoNetwork()
  const repos = [await network.add('a', 2), await network.add('b', 2), await network.add('c', 2)]
  await network.fetch({ targets: [network.host.url] })
  const [ana, ben] = repos as [SignedRepo, SignedRepo]
  await ana.write(remove('a1'))
  await ben.write(put('b0', 'Sand', 'update'))
  await network.publish(ana)
  await network.publish(ben)
  const late = await network.add('d', 2)
  const result = await network.fetch({ kind: 'reconcile', targets: [], parallel: 2 })
  assert.deepEqual([result.read, result.differing], [3, 2])
  assert.deepEqual(
    result.differences.toSorted((a, b) => a.name.localeCompare(b.name)),
    [
      { name: ana.did, stored: 0, updated: 0, deleted: 1 },
      { name: ben.did, stored: 0, updated: 1, deleted: 0 },
    ],
  )
  const withHost = await network.fetch({ kind: 'reconcile', targets: [network.host.url] })
  assert.deepEqual(withHost.differences, [{ name: late.did, stored: 2, updated: 0, deleted: 0 }])
  assert.deepEqual(await network.stored(), await network.published())
})

for (const kind of someForms(['backfill', 'reconcile'] as const))
  test(`a deletion that the account's own host does not confirm is undone by ${kind}`, async () => {
    await using network = await openRepoNetwork()
    const ana = await network.add('a', 3)
    await network.fetch({ targets: [ana.did] })
    const { write } = network.store.database
    const fetchAgain = () => network.fetch({ kind, targets: [ana.did] })
    const { now } = network.options({ targets: [] })
    // A relay has told of it; the time is after the last commit.
    const untrue = {
      kind: 'delete',
      did: ana.did,
      collection: book,
      rkey: 'a1',
      rev: tid(Date.now() * 1_000),
    } as const
    await write.applyBatch([untrue])
    assert.equal((await network.stored()).size, 2)
    const mended = await fetchAgain()
    assert.deepEqual([mended.outcome.stored, mended.unsettled], [1, []])
    assert.deepEqual(await network.stored(), await network.published())
    // The deletion of the account was withdrawn; its repository is as before.
    const gone = { kind: 'account', did: ana.did, active: false, status: 'deleted', eventAt: now() } as const
    await write.applyBatch([gone])
    for (let moved = 1; moved > 0; ) moved = await write.metadata.settleAccounts(1_000)
    assert.equal((await network.stored()).size, 0)
    await fetchAgain()
    assert.deepEqual(await network.stored(), await network.published())
    // What its host confirms stays deleted, also if an older copy still has it.
    const copy = await ana.car()
    await ana.write(remove('a2'))
    await network.publish(ana)
    await fetchAgain()
    await using relay = await startRepoHost()
    relay.repos.set(ana.did, copy)
    await network.fetch({ kind, targets: [relay.url] })
    assert.deepEqual(await network.stored(), await network.published())
  })

test('purged and expired records are counted apart, and are neither missing nor fetched again', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 4)
  await network.fetch({ targets: [ana.did] })
  const retention = new Map([[book, 1n]])
  const now = (): bigint => BigInt(Date.now() + 86_400_000) * 1_000n
  {
    await using expiring = await openTestStore({
      path: network.store.path,
      lexicons: libraryLexicons,
      retention,
      now,
    })
    assert.equal(await expiring.database.write.metadata.expireRecords(1), 1)
  }
  const [left = ''] = (await network.stored()).keys()
  const { metadata } = network.store.database.write
  await metadata.purge({ subject: left, reason: 'A test.', purgedBy: 'ann' })
  const result = await network.fetch({ kind: 'reconcile', targets: [] })
  const { unchanged, stored, purged, expired } = result.outcome
  assert.deepEqual({ unchanged, stored, purged, expired }, { unchanged: 2, stored: 0, purged: 1, expired: 1 })
  assert.deepEqual([result.read, result.differing, (await network.stored()).size], [1, 0, 2])

  await metadata.purge({ subject: ana.did, reason: 'A test.', purgedBy: 'ann' })
  while ((await metadata.settleAccounts(9)) > 0);
  for (const kind of ['reconcile', 'backfill'] as const)
    assert.equal((await network.fetch({ kind, targets: [ana.did] })).read, 0)
  assert.deepEqual(await network.leftOver(), { waiting: 0, failed: 0 })
  await metadata.unhide(ana.did, 'ann')
  await network.fetch({ targets: [ana.did] })
  assert.equal((await network.stored()).size, 3)
})

test('as many repositories are fetched at once as was said, while the list goes on', async () => {
  await using network = await openRepoNetwork()
  const letters = 'abcdefghijkl'
  for (const letter of letters) await network.add(letter, 1)
  network.host.pageSize = 1
  const seen: FetchProgress[] = []
  // The last page comes when something has been done.
  network.host.before = async (method, parameters) => {
    if (method === 'listRepos' && parameters.get('cursor') === String(letters.length - 1))
      await until(() => seen.some(({ done }) => done > 0))
  }
  const result = await network.fetch({
    targets: [network.host.url],
    parallel: 3,
    onProgress: (progress) => seen.push(progress),
  })
  assert.equal(result.read, letters.length)
  assert.ok(network.host.busiest() <= 4, `${network.host.busiest()} at once`)
  assert.ok(seen.every(({ current }) => current.length <= 3))
  assert.ok(
    seen.some(({ done, listed }) => done > 0 && listed < letters.length),
    'Nothing was done before the end of the list.',
  )
  assert.deepEqual(
    { ...seen.at(-1), current: [] },
    { listed: letters.length, done: letters.length, failed: 0, records: letters.length, current: [] },
  )
})

test('an account that has records of several collections is fetched once', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 2)
  network.host.collections = new Map(Object.values(collections).map((nsid) => [nsid, [ana.did]]))
  await network.fetch({ targets: [network.host.url] })
  assert.equal(network.host.asked.filter((request) => request.startsWith('getRepo')).length, 1)
})

test('only publishers are fetched, and the records of others stay', async () => {
  await using network = await openRepoNetwork()
  const [ana, ben] = [await network.add('a', 2), await network.add('b', 2)]
  await network.fetch({ targets: [network.host.url] })
  const reader = { lexicons, tables, publishers: new Set([ben.did]) }
  for (const kind of ['backfill', 'reconcile'] as const) {
    const result = await network.fetch({ kind, targets: [network.host.url], reader })
    assert.deepEqual([result.read, result.outcome.deleted], [1, 0])
  }
  const path = inFolder('ana.car')
  await writeFile(path, await ana.car())
  const { failed } = await network.fetch({ targets: [path], reader })
  assert.match(failed[0]?.error ?? '', /not among the publishers/)
  assert.deepEqual(await network.stored(), await network.published())
})

test('jobs of a stream are done as they come, until the signal is aborted', async () => {
  await using network = await openRepoNetwork()
  const [ana, ben] = [await network.add('a', 1), await network.add('b', 1)]
  const stop = new AbortController()
  const running = network.fetch({ kind: 'ingest', until: 'aborted', targets: [], signal: stop.signal })
  for (const { did } of [ana, ben]) {
    await network.store.database.write.applyBatch([{ kind: 'repo-request', did, reason: 'A test wants it.' }])
    await until(() => network.host.asked.some((request) => request.includes(encodeURIComponent(did))))
    await until(async () => (await network.store.database.write.metadata.countJobs('ingest')).waiting === 0)
  }
  stop.abort()
  const result = await running
  assert.deepEqual([result.read, result.complete], [2, false])
  assert.deepEqual(await network.stored(), await network.published())
})

test('a request that comes while its repository is fetched is not taken for done', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 1)
  const { write } = network.store.database
  const request = () => write.applyBatch([{ kind: 'repo-request', did: ana.did, reason: 'A test wants it.' }])
  await request()
  network.host.faults.push((response) => {
    void request().then(() => response.destroy())
  })
  const result = await network.fetch({ kind: 'ingest', targets: [] })
  assert.deepEqual([result.read, result.failed], [1, []])
})

test('a large repository is stored as a whole, in chunks', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 0)
  const keys = Array.from({ length: 1_200 }, (_, index) => `${book}/k${index}`)
  const records = new Map(keys.map((key) => [key, { $type: book, title: key }]))
  network.host.repos.set(ana.did, await buildCar(ana.keypair, { did: ana.did, rev: ana.rev() }, records))
  const chunks: number[] = []
  let before = 0
  const onProgress = ({ records: sum }: FetchProgress): void => {
    if (sum > before) chunks.push(sum - before)
    before = sum
  }
  const { outcome } = await network.fetch({ targets: [ana.did], onProgress })
  assert.equal(outcome.stored, 1_200)
  assert.equal(Math.max(...chunks), 500)
})

test('a repository from the future is refused whole, fetched or from a file, and freezes nothing', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 2)
  await network.fetch({ targets: [ana.did] })
  const records = new Map([[`${book}/a0`, { $type: book, title: 'To come' }]])
  const inTenYears = Date.now() + 315_576_000_000
  const car = await buildCar(ana.keypair, { did: ana.did, rev: tid(inTenYears * 1_000) }, records)
  network.host.repos.set(ana.did, car)
  const fetched = await network.fetch({ targets: [ana.did] })
  const path = inFolder('future.car')
  await writeFile(path, car)
  const loaded = await network.fetch({ targets: [path] })
  for (const { failed, outcome } of [fetched, loaded]) {
    const [, moment] =
      /is refused\. The revision \w+ is of (.*), which is still to come\./.exec(failed[0]?.error ?? '') ?? []
    assert.equal(Date.parse(moment ?? ''), inTenYears)
    assert.deepEqual([outcome.stored, outcome.updated, outcome.deleted], [0, 0, 0])
  }
  assert.deepEqual(await network.stored(), await network.published())
  await ana.write(put('a0', 'Sand', 'update'))
  await network.publish(ana)
  await network.fetch({ targets: [ana.did] })
  assert.deepEqual(await network.stored(), await network.published())
})

test('a comparison of more accounts than fit in one step takes them all, from where it was', async () => {
  await using network = await openRepoNetwork()
  const { metadata } = network.store.database.write
  const count = 2_500
  await network.store.apply(
    ...Array.from({ length: count }, (_, index) => ({
      uri: `at://did:web:a${index}.test/${book}/1`,
      value: { $type: book, title: 'Wind' },
    })),
  )
  const stop = new AbortController()
  const listed: number[] = []
  const onProgress = (progress: FetchProgress): void => {
    if (listed.at(-1) !== progress.listed) listed.push(progress.listed)
    if (progress.listed >= 2_000) stop.abort()
  }
  await network.fetch({ kind: 'reconcile', targets: [], signal: stop.signal, onProgress })
  assert.deepEqual(listed, [1_000, 2_000])
  const { cursor, done } = (await metadata.readListing('reconcile', 'all accounts')) ?? {}
  assert.deepEqual([typeof cursor, done], ['string', false])
  assert.equal((await metadata.readActors(count, cursor ?? null)).length, 500)
})
