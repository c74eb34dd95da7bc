/** Fetching that fails or is stopped: what is tried again or given up, and where a run ends and goes on. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { Secp256k1Keypair } from '@atproto/crypto'
import { refuse, startRepoHost } from '../../test/support/network/repo-host.ts'
import { openRepoNetwork, put } from '../../test/support/network/repo-network.ts'
import { collections } from '../../test/support/records/lexicons.ts'
import { temporaryFolder } from '../../test/support/store/store.ts'
import { until } from '../../test/support/until.ts'
import type { MetadataStore } from '../database/metadata/sql-metadata-store.ts'
import { type FetchProgress, fetchRepositories, type FetchResult } from './backfill.ts'
import { retryDelay } from './retries.ts'
import { createHosts } from './sources/repos/hosts.ts'
import { createSignedRepo } from '../../test/support/network/signed-repo.ts'

const { book } = collections
const inFolder = temporaryFolder()

test('what may pass is tried again, later each time', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 2)
  network.host.faults.push(
    (response) => refuse(response, 500, 'InternalServerError'),
    (response) => response.destroy(),
    (response) => response.writeHead(200).end('\x3a'),
  )
  const result = await network.fetch({ targets: [ana.did] })
  assert.deepEqual([result.read, result.failed, result.outcome.stored], [1, [], 2])
  assert.equal(network.host.asked.length, 4)
})

test('the pauses between attempts double and end at about an hour', () => {
  for (let failures = 1; failures < 40; failures++) {
    const expected = Math.min(5_000 * 2 ** (failures - 1), 3_600_000)
    const delay = retryDelay(5_000, failures)
    assert.ok(delay >= expected * 0.75 && delay <= expected * 1.25, `${failures}: ${delay}`)
  }
})

test('what does not pass is given up after five attempts, told, and asked for again by the next run', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 2)
  network.host.repos.set(ana.did, Buffer.from('<h1>Not a repository</h1>'))
  const result = await network.fetch({ targets: [ana.did] })
  assert.deepEqual(
    result.failed.map(({ name }) => name),
    [ana.did],
  )
  assert.match(
    result.failed[0]?.error ?? '',
    /^The repository of did:plc:a+ is refused\. The CAR file cannot be read/,
  )
  assert.deepEqual([result.complete, network.host.asked.length], [true, 5])
  await network.publish(ana)
  assert.equal((await network.fetch({ targets: [ana.did] })).read, 1)
})

test('what cannot get better is given up at once, and the others are not', async () => {
  await using network = await openRepoNetwork()
  const [foreign, forged, keyless, unknown, good] = await Promise.all(
    ['b', 'c', 'd', 'e', 'f'].map((letter) => network.add(letter, 1)),
  )
  assert.ok(foreign && forged && keyless && unknown && good)
  network.host.repos.set(foreign.did, await good.car())
  network.directory.add({
    did: forged.did,
    key: (await Secp256k1Keypair.create()).did(),
    pds: network.host.url,
  })
  network.directory.documents.set(keyless.did, {
    ...(network.directory.documents.get(keyless.did) as object),
    verificationMethod: [],
  })
  network.directory.documents.set(unknown.did, 404)
  const result = await network.fetch({ targets: [network.host.url], parallel: 2 })
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
  assert.deepEqual([...(await network.stored()).keys()], [`at://${good.did}/${book}/f0`])
})

test('targets that lead nowhere are told, and the others are done', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 1)
  const [missing, garbage] = [inFolder('missing.car'), inFolder('garbage.car')]
  await writeFile(garbage, 'garbage')
  await using empty = await startRepoHost()
  empty.faults.push(
    (response) => refuse(response, 404, 'Nothing'),
    (response) => refuse(response, 404, 'Nothing'),
  )
  const { read, failed, complete } = await network.fetch({
    targets: [missing, garbage, 'nobody.test', empty.url, ana.did],
  })
  const errors = failed.map(({ name, error }) => `${name}: ${error}`)
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
  await using network = await openRepoNetwork()
  for (const letter of 'abcd') await network.add(letter, 1)
  network.host.pageSize = 2
  const notices: string[] = []
  let pages = 0
  const onProgress = ({ listed }: FetchProgress): void => {
    if (listed === 2 && pages++ === 0) network.host.faults.push((response) => response.destroy())
  }
  const result = await network.fetch({
    targets: [network.host.url],
    onProgress,
    onNotice: (text) => notices.push(text),
  })
  assert.deepEqual([result.read, result.complete], [4, true])
})

test('a run that is interrupted goes on where it was, and nothing is done twice', async () => {
  await using network = await openRepoNetwork()
  for (const letter of 'abcdef') await network.add(letter, 3)
  network.host.pageSize = 3
  const runs: FetchResult[] = []
  for (;;) {
    const stop = new AbortController()
    const onProgress = ({ done }: FetchProgress): void => void (done >= 2 && stop.abort())
    runs.push(
      await network.fetch({ targets: [network.host.url], signal: stop.signal, onProgress, parallel: 2 }),
    )
    if (runs.at(-1)?.complete) break
  }
  assert.ok(runs.length > 2)
  const sum = (key: 'stored' | 'updated' | 'deleted'): number =>
    runs.reduce((total, { outcome }) => total + outcome[key], 0)
  assert.deepEqual([sum('stored'), sum('updated'), sum('deleted')], [18, 0, 0])
  assert.deepEqual(await network.stored(), await network.published())
  assert.deepEqual(await network.leftOver(), { waiting: 0, failed: 0 })
  const pages = network.host.asked.filter((request) => request.startsWith('listRepos?'))
  assert.ok(pages.length < 3 + runs.length, `${pages.length} pages in ${runs.length} runs`)
})

test('a host that wants to be left alone for long is given up on for this run, with the time', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 1)
  network.host.faults.push((response) =>
    refuse(response, 429, 'RateLimitExceeded', { 'retry-after': '86400' }),
  )
  const { failed } = await network.fetch({ targets: [ana.did] })
  assert.match(failed[0]?.error ?? '', /The host wants to be asked again at \d{4}-\d\d-\d\dT.*Z\.$/)
  assert.equal(network.host.asked.length, 1)
  assert.equal((await network.fetch({ targets: [ana.did] })).read, 1)
})

test('a failure of our own ends the run wherever it is when it comes', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 1)
  const { write } = network.store.database
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
  network.host.before = () => until(() => looks >= 2)
  await write.metadata.addJobs('backfill', [{ did: ana.did, host: null, reason: 'A test wants it.' }])
  const database = { metadata, applyBatch: write.applyBatch.bind(write) }
  await assert.rejects(
    fetchRepositories(
      database as never,
      network.options({ targets: [], parallel: 2, hosts: createHosts(fetch) }),
    ),
    {
      message: 'The disk is full.',
    },
  )
  assert.equal(network.host.asked.length, 1)
})

test('what fails in the database ends the run as our own fault, and the jobs stay', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 1)
  const { write } = network.store.database
  const broken = {
    metadata: write.metadata,
    applyBatch: () => Promise.reject(new Error('The disk is full.')),
  }
  await assert.rejects(fetchRepositories(broken as never, network.options({ targets: [ana.did] })), {
    message: 'The disk is full.',
  })
  assert.deepEqual(await write.metadata.countJobs('backfill'), { waiting: 1, failed: 0 })
})

test('a page without accounts that comes while there is nothing else to do is not taken for the last', async () => {
  await using network = await openRepoNetwork()
  const [ana, ben] = [await network.add('a', 1), await network.add('b', 1)]
  network.host.pageSize = 1
  network.host.listed.set(ana.did, { active: false, status: 'deactivated' })
  const { write } = network.store.database
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
  const result = await fetchRepositories(database as never, network.options({ targets: [network.host.url] }))
  assert.deepEqual([pages, result.read, result.complete], [2, 1, true])
  assert.deepEqual(
    [...(await network.stored()).keys()].map((uri) => uri.split('/')[2]),
    [ben.did],
  )
})

/** Metadata of which some methods do something else. */
function instead(metadata: MetadataStore, others: Partial<MetadataStore>): MetadataStore {
  return new Proxy(metadata, {
    get: (_, name: keyof MetadataStore) => others[name] ?? metadata[name].bind(metadata),
  })
}

