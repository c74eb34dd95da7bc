import assert from 'node:assert/strict'
import { type Counts, createCounts } from '../../src/server/admission/limits/counts.ts'
import { createLimiter, type Limiter } from '../../src/server/admission/limits/limiter.ts'
import { createPostgresPoints } from '../../src/server/admission/limits/postgres-points.ts'
import { RateStore } from '../../src/database/postgres/rate-store.ts'
import { someCaller } from '../support/service/callers.ts'
import { onPostgres } from '../support/store/databases.ts'
import { noteLexicons } from '../support/records/notes.ts'
import { freshDatabase, startCluster } from '../support/store/postgres.ts'
import { openTestStore } from '../support/store/store.ts'
import { patience, until } from '../support/until.ts'

onPostgres('nodes that share a database grant exactly what a tier has', async () => {
  await using database = await freshDatabase()
  await layOut(database.url)
  await using first = node(database.url)
  await using second = node(database.url)
  const caller = someCaller({ pointsPerMinute: 1_200 })
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

onPostgres('a node that was held up grants nothing that others have spent', async () => {
  await using database = await freshDatabase()
  await layOut(database.url)
  await using heldUp = node(database.url, 1_000)
  await heldUp.connected()
  await using other = node(database.url)
  const callers = ['key:1', 'key:2', 'key:3', 'key:4'].map((id) => someCaller({ id, pointsPerMinute: 1_200 }))
  for (const caller of callers) assert.equal((await other.limiter.spend(caller, 1_000))?.granted, true)
  assert.equal((await heldUp.limiter.spend(someCaller({ id: 'key:other' }), 1))?.granted, true)
  // One after the other: only the first is on its way when nothing moves any more.
  const spent = callers.map((caller) => heldUp.limiter.spend(caller, 600))
  await new Promise((resolve) => setImmediate(resolve))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
  const granted = (await Promise.all(spent)).map((allowance) => allowance?.granted)
  assert.deepEqual(granted, [false, false, false, false])
  assert.deepEqual(heldUp.notices, [])
})

onPostgres('while the database is down a node counts by itself, and says so once', async () => {
  await using cluster = await startCluster()
  await layOut(cluster.url)
  await using one = node(cluster.url)
  const caller = someCaller({ pointsPerMinute: 100 })
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

onPostgres('a node whose user may only read counts by itself', async () => {
  await using cluster = await startCluster()
  await layOut(cluster.url)
  const reader = await cluster.addRole('reader', 'secret')
  await cluster.query('grant usage on schema lexigraph to reader')
  await using one = node(reader)
  const caller = someCaller({ pointsPerMinute: 10 })
  assert.equal((await one.limiter.spend(caller, 10))?.granted, true)
  assert.equal((await one.limiter.spend(caller, 1))?.granted, false)
  assert.match(one.notices.join(), /because the database does not take them: .*reader.*rate_limit/)
})

onPostgres('a node that may write what is spent, and nothing else, counts for all', async () => {
  await using cluster = await startCluster()
  await layOut(cluster.url)
  const reader = await cluster.addRole('reader', 'secret')
  await cluster.query('grant usage on schema lexigraph to reader')
  await cluster.query('grant select, insert, update, delete on lexigraph.rate_limit to reader')
  await using one = node(reader)
  await using other = node(cluster.url)
  const caller = someCaller({ pointsPerMinute: 10 })
  assert.equal((await one.limiter.spend(caller, 10))?.granted, true)
  assert.equal((await other.limiter.spend(caller, 1))?.granted, false)
  assert.deepEqual(one.notices, [])
  await using store = new RateStore(reader)
  await store.removeEnded(Date.now() + 120_000)
  assert.deepEqual(await cluster.query('select key from lexigraph.rate_limit'), [])
})

onPostgres('what ended a minute ago is removed', async () => {
  await using cluster = await startCluster()
  await layOut(cluster.url)
  await using store = new RateStore(cluster.url)
  await using one = node(cluster.url)
  for (const id of ['key:1', 'key:2', 'key:3']) await one.limiter.spend(someCaller({ id }), 1)
  await cluster.query("update lexigraph.rate_limit set expire = expire - 120000 where key < 'key:3'")
  await store.removeEnded(Date.now() - 60_000)
  assert.deepEqual(await cluster.query('select key from lexigraph.rate_limit'), [{ key: 'key:3' }])
})

interface TestNode extends AsyncDisposable {
  readonly limiter: Limiter
  readonly notices: readonly string[]
  /** Resolves when it has a connection. */
  readonly connected: () => Promise<unknown>
}

/** `timeout`: milliseconds after which it counts by itself, which a busy machine must not bring about. */
function node(url: string, timeout = patience): TestNode {
  const store = new RateStore(url, timeout)
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

async function layOut(url: string): Promise<void> {
  await using _store = await openTestStore({ path: url, lexicons: noteLexicons })
}
