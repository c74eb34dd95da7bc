/** What a PostgreSQL database may have next to our own tables, and rebuilds while others read or start. */
import assert from 'node:assert/strict'
import { fill, line, open, size, thing } from '../../../../test/support/records/things.ts'
import { onUntimedPostgres } from '../../../../test/support/store/databases.ts'
import { content, run, connected } from '../../../../test/support/store/postgres-layout.ts'
import { postgresUrl as empty } from '../../../../test/support/store/postgres.ts'
import { openReadDatabase } from '../../open.ts'
import { openTestStore } from '../../../../test/support/store/store.ts'
import { until } from '../../../../test/support/until.ts'
import type { RebuildProgress } from '../../rebuild/rebuild-report.ts'
import { RebuildConflictError } from '../../refusals.ts'

onUntimedPostgres('only to read, a database is not laid out', async () => {
  const url = await empty()
  const before = await content(url)
  const reading = openReadDatabase(url, { fingerprint: 'any', now: () => 0n })
  await assert.rejects(reading, /^Error: it is empty\. `lexigraph import FILE…` fills it\.$/)
  assert.deepEqual(await content(url), before)
})

onUntimedPostgres('schemas and an extension of an administrator are used as they are', async () => {
  const url = await empty()
  await run(url, 'create schema lexigraph; create schema tools; create extension pg_trgm schema tools')
  const text = { type: 'string', maxGraphemes: 100 }
  await fill(url, [thing({ text })], [line('a', { text: 'abc' })])
  await using store = await open(url, [thing({ text, ...size })])
  assert.deepEqual(
    await store.rows(`select rkey from "org.example.thing" where ".text:folded" like '%bc%'`),
    [{ rkey: 'a' }],
  )
})

onUntimedPostgres('other programs may add tables next to our own later', async () => {
  const url = await empty()
  await fill(url, [thing(size)], [line('a', { size: 1 })])
  await run(url, 'create table mine (x int)')
  await using store = await open(url, [thing({})])
  assert.equal((await store.rows('select * from "org.example.thing"')).length, 1)
})

const table = 'lexigraph_records."org.example.thing"'

onUntimedPostgres('readers see the old tables until a rebuild is committed, and do not wait', async () => {
  const url = await empty()
  await using reader = await open(url, [thing(size)])
  await reader.load([line('a', { size: 1 })])
  await using holder = await connected(url)
  // The last thing that a rebuild writes.
  await holder.query('begin; select from lexigraph.state for update')
  const rebuilding = open(url, [thing({})])
  await until(async () => (await waiting(url, 'update state')) === 1)
  assert.deepEqual(await reader.rows('select rkey, ".size" as size from "org.example.thing"'), [
    { rkey: 'a', size: 1 },
  ])
  assert.equal((await reader.database.read.readPlanState()).version, 1)
  await holder.query('commit')
  await using store = await rebuilding
  assert.equal((await store.database.read.readPlanState()).version, 2)
  await assert.rejects(reader.database.read.readPlanState(), /rebuilt for other lexicons/)
  await assert.rejects(reader.apply(line('d', {})), /rebuilt for other lexicons/)
})

onUntimedPostgres('a reader finishes while tables are renamed, and the old ones go then', async () => {
  const url = await empty()
  await fill(url, [thing(size)], [line('a', { size: 1 })])
  await using holder = await connected(url)
  await holder.query(`begin; declare rows cursor for select rkey from ${table}`)
  await (await open(url, [thing({})]))[Symbol.asyncDispose]()
  assert.deepEqual((await holder.query('fetch 1 from rows')).rows, [{ rkey: 'a' }])
  const schemas = `select nspname from pg_namespace where nspname like 'lexigraph%' order by 1`
  assert.equal((await holder.query(schemas)).rows.length, 4)
  await holder.query('commit')
  await (await open(url, [thing({})]))[Symbol.asyncDispose]()
  assert.deepEqual((await holder.query(schemas)).rows, [
    { nspname: 'lexigraph' },
    { nspname: 'lexigraph_records' },
  ])
})

onUntimedPostgres('a table that is kept is moved between the statements of its readers', async () => {
  const url = await empty()
  const other = thing(size, 'org.example.other')
  await using reader = await open(url, [thing(size), other])
  await reader.apply(line('o', { size: 2 }, {}, 'org.example.other'))
  await using holder = await connected(url)
  const read = 'select rkey from lexigraph_records."org.example.other"'
  await holder.query(`begin; ${read}`)
  const rebuilding = open(url, [thing(size)])
  await until(async () => (await waiting(url, 'alter table')) === 1)
  // The rebuild gives up its place in the queue for the lock, or later readers would wait behind it.
  assert.deepEqual(await reader.rows(read), [{ rkey: 'o' }])
  await holder.query('commit')
  await (await rebuilding)[Symbol.asyncDispose]()
  assert.deepEqual((await holder.query(read)).rows, [{ rkey: 'o' }])
})

onUntimedPostgres('of those that start at once, one lays out or rebuilds, and the others go on', async () => {
  for (const version of [1, 2]) {
    const url = await empty()
    if (version === 2) await fill(url, [thing({})], [line('a', { size: 1 })])
    const stores = await Promise.all([1, 2, 3].map(() => open(url, [thing(size)])))
    for (const [index, store] of stores.entries()) await store.apply(line(`k${index}`, { size: index }))
    for (const store of stores) {
      const rows = await store.rows('select rkey from "org.example.thing" where ".size" is not null')
      assert.equal(rows.length, 2 + version)
      assert.equal((await store.database.read.readPlanState()).version, version)
    }
    for (const store of stores) await store[Symbol.asyncDispose]()
  }
})

onUntimedPostgres('during a rebuild the same lexicons wait, and others are refused', async () => {
  const url = await empty()
  await fill(url, [thing({})], [line('a', { size: 1 })])
  await using holder = await connected(url)
  // The last thing that a rebuild writes.
  await holder.query('begin; select from lexigraph.state for update')
  const rebuilding = open(url, [thing(size)])
  await until(async () => (await waiting(url, 'update state')) === 1)
  await assert.rejects(open(url, [thing({ ...size, more: { type: 'boolean' } })]), RebuildConflictError)
  const progress: RebuildProgress[] = []
  const waits = openTestStore({ path: url, lexicons: [thing(size)], onProgress: (it) => progress.push(it) })
  await until(() => progress.length > 0)
  assert.deepEqual(progress[0]?.collections, [
    { collection: 'org.example.thing', done: 1, total: 1, isComplete: true },
  ])
  await holder.query('commit')
  for (const store of await Promise.all([rebuilding, waits])) {
    assert.equal((await store.database.read.readPlanState()).version, 2)
    await store[Symbol.asyncDispose]()
  }
})

/** How many statements like that wait for a lock in this database; within a transaction that would not change. */
async function waiting(url: string, statement: string): Promise<number> {
  await using client = await connected(url)
  const { rows } = await client.query(
    `select pid from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
    [`${statement}%`],
  )
  return rows.length
}
