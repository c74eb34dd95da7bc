import assert from 'node:assert/strict'
import { firehoseOf, startFakeFirehose } from '../../../test/network/fake-firehose.ts'
import { collection as note, didOf, noteLexicon } from '../../../test/network/follow.ts'
import { startDirectory } from '../../../test/support/network/directory.ts'
import { createSignedRepo, frameOf, type SignedRepo } from '../../../test/support/network/signed-repo.ts'
import { liftTimeLimits } from '../../../test/support/network/time-limits.ts'
import { onOneDatabase } from '../../../test/support/store/databases.ts'
import type { Engine } from '../../../test/support/store/postgres.ts'
import { emptyDatabases, openTestStore } from '../../../test/support/store/store.ts'
import { until } from '../../../test/support/until.ts'
import { createIngestLog } from '../log.ts'
import { pump } from '../pump.ts'

const newUrl = emptyDatabases()

onOneDatabase(
  'of an account that has moved, the word of the host that it left counts for nothing',
  async (engine) => {
    await using given = await open(engine)
    const [left, entered] = await given.hosts()
    const [alice, bob] = [await given.join(1, left), await given.join(2, left)]
    entered.statuses.set(alice.did, null)
    await left.write(alice, 'before')
    await left.write(bob, 'before')
    await given.stored(alice, 'before')
    given.move(alice, entered)
    entered.tell('#identity', alice)
    entered.tell('#account', alice, { active: true })
    await entered.write(alice, 'after')
    left.tell('#account', alice, { active: false, status: 'deactivated' })
    left.tell('#account', alice, { active: false, status: 'deleted' })
    left.tell('#account', bob, { active: false, status: 'deactivated' })
    left.tell('#account', bob, { active: false, status: 'deleted' })
    await given.stored(alice, 'after')
    await until(async () => (await given.status(bob)) === 'deleted')
    assert.equal(await given.status(alice), null)
    assert.deepEqual(
      (await given.store.rows(`select rkey from "${note}" order by rkey`)).map(({ rkey }) => rkey),
      ['after', 'before', 'before'],
    )
    // Its own host is asked, should there be something to it.
    const [job] = await given.store.rows('select did, reason from job where did = ?', alice.did)
    assert.match(String(job?.reason), /^127\.0\.0\.1:\d+ says that it is \w+, but is not its host\.$/)
  },
)

onOneDatabase('the host that an account has moved to decides', async (engine) => {
  await using given = await open(engine)
  const [left, entered] = await given.hosts()
  const alice = await given.join(1, left)
  await left.write(alice, 'before')
  await given.stored(alice, 'before')
  given.move(alice, entered)
  entered.statuses.set(alice.did, { did: alice.did, active: false, status: 'takendown' })
  entered.tell('#account', alice, { active: false, status: 'takendown' })
  await until(async () => (await given.status(alice)) === 'takendown')
  left.tell('#account', alice, { active: true })
  await left.write(await given.join(2, left), 'later')
  await until(async () => (await given.store.rows(`select 1 from "${note}" where rkey = 'later'`)).length > 0)
  assert.equal(await given.status(alice), 'takendown')
})

onOneDatabase('the own host of an account is asked when another speaks of it', async (engine) => {
  await using given = await open(engine)
  const [left, entered] = await given.hosts()
  const [alice, bob] = [await given.join(1, left), await given.join(2, left)]
  await left.write(alice, 'before')
  await left.write(bob, 'before')
  await given.stored(bob, 'before')
  for (const one of [alice, bob]) given.move(one, entered)
  entered.statuses.set(alice.did, { did: alice.did, active: false, status: 'suspended' })
  left.tell('#account', alice, { active: false, status: 'deleted' })
  // Its new host has never had it either.
  left.tell('#account', bob, { active: false, status: 'deleted' })
  await until(async () => (await given.status(bob)) === 'deleted')
  assert.equal(await given.status(alice), 'suspended')
})

onOneDatabase('a relay hides accounts of any host on its own behalf', async (engine) => {
  await using given = await open(engine)
  const relay = await given.relay()
  const alice = await given.join(1, relay)
  await relay.write(alice, 'before')
  await given.stored(alice, 'before')
  given.move(alice, { url: 'http://127.0.0.1:9' })
  relay.tell('#account', alice, { active: false, status: 'takendown' })
  await until(async () => (await given.status(alice)) === 'takendown')
})

type Host = Awaited<ReturnType<typeof startHost>>

async function open(engine: Engine) {
  const started = new AsyncDisposableStack()
  started.use(liftTimeLimits())
  const directory = started.use(await startDirectory())
  const now = (): bigint => BigInt(Date.now()) * 1_000n
  const store = started.use(await openTestStore({ path: await newUrl(engine), lexicons: [noteLexicon], now }))
  const follow = async (isPds: boolean): Promise<Host> => {
    const host = started.use(await startHost(isPds))
    const stop = new AbortController()
    const pumped = pump(
      firehoseOf(host.url, directory, { name: `firehose:${host.url}` }),
      store.database.write,
      {
        signal: stop.signal,
        log: createIngestLog(() => {}, Date.now),
        flood: (change) => [change],
      },
    )
    started.defer(() => {
      stop.abort()
      return pumped
    })
    await until(() => host.connections.length > 0)
    return host
  }
  const move = ({ did, keypair }: SignedRepo, { url }: Pick<Host, 'url'>): void =>
    directory.add({ did, key: keypair.did(), pds: url })
  return {
    store,
    directory,
    move,
    /** Two PDSes that are followed. */
    hosts: async (): Promise<readonly [left: Host, entered: Host]> => [
      await follow(true),
      await follow(true),
    ],
    relay: () => follow(false),
    join: async (number: number, host: Host) => {
      const repo = await createSignedRepo(didOf(number))
      move(repo, host)
      return repo
    },
    stored: async ({ did }: SignedRepo, rkey: string) => {
      const find = `select 1 from "${note}" t join base on base.id = t.base where base.did = ? and t.rkey = ?`
      await until(async () => (await store.rows(find, did, rkey)).length > 0)
    },
    status: async ({ did }: SignedRepo) =>
      (await store.rows('select status from actor where did = ?', did))[0]?.status,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

async function startHost(isPds: boolean) {
  /** What `getRepoStatus` answers; null: that it cannot. */
  const statuses = new Map<string, object | null>()
  const host = await startFakeFirehose({
    respond: ({ pathname, searchParams }, response) => {
      if (isPds && pathname === '/xrpc/com.atproto.server.describeServer')
        return response.end(JSON.stringify({ did: 'did:web:pds.test', availableUserDomains: [] }))
      const status = statuses.get(searchParams.get('did') ?? '')
      if (!isPds || status === null) return response.writeHead(404).end()
      if (status !== undefined) return response.end(JSON.stringify(status))
      response.writeHead(400).end(JSON.stringify({ error: 'RepoNotFound' }))
    },
  })
  return {
    ...host,
    statuses,
    tell: (t: string, { did }: SignedRepo, body: object = {}): void =>
      host.send(frameOf(t, { seq: host.frames.length + 1, did, time: new Date().toISOString(), ...body })),
  }
}
