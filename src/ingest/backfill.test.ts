import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { Secp256k1Keypair } from '@atproto/crypto'
import { collections, libraryLexicons } from '../../test/support/records/lexicons.ts'
import { refuse, startRepoHost } from '../../test/support/network/repo-host.ts'
import { lexicons, openWorld, put, remove, tables } from '../../test/support/network/repo-world.ts'
import { buildCar, type SignedRepo } from '../../test/support/network/signed-repo.ts'
import { openTestStore, temporaryFolder } from '../../test/support/store/store.ts'
import { until } from '../../test/support/until.ts'
import type { MetadataStore } from '../database/metadata/metadata-store.ts'
import { type FetchProgress, fetchRepositories, type FetchResult } from './backfill.ts'
import { createHosts } from './sources/repos/hosts.ts'

const { book } = collections
const inFolder = temporaryFolder()

test('accounts, handles, hosts and files all lead to their repositories', async () => {
  await using world = await openWorld()
  const [ana, ben, cai, dot] = await Promise.all(['a', 'b', 'c', 'd'].map((letter) => world.add(letter, 3)))
  assert.ok(ana && ben && cai && dot)
  world.host.handles.set('b.test', ben.did)
  await using other = await startRepoHost()
  other.repos.set(cai.did, await cai.car())
  const path = inFolder('dot.car')
  await writeFile(path, await dot.car())
  const { outcome, ...result } = await world.fetch({
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
  assert.deepEqual({ ...result, differences: [] }, { ...nothing, read: 4, differing: 4 })
  assert.deepEqual(await world.stored(), await world.published())
  assert.deepEqual(await world.leftOver(), { waiting: 0, failed: 0 })
})

test('fetching again changes nothing, and makes right what was missed', async () => {
  await using world = await openWorld()
  const ana = await world.add('a', 4)
  await world.fetch({ targets: [ana.did] })
  const again = await world.fetch({ targets: [ana.did] })
  assert.deepEqual([again.outcome.unchanged, again.outcome.stored, again.differing], [4, 0, 0])
  await ana.write(put('a0', 'Sand', 'update'), remove('a1'), put('new', 'Storm'))
  await world.publish(ana)
  const third = await world.fetch({ targets: [ana.did] })
  assert.deepEqual(third.differences, [{ name: ana.did, stored: 1, updated: 1, deleted: 1 }])
  assert.deepEqual(await world.stored(), await world.published())
})

test('reconciling looks at all accounts that have records here, and says which differed', async () => {
  await using world = await openWorld()
  const repos = [await world.add('a', 2), await world.add('b', 2), await world.add('c', 2)]
  await world.fetch({ targets: [world.host.url] })
  const [ana, ben] = repos as [SignedRepo, SignedRepo]
  await ana.write(remove('a1'))
  await ben.write(put('b0', 'Sand', 'update'))
  await world.publish(ana)
  await world.publish(ben)
  const late = await world.add('d', 2)
  const result = await world.fetch({ kind: 'reconcile', targets: [], parallel: 2 })
  assert.deepEqual([result.read, result.differing], [3, 2])
  assert.deepEqual(
    result.differences.toSorted((a, b) => a.name.localeCompare(b.name)),
    [
      { name: ana.did, stored: 0, updated: 0, deleted: 1 },
      { name: ben.did, stored: 0, updated: 1, deleted: 0 },
    ],
  )
  const withHost = await world.fetch({ kind: 'reconcile', targets: [world.host.url] })
  assert.deepEqual(withHost.differences, [{ name: late.did, stored: 2, updated: 0, deleted: 0 }])
  assert.deepEqual(await world.stored(), await world.published())
})

test('purged and expired records are counted apart, and are neither missing nor fetched again', async () => {
  await using world = await openWorld()
  const ana = await world.add('a', 4)
  await world.fetch({ targets: [ana.did] })
  const retention = new Map([[book, 1n]])
  const now = (): bigint => BigInt(Date.now() + 86_400_000) * 1_000n
  {
    await using expiring = await openTestStore({
      path: world.store.path,
      lexicons: libraryLexicons,
      retention,
      now,
    })
    assert.equal(await expiring.database.write.metadata.expireRecords(1), 1)
  }
  const [left = ''] = (await world.stored()).keys()
  const { metadata } = world.store.database.write
  await metadata.purge({ subject: left, reason: 'A test.', purgedBy: 'ann' })
  const result = await world.fetch({ kind: 'reconcile', targets: [] })
  const { unchanged, stored, purged, expired } = result.outcome
  assert.deepEqual({ unchanged, stored, purged, expired }, { unchanged: 2, stored: 0, purged: 1, expired: 1 })
  assert.deepEqual([result.read, result.differing, (await world.stored()).size], [1, 0, 2])

  await metadata.purge({ subject: ana.did, reason: 'A test.', purgedBy: 'ann' })
  while ((await metadata.settleAccounts(9)) > 0);
  for (const kind of ['reconcile', 'backfill'] as const)
    assert.equal((await world.fetch({ kind, targets: [ana.did] })).read, 0)
  assert.deepEqual(await world.leftOver(), { waiting: 0, failed: 0 })
  await metadata.unhide(ana.did, 'ann')
  await world.fetch({ targets: [ana.did] })
  assert.equal((await world.stored()).size, 3)
})

test('as many repositories are fetched at once as was said, while the list goes on', async () => {
  await using world = await openWorld()
  const letters = 'abcdefghijkl'
  for (const letter of letters) await world.add(letter, 1)
  world.host.pageSize = 1
  const seen: FetchProgress[] = []
  // The last page comes when something has been done.
  world.host.before = async (method, parameters) => {
    if (method === 'listRepos' && parameters.get('cursor') === String(letters.length - 1))
      await until(() => seen.some(({ done }) => done > 0))
  }
  const result = await world.fetch({
    targets: [world.host.url],
    parallel: 3,
    onProgress: (progress) => seen.push(progress),
  })
  assert.equal(result.read, letters.length)
  assert.ok(world.host.busiest() <= 4, `${world.host.busiest()} at once`)
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
  await using world = await openWorld()
  const ana = await world.add('a', 2)
  world.host.collections = new Map(Object.values(collections).map((nsid) => [nsid, [ana.did]]))
  await world.fetch({ targets: [world.host.url] })
  assert.equal(world.host.asked.filter((request) => request.startsWith('getRepo')).length, 1)
})

test('only publishers are fetched, and the records of others stay', async () => {
  await using world = await openWorld()
  const [ana, ben] = [await world.add('a', 2), await world.add('b', 2)]
  await world.fetch({ targets: [world.host.url] })
  const reader = { lexicons, tables, publishers: new Set([ben.did]) }
  for (const kind of ['backfill', 'reconcile'] as const) {
    const result = await world.fetch({ kind, targets: [world.host.url], reader })
    assert.deepEqual([result.read, result.outcome.deleted], [1, 0])
  }
  const path = inFolder('ana.car')
  await writeFile(path, await ana.car())
  const { failed } = await world.fetch({ targets: [path], reader })
  assert.match(failed[0]?.error ?? '', /not among the publishers/)
  assert.deepEqual(await world.stored(), await world.published())
})

test('what may pass is tried again, later each time', async () => {
  await using world = await openWorld()
  const ana = await world.add('a', 2)
  world.host.faults.push(
    (response) => refuse(response, 500, 'InternalServerError'),
    (response) => response.destroy(),
    (response) => response.writeHead(200).end('\x3a'),
  )
  const result = await world.fetch({ targets: [ana.did] })
  assert.deepEqual([result.read, result.failed, result.outcome.stored], [1, [], 2])
  assert.equal(world.host.asked.length, 4)
})

test('what does not pass is given up after five attempts, told, and asked for anew by the next run', async () => {
  await using world = await openWorld()
  const ana = await world.add('a', 2)
  world.host.repos.set(ana.did, Buffer.from('<h1>Not a repository</h1>'))
  const result = await world.fetch({ targets: [ana.did] })
  assert.deepEqual(
    result.failed.map(({ name }) => name),
    [ana.did],
  )
  assert.match(
    result.failed[0]?.error ?? '',
    /^The repository of did:plc:a+ is refused\. The CAR file cannot be read/,
  )
  assert.deepEqual([result.complete, world.host.asked.length], [true, 5])
  await world.publish(ana)
  assert.equal((await world.fetch({ targets: [ana.did] })).read, 1)
})

test('what cannot get better is given up at once, and the others are not', async () => {
  await using world = await openWorld()
  const [foreign, forged, keyless, unknown, good] = await Promise.all(
    ['b', 'c', 'd', 'e', 'f'].map((letter) => world.add(letter, 1)),
  )
  assert.ok(foreign && forged && keyless && unknown && good)
  world.host.repos.set(foreign.did, await good.car())
  world.directory.add({ did: forged.did, key: (await Secp256k1Keypair.create()).did(), pds: world.host.url })
  world.directory.documents.set(keyless.did, {
    ...(world.directory.documents.get(keyless.did) as object),
    verificationMethod: [],
  })
  world.directory.documents.set(unknown.did, 404)
  const result = await world.fetch({ targets: [world.host.url], parallel: 2 })
  const errorOf = new Map(result.failed.map(({ name, error }) => [name, error]))
  assert.equal(errorOf.size, 4)
  assert.equal(
    errorOf.get(foreign.did),
    `The repository of ${foreign.did} is refused. It is that of ${good.did}.`,
  )
  for (const { did } of [forged, keyless])
    assert.match(errorOf.get(did) ?? '', /not signed with the account's key/)
  assert.equal(errorOf.get(unknown.did), `There is no DID document of ${unknown.did}.`)
  assert.equal(result.read, 1)
  assert.deepEqual([...(await world.stored()).keys()], [`at://${good.did}/${book}/f0`])
})

test('targets that lead nowhere are told, and the others are done', async () => {
  await using world = await openWorld()
  const ana = await world.add('a', 1)
  const [missing, garbage] = [inFolder('missing.car'), inFolder('garbage.car')]
  await writeFile(garbage, 'garbage')
  await using empty = await startRepoHost()
  empty.faults.push(
    (response) => refuse(response, 404, 'Nothing'),
    (response) => refuse(response, 404, 'Nothing'),
  )
  const { read, failed, complete } = await world.fetch({
    targets: [missing, garbage, 'nobody.test', empty.url, ana.did],
  })
  const errors = failed
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(({ name, error }) => `${name}: ${error}`)
  assert.deepEqual(
    errors.toSorted(),
    [
      `${garbage}: The repository of ${garbage} is refused. The CAR file cannot be read: it ends in the middle of a block.`,
      `${missing}: ${missing} cannot be read: there is no such file.`,
      `${empty.url}: ${empty.url} answers with status 404 Nothing: It is Nothing.`,
      'nobody.test: The handle nobody.test belongs to no account.',
    ].toSorted(),
  )
  assert.deepEqual([read, complete], [1, false])
})

test('a list that fails for a while goes on where it was', async () => {
  await using world = await openWorld()
  for (const letter of 'abcd') await world.add(letter, 1)
  world.host.pageSize = 2
  const notices: string[] = []
  let pages = 0
  const onProgress = ({ listed }: FetchProgress): void => {
    if (listed === 2 && pages++ === 0) world.host.faults.push((response) => response.destroy())
  }
  const result = await world.fetch({
    targets: [world.host.url],
    onProgress,
    onNotice: (text) => notices.push(text),
  })
  assert.deepEqual([result.read, result.complete], [4, true])
})

test('a run that is interrupted goes on where it was, and nothing is done twice', async () => {
  await using world = await openWorld()
  for (const letter of 'abcdefgh') await world.add(letter, 3)
  world.host.pageSize = 3
  const runs: FetchResult[] = []
  for (;;) {
    const stop = new AbortController()
    const onProgress = ({ done }: FetchProgress): void => void (done >= 2 && stop.abort())
    runs.push(await world.fetch({ targets: [world.host.url], signal: stop.signal, onProgress, parallel: 2 }))
    if (runs.at(-1)?.complete) break
  }
  assert.ok(runs.length > 2)
  const sum = (key: 'stored' | 'updated' | 'deleted'): number =>
    runs.reduce((total, { outcome }) => total + outcome[key], 0)
  assert.deepEqual([sum('stored'), sum('updated'), sum('deleted')], [24, 0, 0])
  assert.deepEqual(await world.stored(), await world.published())
  assert.deepEqual(await world.leftOver(), { waiting: 0, failed: 0 })
  const pages = world.host.asked.filter((request) => request.startsWith('listRepos?'))
  assert.ok(pages.length < 3 + runs.length, `${pages.length} pages in ${runs.length} runs`)
})

test('jobs of a stream are done as they come, until the signal is aborted', async () => {
  await using world = await openWorld()
  const [ana, ben] = [await world.add('a', 1), await world.add('b', 1)]
  const stop = new AbortController()
  const running = world.fetch({ kind: 'ingest', until: 'aborted', targets: [], signal: stop.signal })
  for (const { did } of [ana, ben]) {
    await world.store.database.write.applyBatch([{ kind: 'repo-request', did, reason: 'A test wants it.' }])
    await until(() => world.host.asked.some((request) => request.includes(encodeURIComponent(did))))
    await until(async () => (await world.store.database.write.metadata.countJobs('ingest')).waiting === 0)
  }
  stop.abort()
  const result = await running
  assert.deepEqual([result.read, result.complete], [2, false])
  assert.deepEqual(await world.stored(), await world.published())
})

test('a request that comes while its repository is fetched is not taken for done', async () => {
  await using world = await openWorld()
  const ana = await world.add('a', 1)
  const { write } = world.store.database
  const request = () => write.applyBatch([{ kind: 'repo-request', did: ana.did, reason: 'A test wants it.' }])
  await request()
  world.host.faults.push((response) => {
    void request().then(() => response.destroy())
  })
  const result = await world.fetch({ kind: 'ingest', targets: [] })
  assert.deepEqual([result.read, result.failed], [1, []])
})

test('a large repository is stored as a whole, in chunks', async () => {
  await using world = await openWorld()
  const ana = await world.add('a', 0)
  const keys = Array.from({ length: 5_000 }, (_, index) => `${book}/k${index}`)
  const records = new Map(keys.map((key) => [key, { $type: book, title: key }]))
  world.host.repos.set(ana.did, await buildCar(ana.keypair, { did: ana.did, rev: ana.rev() }, records))
  const chunks: number[] = []
  let before = 0
  const onProgress = ({ records: sum }: FetchProgress): void => {
    if (sum > before) chunks.push(sum - before)
    before = sum
  }
  const { outcome } = await world.fetch({ targets: [ana.did], onProgress })
  assert.equal(outcome.stored, 5_000)
  assert.equal(Math.max(...chunks), 500)
})

test('a host that wants to be left alone for long is given up on for this run, with the time', async () => {
  await using world = await openWorld()
  const ana = await world.add('a', 1)
  world.host.faults.push((response) => refuse(response, 429, 'RateLimitExceeded', { 'retry-after': '86400' }))
  const { failed } = await world.fetch({ targets: [ana.did] })
  assert.match(failed[0]?.error ?? '', /The host wants to be asked again at \d{4}-\d\d-\d\dT.*Z\.$/)
  assert.equal(world.host.asked.length, 1)
  assert.equal((await world.fetch({ targets: [ana.did] })).read, 1)
})

test('a comparison of more accounts than fit in one step takes them all, from where it was', async () => {
  await using world = await openWorld()
  const { metadata } = world.store.database.write
  const count = 2_500
  await world.store.apply(
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
  await world.fetch({ kind: 'reconcile', targets: [], signal: stop.signal, onProgress })
  assert.deepEqual(listed, [1_000, 2_000])
  const { cursor, done } = (await metadata.readListing('reconcile', 'all accounts')) ?? {}
  assert.deepEqual([typeof cursor, done], ['string', false])
  assert.equal((await metadata.readActors(count, cursor ?? null)).length, 500)
})

test('a failure of our own ends the run wherever it is when it comes', async () => {
  await using world = await openWorld()
  const ana = await world.add('a', 1)
  const { write } = world.store.database
  let looks = 0
  let failed = false
  const metadata = instead(write.metadata, {
    // The second look is answered when what the first has begun has failed.
    dueJobs: async (kind, limit) => {
      looks += 1
      if (looks >= 2) await until(() => failed)
      return write.metadata.dueJobs(kind, limit)
    },
    finishJob: () => {
      failed = true
      return Promise.reject(new Error('The disk is full.'))
    },
  })
  world.host.before = () => until(() => looks >= 2)
  await write.metadata.addJobs('backfill', [{ did: ana.did, host: null, reason: 'A test wants it.' }])
  const database = { metadata, applyBatch: write.applyBatch.bind(write) }
  await assert.rejects(
    fetchRepositories(
      database as never,
      world.options({ targets: [], parallel: 2, hosts: createHosts(fetch) }),
    ),
    {
      message: 'The disk is full.',
    },
  )
  assert.equal(world.host.asked.length, 1)
})

test('what fails in the database ends the run as our own fault, and the jobs stay', async () => {
  await using world = await openWorld()
  const ana = await world.add('a', 1)
  const { write } = world.store.database
  const broken = {
    metadata: write.metadata,
    applyBatch: () => Promise.reject(new Error('The disk is full.')),
  }
  await assert.rejects(fetchRepositories(broken as never, world.options({ targets: [ana.did] })), {
    message: 'The disk is full.',
  })
  assert.deepEqual(await write.metadata.countJobs('backfill'), { waiting: 1, failed: 0 })
})

test('a page without accounts that comes while there is nothing else to do is not taken for the last', async () => {
  await using world = await openWorld()
  const [ana, ben] = [await world.add('a', 1), await world.add('b', 1)]
  world.host.pageSize = 1
  world.host.listed.set(ana.did, { active: false, status: 'deactivated' })
  const { write } = world.store.database
  let pages = 0
  const metadata = instead(write.metadata, {
    addJobs: async (...given) => {
      await write.metadata.addJobs(...given)
      pages += 1
    },
    // Whatever is due is told when the first page has come.
    dueJobs: async (kind, limit) => {
      await until(() => pages > 0)
      return write.metadata.dueJobs(kind, limit)
    },
  })
  const database = { metadata, applyBatch: write.applyBatch.bind(write) }
  const result = await fetchRepositories(database as never, world.options({ targets: [world.host.url] }))
  assert.deepEqual([pages, result.read, result.complete], [2, 1, true])
  assert.deepEqual(
    [...(await world.stored()).keys()].map((uri) => uri.split('/')[2]),
    [ben.did],
  )
})

/** A ledger that does some things otherwise. */
function instead(metadata: MetadataStore, others: Partial<MetadataStore>): MetadataStore {
  return new Proxy(metadata, {
    get: (_, name: keyof MetadataStore) => others[name] ?? metadata[name].bind(metadata),
  })
}

const nothing: Omit<FetchResult, 'outcome'> = {
  read: 0,
  differing: 0,
  differences: [],
  forgotten: 0,
  unsettled: [],
  repaired: [],
  damage: [],
  gone: 0,
  failed: [],
  complete: true,
}
