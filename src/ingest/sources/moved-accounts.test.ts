import assert from 'node:assert/strict'
import { type FakeServer, startFakeServer } from '../../../test/network/fake-server.ts'
import { clockBeside, didOf } from '../../../test/network/follow.ts'
import { onEveryDatabase } from '../../../test/support/store/databases.ts'
import { type Directory, startDirectory } from '../../../test/support/network/directory.ts'
import { note, noteDatabases, noteLexicons } from '../../../test/support/records/notes.ts'
import type { Engine } from '../../../test/support/store/postgres.ts'
import {
  commitFrame,
  createSignedRepo,
  frameOf,
  type SignedRepo,
} from '../../../test/support/network/signed-repo.ts'
import { openTestStore, type TestStore } from '../../../test/support/store/store.ts'
import { understand } from '../../../test/support/records/understand.ts'
import { until } from '../../../test/support/until.ts'
import { createIngestLog } from '../log.ts'
import { pump } from '../pump.ts'
import { createFirehoseSource } from './firehose/firehose.ts'

const newUrl = noteDatabases()
const { set: lexicons, tables } = understand(noteLexicons, {})

onEveryDatabase(
  'of an account that has moved, the word of the host that it left counts for nothing',
  async (engine) => {
    await using world = await openWorld(engine)
    const [left, entered] = [await world.host({ isPds: true }), await world.host({ isPds: true })]
    const [alice, bob] = [await world.join(1, left), await world.join(2, left)]
    entered.statuses.set(alice.did, null)
    await left.write(alice, 'before')
    await left.write(bob, 'before')
    await world.stored(alice, 'before')
    world.move(alice, entered)
    entered.tell('#identity', alice)
    entered.tell('#account', alice, { active: true })
    await entered.write(alice, 'after')
    left.tell('#account', alice, { active: false, status: 'deactivated' })
    left.tell('#account', alice, { active: false, status: 'deleted' })
    left.tell('#account', bob, { active: false, status: 'deactivated' })
    left.tell('#account', bob, { active: false, status: 'deleted' })
    await world.stored(alice, 'after')
    await until(async () => (await world.status(bob)) === 'deleted')
    assert.equal(await world.status(alice), null)
    assert.deepEqual(
      (await world.store.rows(`select rkey from "${note}" order by rkey`)).map(({ rkey }) => rkey),
      ['after', 'before', 'before'],
    )
    // Its own host is asked, should there be something to it.
    const [job] = await world.store.rows('select did, reason from job where did = ?', alice.did)
    assert.match(String(job?.reason), /^127\.0\.0\.1:\d+ says that it is \w+, but is not its host\.$/)
  },
)

onEveryDatabase('the host that an account has moved to is believed', async (engine) => {
  await using world = await openWorld(engine)
  const [left, entered] = [await world.host({ isPds: true }), await world.host({ isPds: true })]
  const alice = await world.join(1, left)
  await left.write(alice, 'before')
  await world.stored(alice, 'before')
  world.move(alice, entered)
  entered.statuses.set(alice.did, { did: alice.did, active: false, status: 'takendown' })
  entered.tell('#account', alice, { active: false, status: 'takendown' })
  await until(async () => (await world.status(alice)) === 'takendown')
  left.tell('#account', alice, { active: true })
  await left.write(await world.join(2, left), 'later')
  await until(async () => (await world.store.rows(`select 1 from "${note}" where rkey = 'later'`)).length > 0)
  assert.equal(await world.status(alice), 'takendown')
})

onEveryDatabase('the own host of an account is asked when another speaks of it', async (engine) => {
  await using world = await openWorld(engine)
  const [left, entered] = [await world.host({ isPds: true }), await world.host({ isPds: true })]
  const [alice, bob] = [await world.join(1, left), await world.join(2, left)]
  await left.write(alice, 'before')
  await left.write(bob, 'before')
  await world.stored(bob, 'before')
  for (const one of [alice, bob]) world.move(one, entered)
  entered.statuses.set(alice.did, { did: alice.did, active: false, status: 'suspended' })
  left.tell('#account', alice, { active: false, status: 'deleted' })
  // Its new host has never had it either.
  left.tell('#account', bob, { active: false, status: 'deleted' })
  await until(async () => (await world.status(bob)) === 'deleted')
  assert.equal(await world.status(alice), 'suspended')
})

