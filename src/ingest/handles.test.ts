import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { startDirectory } from '../../test/support/network/directory.ts'
import { collections, libraryLexicons } from '../../test/support/records/lexicons.ts'
import { startRepoHost } from '../../test/support/network/repo-host.ts'
import { openTestStore } from '../../test/support/store/store.ts'
import { patience, until } from '../../test/support/until.ts'
import { keepHandles } from './handles.ts'
import { createIdentity } from './sources/repos/identity.ts'

const key = 'did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme'
const [ana, ben] = ['a', 'b'].map((letter) => `did:plc:${letter.repeat(24)}`) as [string, string]

test('handles of accounts with records are looked up, and kept when both sides agree', async () => {
  await using network = await openNetwork()
  network.add(ana, 'ana.test', ana)
  network.add(ben, 'ben.test', ana)
  await network.enter(ana, ben)
  await network.run(async () => {
    await until(async () => (await network.handles()).every(({ due }) => due !== 0))
    assert.deepEqual(await network.handles(), [
      { did: ana, handle: 'ana.test', due: 'tomorrow' },
      { did: ben, handle: null, due: 'tomorrow' },
    ])
  })
})

test('of changes that follow each other within a minute the last holds, a little later', async () => {
  await using network = await openNetwork()
  network.add(ana, 'ana.test', ana)
  await network.enter(ana)
  await network.run(async () => {
    await until(async () => (await network.handles())[0]?.handle === 'ana.test')
    for (const handle of ['better.test', 'best.test']) {
      network.host.handles.clear()
      network.add(ana, handle, ana)
      await network.store.database.write.applyBatch([{ kind: 'identity', did: ana }])
      await until(async () => (await network.handles())[0]?.handle === 'better.test')
    }
    network.advance(60)
    await until(async () => (await network.handles())[0]?.handle === 'best.test')
    assert.equal((await network.handles())[0]?.due, 'tomorrow')
  })
})

test('a look-up that fails is tried again, and the handle that is known stays meanwhile', async () => {
  await using network = await openNetwork()
  network.add(ana, 'ana.test', ana)
  await network.enter(ana)
  await network.run(async () => {
    await until(async () => (await network.handles())[0]?.handle === 'ana.test')
    network.host.faults.push((response) => response.writeHead(503).end())
    network.advance(27 * 3600)
    await until(() => network.host.asked.length >= 2)
    assert.equal((await network.handles())[0]?.handle, 'ana.test')
    assert.equal((await network.handles())[0]?.due, 'overdue')
    network.host.handles.delete('ana.test')
    await until(async () => {
      network.advance(60)
      return (await network.handles())[0]?.handle === null
    })
    assert.equal((await network.handles())[0]?.due, 'tomorrow')
    network.host.handles.set('ana.test', ana)
    network.advance(27 * 3600)
    await until(async () => (await network.handles())[0]?.handle === 'ana.test')
    // After half a day of failures the handle counts as gone.
    const before = network.host.asked.length
    network.host.faults.push(
      ...Array.from({ length: 14 }, () => (response: ServerResponse) => response.writeHead(503).end()),
    )
    network.advance(27 * 3600)
    await until(async () => {
      network.advance(600)
      return (await network.handles())[0]?.due === 'tomorrow'
    })
    assert.equal((await network.handles())[0]?.handle, null)
    assert.equal(network.host.asked.length - before, 14)
  })
})

test('accounts that cannot be looked up do not hold up the others', async () => {
  await using network = await openNetwork()
  network.add(ana, 'ana.test', ana)
  const broken = Array.from('cdefghijklmnopqrstuvwxyz', (letter) => `did:plc:${letter.repeat(24)}`)
  for (const did of broken) network.directory.documents.set(did, 500)
  await network.enter(...broken, ana)
  await network.run(async () => {
    await until(async () => (await network.handles()).find(({ did }) => did === ana)?.handle === 'ana.test')
    const asked = network.directory.asked.length
    await until(() => {
      network.advance(60)
      return network.directory.asked.length >= asked + 2 * broken.length
    })
  })
  assert.ok((await network.handles()).every(({ did, due }) => did === ana || due === 0))
  assert.match(
    network.notices[0] ?? '',
    /^Handles cannot be looked up now\. The DID document of did:plc:.* Trying again\.$/,
  )
})

test('what fails in the database is our own fault and ends it', async () => {
  await using network = await openNetwork()
  const metadata = { dueHandles: () => Promise.reject(new Error('The disk is full.')) }
  const options = { now: network.now, signal: new AbortController().signal, onNotice: () => {} }
  await assert.rejects(keepHandles(metadata as never, network.identity, options), {
    message: 'The disk is full.',
  })
})

/** Accounts with records, a directory and a host that resolves handles, under a clock that only the test moves. */
async function openNetwork() {
  const host = await startRepoHost()
  const directory = await startDirectory()
  let clock = Date.UTC(2026, 10, 16)
  const now = (): bigint => BigInt(clock) * 1_000n
  const store = await openTestStore({ path: 'sqlite::memory:', lexicons: libraryLexicons, now })
  const options = { plcUrl: directory.url, handleResolver: host.url, timeoutMs: patience }
  const identity = createIdentity(options, { now: () => clock })
  const notices: string[] = []
  const dueIn = (due: unknown): unknown => {
    if (due === 0) return 0
    const hours = Number(BigInt(Number(due)) - now()) / 3_600_000_000
    return hours > 20 && hours < 28 ? 'tomorrow' : hours < 0 ? 'overdue' : hours
  }
  return {
    store,
    host,
    directory,
    identity,
    notices,
    now,
    advance: (seconds: number) => {
      clock += seconds * 1_000
    },
    /** The account claims the handle, which leads to another or the same. */
    add: (did: string, handle: string, leadsTo: string) => {
      directory.add({ did, key, handle, pds: host.url })
      host.handles.set(handle, leadsTo)
    },
    /** They have a record each. */
    enter: (...dids: readonly string[]) =>
      store.apply(
        ...dids.map((did) => ({
          uri: `at://${did}/${collections.book}/1`,
          value: { $type: collections.book, title: 'Wind' },
        })),
      ),
    handles: async () =>
      (await store.rows('select did, handle, handle_due as due from actor order by did')).map(
        ({ did, handle, due }) => ({ did: String(did), handle, due: dueIn(due) }),
      ),
    /** Handles are kept while the work goes on. */
    run: async (work: () => Promise<void>) => {
      const stop = new AbortController()
      const onNotice = (text: string): void => void notices.push(text)
      const kept = keepHandles(store.database.write.metadata, identity, {
        now,
        signal: stop.signal,
        onNotice,
      })
      try {
        await work()
      } finally {
        stop.abort()
        await kept
      }
    },
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]()
      await host[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}