test('a key that was replaced since it was looked up is looked up again', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 1)
  await network.fetch({ targets: [ana.did] })
  const renewed = await createSignedRepo(ana.did)
  await renewed.write(put('new', 'Storm'))
  network.publishAs(renewed)
  await network.publish(renewed)
  const result = await network.fetch({ targets: [ana.did] })
  assert.deepEqual([result.failed, result.read], [[], 1])
  assert.deepEqual([...(await network.stored()).values()], ['Storm'])
})

test('accounts that are gone or hidden are no failure, and hidden ones are no longer shown', async () => {
  await using network = await openRepoNetwork()
  const [ana, ben, cai, dot] = await Promise.all(['a', 'b', 'c', 'd'].map((letter) => network.add(letter, 1)))
  assert.ok(ana && ben && cai && dot)
  await network.fetch({ targets: [network.host.url] })
  network.host.repos.set(ana.did, 'RepoTakendown')
  network.host.repos.set(ben.did, 'RepoDeactivated')
  network.host.repos.set(cai.did, 'RepoSuspended')
  network.host.repos.set(dot.did, 'RepoNotFound')
  const result = await network.fetch({ kind: 'reconcile', targets: [] })
  assert.deepEqual([result.read, result.gone, result.failed], [0, 4, []])
  assert.deepEqual(await network.statuses(), [
    [ana.did, 'takendown'],
    [ben.did, 'deactivated'],
    [cai.did, 'suspended'],
    [dot.did, 'missing'],
  ])
})