onEveryDatabase('a relay hides accounts of any host on its own behalf', async (engine) => {
  await using world = await openWorld(engine)
  const relay = await world.host({ isPds: false })
  const alice = await world.join(1, relay)
  await relay.write(alice, 'before')
  await world.stored(alice, 'before')
  world.directory.add({ did: alice.did, key: alice.keypair.did(), pds: 'http://127.0.0.1:9' })
  relay.tell('#account', alice, { active: false, status: 'takendown' })
  await until(async () => (await world.status(alice)) === 'takendown')
})

interface Host {
  readonly server: FakeServer
  readonly url: string
  readonly tell: (t: string, repo: SignedRepo, body?: object) => void
  /** What `getRepoStatus` answers; null: that it cannot. */
  readonly statuses: Map<string, object | null>
  readonly write: (repo: SignedRepo, rkey: string) => Promise<void>
}

interface World extends AsyncDisposable {
  readonly store: TestStore
  readonly directory: Directory
  /** One that is followed. */
  readonly host: (given: { readonly isPds: boolean }) => Promise<Host>
  readonly join: (number: number, host: Host) => Promise<SignedRepo>
  readonly move: (repo: SignedRepo, host: Host) => void
  /** Resolves when the record is there. */
  readonly stored: (repo: SignedRepo, rkey: string) => Promise<void>
  readonly status: (repo: SignedRepo) => Promise<unknown>
}

async function openWorld(engine: Engine): Promise<World> {
  const directory = await startDirectory()
  const now = (): bigint => BigInt(Date.now()) * 1_000n
  const store = await openTestStore({ path: await newUrl(engine), lexicons: noteLexicons, now })
  const stop = new AbortController()
  const followed: { readonly server: FakeServer; readonly pumped: Promise<void> }[] = []
  const move: World['move'] = ({ did, keypair }, { url }) =>
    directory.add({ did, key: keypair.did(), pds: url })
  return {
    store,
    directory,
    move,
    host: async (given) => {
      const host = await startHost(given)
      const source = createFirehoseSource({
        name: `firehose:${host.url}`,
        url: host.url,
        reader: { lexicons, tables, publishers: null },
        identity: { plcUrl: directory.url, handleResolver: null },
        clock: clockBeside(directory.url),
        threads: 1,
      })
      const pumped = pump(source, store.database.write, {
        signal: stop.signal,
        log: createIngestLog(() => {}, Date.now),
        flood: (change) => [change],
      })
      followed.push({ server: host.server, pumped })
      await until(() => host.server.connections.length > 0)
      return host
    },
    join: async (number, host) => {
      const repo = await createSignedRepo(didOf(number))
      move(repo, host)
      return repo
    },
    stored: async ({ did }, rkey) => {
      await until(async () => {
        const find = `select 1 from "${note}" t join base on base.id = t.base where base.did = ? and t.rkey = ?`
        return (await store.rows(find, did, rkey)).length > 0
      })
    },
    status: async ({ did }) => (await store.rows('select status from actor where did = ?', did))[0]?.status,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      for (const { pumped, server } of followed) {
        await pumped
        await server[Symbol.asyncDispose]()
      }
      await store[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}

async function startHost({ isPds }: { readonly isPds: boolean }): Promise<Host> {
  const frames: Uint8Array[] = []
  const statuses: Host['statuses'] = new Map()
  let wake = Promise.withResolvers<void>()
  const send = (frame: Uint8Array): void => {
    frames.push(frame)
    wake.resolve()
    wake = Promise.withResolvers()
  }
  const server = await startFakeServer({
    respond: ({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://host.test')
      if (isPds && pathname === '/xrpc/com.atproto.server.describeServer')
        return response.end(JSON.stringify({ did: 'did:web:pds.test', availableUserDomains: [] }))
      const status = statuses.get(searchParams.get('did') ?? '')
      if (!isPds || status === null) return response.writeHead(404).end()
      if (status !== undefined) return response.end(JSON.stringify(status))
      response.writeHead(400).end(JSON.stringify({ error: 'RepoNotFound' }))
    },
    refuse: () => null,
    serve: async (connection) => {
      for (let at = 0; connection.open; ) {
        const frame = frames[at]
        if (frame === undefined) await Promise.race([wake.promise, connection.closed])
        else {
          await connection.send(frame)
          at += 1
        }
      }
    },
  })
  return {
    server,
    statuses,
    url: `http://${server.host}`,
    tell: (t, { did }, body = {}) =>
      send(frameOf(t, { seq: frames.length + 1, did, time: new Date().toISOString(), ...body })),
    write: async (repo, rkey) => {
      const record = { $type: note, text: rkey }
      const commit = await repo.write({ action: 'create', collection: note, rkey, record })
      send(await commitFrame(frames.length + 1, commit))
    },
  }
}
