/** What the tests' own network can do, so that a failure elsewhere is not sought in it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeAll } from '@atproto/lex-cbor'
import type { Json } from '../reference/shapes.ts'
import { until } from '../support/until.ts'
import { type Network, startNetwork } from './network.ts'
import { startProxy } from './proxy.ts'

const cid = 'bafyreigmxkugc2bgz2bgqdqjhgohpfy3nqbnbsvxsxh3ybqhqxt4k2hgwa'
const collection = 'org.example.note'

test('the network of the tests is a real one', async (t) => {
  await using network = await startNetwork()

  await t.test('an account has a DID in the directory, a PDS, and a handle that resolves', async () => {
    const alice = await network.createAccount('alice')
    const document: Json = await (await fetch(`${network.plcUrl}/${alice.did}`)).json()
    assert.deepEqual(document.alsoKnownAs, ['at://alice.test'])
    assert.equal(document.service[0].serviceEndpoint, network.pdsUrl)
    assert.deepEqual(await resolveHandle(network, 'alice.test'), { did: alice.did })
  })

  await t.test('a handle moves, and its old name is free', async () => {
    const bert = await network.createAccount('bert')
    await bert.changeHandle('berta')
    assert.equal(bert.handle, 'berta.test')
    assert.deepEqual(await resolveHandle(network, 'berta.test'), { did: bert.did })
    assert.equal((await resolveHandle(network, 'bert.test')).error, 'HandleNotFound')
  })

  await t.test('records of an unknown lexicon are created, updated and deleted', async () => {
    const carol = await network.createAccount('carol')
    const special = { link: { $link: cid }, bytes: { $bytes: 'AQID' }, list: [{ deep: null }] }
    const first = await carol.create(collection, { text: 'one' })
    const second = await carol.create(collection, { text: 'two' }, 'second')
    assert.equal(second.uri, `at://${carol.did}/${collection}/second`)
    const updated = await carol.update(collection, 'second', { text: 'three', ...special })
    assert.ok(first.rev < second.rev && second.rev < updated.rev)
    const { rev } = await carol.delete(collection, first.uri.split('/').at(-1) ?? '')
    assert.ok(updated.rev < rev)
    assert.deepEqual(
      await carol.records(),
      new Map([[second.uri, { cid: updated.cid, value: { $type: collection, text: 'three', ...special } }]]),
    )
  })

  await t.test('many writes are one commit, and a repository is read whole', async () => {
    const dora = await network.createAccount('dora')
    const writes = Array.from({ length: 200 }, (_, index) => ({
      kind: 'create' as const,
      collection: index % 2 === 0 ? collection : `${collection}s`,
      rkey: `k${index}`,
      record: { index },
    }))
    await dora.applyWrites(writes)
    await dora.applyWrites([
      { kind: 'create', collection, record: { index: 200 } },
      { kind: 'update', collection, rkey: 'k0', record: { index: -1 } },
      { kind: 'delete', collection, rkey: 'k2' },
    ])
    const indexes = [...(await dora.records()).values()].map(({ value }) => value.index)
    assert.deepEqual(
      indexes.toSorted((a, b) => a - b),
      [-1, ...Array.from({ length: 200 }, (_, index) => index + 1).filter((index) => index !== 2)],
    )
    const commits = await framesOf(network, dora.did, (frames) => frames.filter(isCommit).length === 3)
    assert.deepEqual(
      commits.filter(isCommit).map(({ ops }) => ops.length),
      [0, 200, 3],
    )
  })

  await t.test('the firehose tells how accounts stand; records() has what they have', async () => {
    const [erin, fred] = (await network.createAccounts(2)) as [Json, Json]
    const { uri } = await erin.create(collection, { text: 'kept' })
    await erin.deactivate()
    assert.deepEqual([...(await erin.records()).keys()], [uri])
    await assert.rejects(erin.create(collection, {}), /AccountDeactivated/)
    await erin.activate()
    await erin.takeDown()
    assert.deepEqual([...(await erin.records()).keys()], [uri])
    await assert.rejects(erin.create(collection, {}), /AccountTakedown/)
    await erin.undoTakeDown()
    await erin.create(collection, { text: 'again' })
    const frames = await framesOf(network, erin.did, (all) => all.filter(isCommit).length === 3)
    assert.deepEqual(
      frames.filter(({ type }) => type === '#account').map(({ active, status }) => status ?? active),
      [true, 'deactivated', true, 'takendown', true],
    )
    await fred.create(collection, { text: 'gone' })
    await fred.deleteAccount()
    assert.deepEqual(await fred.records(), new Map())
    const left = await framesOf(network, fred.did, (all) => all.length > 0)
    assert.deepEqual(
      left.map(({ type, status }) => [type, status]),
      [['#account', 'deleted']],
    )
  })

  await t.test('a proxy passes all on, breaks connections, refuses them and takes them again', async () => {
    await using proxy = await startProxy(network.pdsUrl)
    const isUp = async (): Promise<boolean> =>
      (await fetch(`${proxy.url}/xrpc/_health`, { headers: { connection: 'close' } }).catch(() => null))
        ?.ok ?? false
    const openStream = async (): Promise<WebSocket> => {
      const socket = new WebSocket(`${proxy.url}/xrpc/com.atproto.sync.subscribeRepos`)
      await until(() => socket.readyState === WebSocket.OPEN)
      return socket
    }
    const first = await openStream()
    proxy.cut()
    await until(() => first.readyState === WebSocket.CLOSED)
    assert.ok(await isUp())

    const second = await openStream()
    await proxy.stop()
    await until(() => second.readyState === WebSocket.CLOSED)
    assert.equal(await isUp(), false)
    await proxy.resume()
    assert.ok(await isUp())

    proxy.delay = 100
    const start = performance.now()
    assert.ok(await isUp())
    assert.ok(performance.now() - start >= 190, 'There and back is twice the delay.')
  })
})

async function resolveHandle({ pdsUrl }: Network, handle: string): Promise<Json> {
  const path = `/xrpc/com.atproto.identity.resolveHandle?handle=${handle}`
  return (await fetch(pdsUrl + path)).json()
}

/** What the firehose has said of an account since the beginning, as soon as that is enough. */
async function framesOf(
  { pdsUrl }: Network,
  did: string,
  enough: (frames: readonly Json[]) => boolean,
): Promise<readonly Json[]> {
  const socket = new WebSocket(`${pdsUrl}/xrpc/com.atproto.sync.subscribeRepos?cursor=0`)
  socket.binaryType = 'arraybuffer'
  const frames: Json[] = []
  socket.addEventListener('message', ({ data }) => {
    const [{ t }, body] = [...decodeAll(new Uint8Array(data))] as [Json, Json]
    if ((body.repo ?? body.did) === did) frames.push({ type: t, ...body })
  })
  await until(() => enough(frames))
  socket.close()
  return frames
}

function isCommit({ type }: Json): boolean {
  return type === '#commit'
}
