import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { follow } from '../../../../test/network/follow.ts'
import { refuse } from '../../../../test/support/network/repo-host.ts'
import { openRepoNetwork, type RepoNetwork } from '../../../../test/support/network/repo-network.ts'
import { createSignedRepo } from '../../../../test/support/network/signed-repo.ts'
import { temporaryFolder } from '../../../../test/support/store/store.ts'
import type { Delivery } from '../../source.ts'
import { openThreads } from '../threads.ts'
import { createRepoExportSource, parseTarget, readRepo } from './repo-export.ts'

const inFolder = temporaryFolder()
const forever = new AbortController().signal
const accountOf = (letter: string): string => `did:plc:${letter.repeat(24)}`
const [ana, ben, cai] = [accountOf('a'), accountOf('b'), accountOf('c')]

test('a target is known by its form', () => {
  const forms: Readonly<Record<string, unknown>> = {
    [ana]: { kind: 'account', name: ana },
    'did:web:example.com': { kind: 'account', name: 'did:web:example.com' },
    'alice.example.com': { kind: 'handle', name: 'alice.example.com' },
    'https://example.com': { kind: 'host', name: 'https://example.com' },
    'HTTP://localhost:2583/': { kind: 'host', name: 'http://localhost:2583' },
    'https://example.com/some/where': { kind: 'host', name: 'https://example.com' },
    'repo.car': { kind: 'file', name: 'repo.car' },
    './alice.example.com': { kind: 'file', name: './alice.example.com' },
    '/tmp/repo': { kind: 'file', name: '/tmp/repo' },
  }
  for (const [text, target] of Object.entries(forms)) assert.deepEqual(parseTarget(text), target, text)
  for (const text of ['', 'alice', 'https://', 'did:plc', 'wss:example', 'a b.c'])
    assert.throws(
      () => parseTarget(text),
      { name: 'UsageError', message: /names no repositories; write a DID,/ },
      text,
    )
})

test('the accounts of a host become requests for their repositories, and a cursor goes on with the last page', async () => {
  await using network = await openRepoNetwork()
  for (const did of [ana, ben, cai]) network.host.repos.set(did, '')
  network.host.pageSize = 2
  const first = await deliver(network, network.host.url)
  assert.deepEqual(requested(first.deliveries), [[ana, ben], [cai]])
  assert.deepEqual(first.states, ['connecting', 'live', 'live'])
  assert.equal(first.deliveries[1]?.cursor, null)
  const again = await deliver(network, network.host.url, { cursor: first.deliveries[0]?.cursor ?? null })
  assert.deepEqual(requested(again.deliveries), [[cai]])
})

test('an account and a handle are requests too; of others than the publishers nothing is requested', async () => {
  await using network = await openRepoNetwork()
  network.host.handles.set('ben.test', ben)
  assert.deepEqual(requested((await deliver(network, ana)).deliveries), [[ana]])
  assert.deepEqual(requested((await deliver(network, 'ben.test')).deliveries), [[ben]])
  assert.deepEqual(
    requested((await deliver(network, ana, { publishers: new Set<string>([ben]) })).deliveries),
    [[]],
  )
})

test('a host that is down is asked until it is there, and one that is no host is told', async () => {
  await using network = await openRepoNetwork()
  network.host.repos.set(ana, '')
  network.host.faults.push((response) => response.destroy())
  const { deliveries, states } = await deliver(network, network.host.url)
  assert.deepEqual(requested(deliveries), [[ana]])
  assert.match(states[1] ?? '', /^unavailable: http:.* could not be asked/)
  for (let request = 0; request < 2; request += 1)
    network.host.faults.push((response) => refuse(response, 404, 'Nothing'))
  const refused = await deliver(network, network.host.url)
  assert.deepEqual([refused.deliveries, refused.states.length], [[], 2])
  assert.match(refused.states[1] ?? '', /^unavailable: .* answers with status 404 Nothing: It is Nothing\.$/)
})

test('a CAR file is what is in it, verified', async () => {
  await using network = await openRepoNetwork()
  const repo = await network.add('a', 2)
  const path = inFolder('good.car')
  await writeFile(path, await repo.car())
  const { deliveries, states } = await deliver(network, path)
  assert.deepEqual(
    deliveries.flatMap(({ changes }) => changes.map(({ kind }) => kind)),
    ['put', 'put', 'repo-end'],
  )
  assert.deepEqual(states, ['connecting', 'live'])
  const foreign = await createSignedRepo(ana)
  await writeFile(path, await foreign.car())
  const forged = await deliver(network, path)
  assert.deepEqual(forged.deliveries, [])
  assert.match(forged.states[2] ?? '', /^unavailable: .*not signed with the account's key/)
  await assert.rejects(deliver(network, inFolder('missing.car')), { name: 'InputError' })
})

test('an aborted signal ends the deliveries without an error', async () => {
  await using network = await openRepoNetwork()
  const stop = new AbortController()
  network.host.faults.push(() => stop.abort())
  assert.deepEqual((await deliver(network, network.host.url, { signal: stop.signal })).deliveries, [])
})

test('a thread that dies fails its repository, which may be tried again', async () => {
  await using network = await openRepoNetwork()
  const repo = await network.add('a', 2)
  await using broken = openThreads(new URL('./no-such-worker.ts', import.meta.url), 1, null)
  const chunks = readRepo(broken as never, await repo.car(), {
    did: ana,
    source: 'test',
    ...network.options({ targets: [] }),
  })
  await assert.rejects(chunks.next(), (error: Error & { shouldRetry: () => boolean }) => {
    assert.match(error.message, /^The thread that read the repository of did:plc:a+ failed: .*no-such-worker/)
    return error.name === 'RepoError' && error.shouldRetry()
  })
})

/** Reads the source of a target to its end. */
async function deliver(
  network: RepoNetwork,
  target: string,
  { cursor = null as string | null, publishers = null as ReadonlySet<string> | null, signal = forever } = {},
) {
  const options = network.options({ targets: [target] })
  const reader = { ...options.reader, publishers }
  const source = { ...options, name: `repo-export:${target}`, target: parseTarget(target), reader }
  const followed = follow(createRepoExportSource(source), { cursor })
  signal.addEventListener('abort', followed.stop)
  await followed.ended.catch(() => {})
  await followed.stop()
  return followed
}

function requested(deliveries: readonly Delivery[]): (readonly string[])[] {
  return deliveries.map(({ changes }) =>
    changes.flatMap((change) => (change.kind === 'repo-request' ? [change.did] : [])),
  )
}