test('what another host says of an account, or has of it, counts for nothing; its own host knows', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 1)
  await network.fetch({ targets: [ana.did] })
  await using relay = await startRepoHost()
  for (const says of ['RepoTakendown', 'RepoNotFound', 'Nonsense', Buffer.from('<h1>No repository</h1>')]) {
    relay.repos.set(ana.did, says)
    const result = await network.fetch({ targets: [relay.url] })
    assert.deepEqual([result.read, result.gone, result.failed], [1, 0, []], String(says))
  }
  assert.deepEqual(await network.statuses(), [[ana.did, null]])
})

test('of an account that has moved, the word of the host that it left counts for nothing', async () => {
  await using network = await openRepoNetwork()
  const [ana, ben] = [await network.add('a', 1), await network.add('b', 1)]
  await network.fetch({ targets: [ana.did, ben.did] })
  await using other = await startRepoHost()
  network.host.repos.set(ana.did, 'RepoDeactivated')
  network.host.repos.set(ben.did, 'Nonsense')
  for (const repo of [ana, ben]) {
    network.directory.add({ did: repo.did, key: repo.keypair.did(), pds: other.url })
    await repo.write(put('new', 'Storm'))
    other.repos.set(repo.did, await repo.car())
  }
  await network.store.database.write.applyBatch(
    [ana, ben].map(({ did }) => ({ kind: 'repo-request', did, reason: 'It has moved.' })),
  )
  const result = await network.fetch({ kind: 'ingest', targets: [] })
  assert.deepEqual([result.read, result.gone, result.failed], [2, 0, []])
  assert.deepEqual(await network.statuses(), [
    [ana.did, null],
    [ben.did, null],
  ])
  assert.deepEqual(await network.stored(), await network.published())
})

test('a repository that a stream has told of is waited for when its host has not got it yet', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 1)
  network.host.faults.push((response) => refuse(response, 400, 'RepoNotFound'))
  await network.store.database.write.applyBatch([
    { kind: 'repo-request', did: ana.did, reason: 'A test wants it.' },
  ])
  const result = await network.fetch({ kind: 'ingest', targets: [] })
  assert.deepEqual([result.read, result.gone, result.failed], [1, 0, []])
  assert.deepEqual(await network.stored(), await network.published())
})

test('an account whose document names no host is fetched from the host that lists it, or is gone', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 1)
  network.directory.documents.set(ana.did, {
    ...(network.directory.documents.get(ana.did) as object),
    service: [],
  })
  const direct = await network.fetch({ targets: [ana.did] })
  assert.deepEqual([direct.read, direct.gone], [0, 1])
  assert.equal((await network.fetch({ targets: [network.host.url] })).read, 1)
})

test('a PDS that an account has left is not asked for its repository', async () => {
  await using network = await openRepoNetwork()
  const ana = await network.add('a', 1)
  await using left = await startRepoHost()
  left.repos.set(ana.did, await ana.car())
  left.isPds = true
  await ana.write(put('a0', 'Written since', 'update'))
  await network.publish(ana)
  assert.equal((await network.fetch({ targets: [left.url] })).read, 1)
  assert.deepEqual(await network.stored(), await network.published())
  assert.ok(!left.asked.some((request) => request.startsWith('getRepo')))
})
