import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { type Counts, createCounts } from '../../src/server/admission/limits/counts.ts'
import { createLimiter, type Limiter } from '../../src/server/admission/limits/limiter.ts'
import { createPostgresPoints } from '../../src/server/admission/limits/postgres-points.ts'
import type { Caller } from '../../src/server/admission/tiers.ts'
import { RateStore } from '../../src/database/postgres/rate-store.ts'
import { someCaller } from '../support/service/callers.ts'
import { onPostgres } from '../support/store/databases.ts'
import { noteLexicons } from '../support/records/notes.ts'
import { type Cluster, databases, freshDatabase, startCluster } from '../support/store/postgres.ts'
import { openTestStore } from '../support/store/store.ts'
import { patience, until } from '../support/until.ts'

let cluster: Cluster
before(async () => {
  if (!databases.includes('postgres')) return
  cluster = await startCluster()
  await layOut(cluster.url)
})
after(() => cluster?.[Symbol.asyncDispose]())

onPostgres('nodes that share a database grant exactly what a tier has', async () => {
  await using database = await freshDatabase()
  const caller = someCaller({ pointsPerMinute: 1_200 })
  await layOut(database.url)
  await lastAnHour(database.url, [caller])
  await using first = node(database.url)
  await using second = node(database.url)
  let granted = 0
  const spend = async (limiter: Limiter, points: number): Promise<boolean> => {
    const isGranted = (await limiter.spend(caller, points))?.granted === true
    if (isGranted) granted += points
    assert.ok(granted <= 1_200)
    return isGranted
  }
  for (let wave = 0; wave < 50; wave++)
    await Promise.all([
      spend(first.limiter, 1),
      spend(first.limiter, 1 + (wave % 40)),
      spend(second.limiter, 1),
      spend(second.limiter, 1 + (wave % 7)),
    ])
  await until(async () => {
    await Promise.all([spend(first.limiter, 1), spend(second.limiter, 1)])
    return granted === 1_200
  })
  assert.equal(await spend(first.limiter, 1), false)
  assert.equal(await spend(second.limiter, 1), false)
  assert.deepEqual([...first.notices, ...second.notices], [])
})

onPostgres('a node that was held up grants nothing that others have spent', async (t) => {
  await using database = await freshDatabase()
  const callers = ['key:1', 'key:2', 'key:3', 'key:4'].map((id) => someCaller({ id, pointsPerMinute: 1_200 }))
  await layOut(database.url)
  await lastAnHour(database.url, callers)
  await using heldUp = node(database.url)
  await heldUp.connected()
  await using other = node(database.url)
  for (const caller of callers) assert.equal((await other.limiter.spend(caller, 1_000))?.granted, true)
  assert.equal((await heldUp.limiter.spend(someCaller({ id: 'key:other' }), 1))?.granted, true)
  // Its timers fire, late, before it reads what has arrived meanwhile.
  const clock = performance.now.bind(performance)
  const { timers, method } = t.mock
  timers.enable({ apis: ['setTimeout'] })
  // One after the other: only the first is on its way when nothing moves any more.
  const spent = callers.map((caller) => heldUp.limiter.spend(caller, 600))
  await new Promise((resolve) => setImmediate(resolve))
  Reflect.apply(method, t.mock, [performance, 'now', () => clock() + 2 * patience])
  timers.tick(2 * patience)
  timers.reset()
  const granted = (await Promise.all(spent)).map((allowance) => allowance?.granted)
  assert.deepEqual(granted, [false, false, false, false])
  assert.deepEqual(heldUp.notices, [])
})

onPostgres('a node whose user may only read counts by itself', async () => {
  await using one = node(await reader('reading'))
  const caller = someCaller({ id: 'key:reading', pointsPerMinute: 10 })
  assert.equal((await one.limiter.spend(caller, 10))?.granted, true)
  assert.equal((await one.limiter.spend(caller, 1))?.granted, false)
  assert.match(one.notices.join(), /because the database does not take them: .*reading.*rate_limit/)
})

