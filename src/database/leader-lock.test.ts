import assert from 'node:assert/strict'
import { newUrl, assertOutcome } from '../../test/support/store/note-stores.ts'
import { once } from 'node:events'
import { onPostgres } from '../../test/support/store/databases.ts'
import { line } from '../../test/support/records/note-lines.ts'
import { openNotes } from '../../test/support/records/notes.ts'
import type { TestStore } from '../../test/support/store/store.ts'
import { until } from '../../test/support/until.ts'
import { DatabaseBusyError, type LeaderLock } from './database.ts'

onPostgres('one leads at a time, and the one that waits is next', async () => {
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
  await until(() => told.length > 1)
  // It is heard of though it writes nothing.
  const [start] = await store.rows(signsOfLife)
  await until(async () => (await store.rows(signsOfLife))[0]?.at !== start?.at)
  await first[Symbol.asyncDispose]()
  await using _second = await next
  assert.deepEqual(told, Array(2).fill('another process follows the sources.'))
  assert.equal(first.lost.aborted, true)
})

onPostgres('a leader that has lost its connection writes nothing before it leads again', async () => {
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
