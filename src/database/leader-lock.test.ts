import assert from 'node:assert/strict'
import { newUrl, onNotes, assertOutcome } from '../../test/support/store/note-stores.ts'
import { once } from 'node:events'
import { onPostgres } from '../../test/support/store/databases.ts'
import { line } from '../../test/support/records/note-lines.ts'
import { openNotes } from '../../test/support/records/notes.ts'
import { startCluster } from '../../test/support/store/postgres.ts'
import { type TestStore } from '../../test/support/store/store.ts'
import { until } from '../../test/support/until.ts'
import { DatabaseBusyError, type LeaderLock } from './database.ts'

onNotes('who leads writes as anybody does', async (store) => {
  await using leaderLock = await acquireLeaderLock(store)
  await assertOutcome(leaderLock.applyBatch([store.change(line('a'))]), { stored: 1 })
  await leaderLock.metadata.writeState('a source', 'live', null, 0)
  await assertOutcome(store.apply(line('a')), { unchanged: 1 })
  assert.equal(leaderLock.lost.aborted, false)
})

onPostgres('one leads at a time, and whoever waits is next', async () => {
  const url = await newUrl('postgres')
  await using store = await openNotes(url)
  await using other = await openNotes(url)
  const first = await acquireLeaderLock(store)
  const told: string[] = []
  const tired = new AbortController()
  const inVain = other.database.write.leaderLock({ signal: tired.signal, onWaiting: (why) => told.push(why) })
  await until(() => told.length > 0)
  tired.abort()
  assert.equal(await inVain, null)
  const next = acquireLeaderLock(other, told)
  // It is heard of though it writes nothing.
  const [start] = await store.rows(signsOfLife)
  await until(async () => (await store.rows(signsOfLife))[0]?.at !== start?.at)
  await first[Symbol.asyncDispose]()
  await using _second = await next
  assert.deepEqual(told, Array(2).fill('another process follows the sources.'))
  assert.equal(first.lost.aborted, true)
})

onPostgres('who has lost the connection that leads writes nothing before it leads again', async () => {
  await using store = await openNotes(await newUrl('postgres'))
  const change = store.change(line('a'))
  {
    await using leaderLock = await acquireLeaderLock(store)
    const lost = once(leaderLock.lost, 'abort')
    await store.rows(`select pg_terminate_backend(pid) ${leader}`)
    await lost
    for (const work of [
      () => leaderLock.applyBatch([change]),
      () => leaderLock.metadata.writeState('a source', 'live', null, 0),
      () => leaderLock.load(inOne([change])),
    ])
      await assert.rejects(work, DatabaseBusyError)
  }
  await using leaderLock = await acquireLeaderLock(store)
  await assertOutcome(leaderLock.applyBatch([change]), { stored: 1 })
})

onPostgres('a lead that is lost in the middle of its writing leaves nothing of that', async () => {
  await using store = await openNotes(await newUrl('postgres'))
  await using leaderLock = await acquireLeaderLock(store)
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // A load of an empty database is one transaction.
  const loading = leaderLock.load(
    (async function* () {
      yield [store.change(line('a'))]
      held.resolve()
      await release.promise
      yield [store.change(line('b'))]
    })(),
  )
  await held.promise
  await store.rows(`select pg_terminate_backend(pid) ${leader}`)
  await until(() => leaderLock.lost.aborted)
  release.resolve()
  await assert.rejects(loading, DatabaseBusyError)
  assert.deepEqual(await store.rows('select * from "org.example.note"'), [])
})

onPostgres('a server that is away is waited for', async () => {
  await using cluster = await startCluster()
  await using store = await openNotes(cluster.url)
  const leaderLock = await acquireLeaderLock(store)
  await cluster.stop('fast')
  await until(() => leaderLock.lost.aborted)
  await leaderLock[Symbol.asyncDispose]()
  const told: string[] = []
  const next = acquireLeaderLock(store, told)
  await until(() => told.length > 0)
  await cluster.start()
  await using again = await next
  assert.match(told[0] ?? '', /^The server at \S+ cannot be reached \(ECONNREFUSED\)/)
  await assertOutcome(again.applyBatch([store.change(line('a'))]), { stored: 1 })
})

const leader = `from pg_locks join pg_database on pg_database.oid = pg_locks.database
  where locktype = 'advisory' and classid = 1282950002 and objid = 3 and granted and datname = current_database()`

const signsOfLife = `select query_start::text as at from pg_stat_activity where pid = (select pid ${leader})`

async function acquireLeaderLock({ database }: TestStore, told: string[] = []): Promise<LeaderLock> {
  const { signal } = new AbortController()
  const leaderLock = await database.write.leaderLock({ signal, onWaiting: (why) => told.push(why) })
  assert.ok(leaderLock !== null)
  return leaderLock
}

async function* inOne<Value>(values: readonly Value[]): AsyncGenerator<readonly Value[]> {
  yield values
}