onPostgres('a node that may write what is spent, and nothing else, counts for all', async () => {
  const url = await reader('counting')
  await cluster.query('grant select, insert, update, delete on lexigraph.rate_limit to counting')
  await using one = node(url)
  await using other = node(cluster.url)
  const caller = someCaller({ id: 'key:counting', pointsPerMinute: 10 })
  await lastAnHour(cluster.url, [caller])
  assert.equal((await one.limiter.spend(caller, 10))?.granted, true)
  assert.equal((await other.limiter.spend(caller, 1))?.granted, false)
  assert.deepEqual(one.notices, [])
  // It gives its refused point back first, which would write the row again after the removal.
  await other.connected()
  await using store = new RateStore(url, patience)
  await store.removeEnded(Date.now() + 2 * hour)
  assert.deepEqual(await cluster.query('select key from lexigraph.rate_limit'), [])
})

onPostgres('what ended a minute ago is removed', async () => {
  await using store = new RateStore(cluster.url, patience)
  const ids = ['key:1', 'key:2', 'key:3']
  await lastAnHour(
    cluster.url,
    ids.map((id) => someCaller({ id })),
  )
  await cluster.query(`update lexigraph.rate_limit set expire = $1 where key in ('key:1', 'key:2')`, [
    Date.now() - 60_001,
  ])
  await store.removeEnded(Date.now() - 60_000)
  assert.deepEqual(await cluster.query('select key from lexigraph.rate_limit'), [{ key: 'key:3' }])
})

onPostgres('while the database is down a node counts by itself, and says so once', async () => {
  const caller = someCaller({ id: 'key:down', pointsPerMinute: 100 })
  await lastAnHour(cluster.url, [caller])
  await using one = node(cluster.url)
  assert.equal((await one.limiter.spend(caller, 60))?.remaining, 40)
  await cluster.kill()
  assert.equal((await one.limiter.spend(caller, 60))?.remaining, 40)
  for (let request = 0; request < 40; request++)
    assert.equal((await one.limiter.spend(caller, 1))?.granted, true)
  assert.equal((await one.limiter.spend(caller, 1))?.granted, false)
  assert.equal(one.notices.length, 1)
  assert.match(one.notices[0] ?? '', /^Points of callers are counted by this node alone, because .+\.$/)
  await cluster.start()
  await until(async () => {
    await one.limiter.spend(someCaller({ id: `key:${Math.random()}` }), 1)
    return one.notices.length >= 2
  })
  assert.equal(one.notices[1], 'Points of callers are counted in the database again.')
})

/** The URL for a role that may read the tables, and no more. */
async function reader(name: string): Promise<string> {
  const url = await cluster.addRole(name, 'secret')
  await cluster.query(`grant usage on schema lexigraph to ${name}`)
  return url
}

interface TestNode extends AsyncDisposable {
  readonly limiter: Limiter
  readonly notices: readonly string[]
  /** Resolves when it has a connection. */
  readonly connected: () => Promise<unknown>
}

function node(url: string): TestNode {
  // A query that takes longer would make it count by itself.
  const store = new RateStore(url, patience)
  const notices: string[] = []
  const points = createPostgresPoints(store, (sentence) => notices.push(sentence))
  const counts: Counts = createCounts(points)
  return {
    limiter: createLimiter(counts),
    notices,
    connected: () =>
      until(() =>
        store.query({ text: 'select 1', values: [] }).then(
          () => true,
          () => false,
        ),
      ),
    async [Symbol.asyncDispose]() {
      points[Symbol.dispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

const hour = 3_600_000

async function layOut(url: string): Promise<void> {
  await using _store = await openTestStore({ path: url, lexicons: noteLexicons })
}

/** The minute in which these callers spend is an hour, so that it does not end during a test. */
async function lastAnHour(url: string, callers: readonly Caller[]): Promise<void> {
  await using store = new RateStore(url, patience)
  for (const { id } of callers)
    await store.query({
      text: 'insert into rate_limit (key, expire) values ($1, $2)',
      values: [id, Date.now() + hour],
    })
}
