import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuse, startRepoHost } from '../../test/support/network/repo-host.ts'
import { openRepoNetwork, put } from '../../test/support/network/repo-network.ts'
import { createSignedRepo } from '../../test/support/network/signed-repo.ts'

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
