import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Json } from '../../../../test/reference/shapes.ts'
import { onPostgres } from '../../../../test/support/store/databases.ts'
import type { StoredLine } from '../../../../test/support/service/engine.ts'
import { type FreshDatabase, freshDatabase } from '../../../../test/support/store/postgres.ts'
import { connected, content, layout, run } from '../../../../test/support/store/postgres-layout.ts'
import { openTestStore, type TestStore } from '../../../../test/support/store/store.ts'
import { fill, line, open, size, thing, thingUri } from '../../../../test/support/records/things.ts'
import { until } from '../../../../test/support/until.ts'
import { openReadDatabase } from '../../open.ts'
import type { RebuildProgress } from '../../rebuild/rebuild-progress.ts'
import { RebuildConflictError } from '../../refusals.ts'
import { schemaVersion } from './ddl.ts'

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const table = 'lexigraph_records."org.example.thing"'

const kept: FreshDatabase[] = []
after(() => Promise.all(kept.map((database) => database[Symbol.asyncDispose]())))

onPostgres('an empty database is laid out as its lexicons say, ready to be read', async () => {
  await using store = await open(await empty(), [thing(size), thing({}, 'org.example.other')])
  const state = await store.database.read.readPlanState()
  assert.deepEqual(state, { version: 1, ordered: new Set(), hiding: false })
  assert.deepEqual(await store.apply(line('a', { size: 1 })), { ...nothing, stored: 1 })
})

onPostgres('opening a database whose lexicons have not changed writes nothing', async () => {
  const url = await empty()
  await fill(url, [thing(size)], [line('a', { size: 1 })])
  const before = await content(url)
  await (await open(url, [thing(size)]))[Symbol.asyncDispose]()
  assert.deepEqual(await content(url), before)
})

onPostgres('a property that is new to the lexicon is filled in from the kept records', async () => {
  const url = await empty()
  const lines = [line('a', { size: 1, tags: ['x', 'y'], text: 'Größe' }), line('b', { size: 2 })]
  await fill(url, [thing(size)], lines)
  const tags = { type: 'array', items: { type: 'string', maxLength: 20 } }
  const text = { type: 'string', maxGraphemes: 100, maxLength: 1000 }
  await using store = await open(url, [thing({ ...size, tags, text })])
  const rows = await store.rows(
    'select rkey, ".size" as size, ".text:folded" as text from "org.example.thing"',
  )
  assert.deepEqual(rows, [
    { rkey: 'a', size: 1, text: 'große' },
    { rkey: 'b', size: 2, text: null },
  ])
  assert.deepEqual(
    await store.rows('select value, rkey from "org.example.thing/tags" join "org.example.thing" using (id)'),
    [
      { value: 'x', rkey: 'a' },
      { value: 'y', rkey: 'a' },
    ],
  )
})

onPostgres('records that no longer fit are kept as refused, the others are served', async () => {
  const url = await empty()
  await fill(url, [thing({ size: { type: 'unknown' } })], [line('a', { size: { n: 1 } }), line('b', {})])
  await using store = await open(url, [thing(size)])
  assert.deepEqual(await store.rows('select rkey from "org.example.thing"'), [{ rkey: 'b' }])
  const [refused] = await store.rows('select source, uri, reason, record from rejection')
  const line_ = JSON.parse(String(refused?.record))
  assert.deepEqual(
    [refused?.source, refused?.uri, refused?.reason, line_.uri, line_.value.size],
    ['rebuild', thingUri('a'), 'invalid-record', thingUri('a'), { n: 1 }],
  )
  assert.match(line_.cid, /^bafyrei/)
  assert.match(line_.indexedAt, /Z$/)
})

onPostgres('a rebuild keeps CIDs, revisions and both moments', async () => {
  const url = await empty()
  const select = `select rkey, did, cid, rev, indexed_at, changed_at, record from "org.example.thing" order by rkey`
  let before: unknown
  {
    await using store = await open(url, [thing(size)])
    await store.apply(line('b', { size: 1 }, { rev: '3kaaaaaaaaa22', indexedAt: '2026-01-02T00:00:00Z' }))
    await store.apply(line('a', { size: 2 }, { indexedAt: '2026-01-01T00:00:00.000001Z' }))
    await store.apply(line('b', { size: 3 }, { rev: '3kbbbbbbbbb22' }))
    before = await store.rows(select)
  }
  await using store = await open(url, [thing({ ...size, more: { type: 'boolean' } })])
  assert.deepEqual(await store.rows(select), before)
  assert.equal((await store.database.read.readPlanState()).version, 2)
})

onPostgres('more records than are fetched at once are all there after a rebuild', async () => {
  const url = await empty()
  const lines = Array.from({ length: 2500 }, (_, n) => line(`k${n}`, { size: n }))
  await fill(url, [thing({})], lines)
  await using store = await open(url, [thing(size)])
  assert.deepEqual(
    await store.rows(
      'select count(*) as n, sum(".size")::bigint as sum, min(id) as first from "org.example.thing"',
    ),
    [{ n: 2500, sum: (2499 * 2500) / 2, first: 1 }],
  )
})

onPostgres('a collection whose lexicon goes away and comes back has its records', async () => {
  const url = await empty()
  const other = thing(size, 'org.example.other')
  const lines = [line('a', { size: 1 }), line('o', { size: 2 }, {}, 'org.example.other')]
  await fill(url, [thing(size), other], lines)
  await fill(url, [thing(size)], [line('b', { size: 3 })])
  // Once more, so that it is carried over from one that did not serve it.
  await fill(url, [thing({})], [])
  await using store = await open(url, [
    thing(size),
    thing({ ...size, b: { type: 'boolean' } }, 'org.example.other'),
  ])
  assert.deepEqual(await store.rows('select rkey, ".size" as size from "org.example.other"'), [
    { rkey: 'o', size: 2 },
  ])
  assert.equal((await store.rows('select * from "org.example.thing"')).length, 2)
})

onPostgres('collections whose names differ by case alone are rebuilt side by side', async () => {
  const url = await empty()
  const both = (properties: Json) => [thing(properties, 'org.example.Thing'), thing(properties)]
  await fill(url, both({}), [line('a', { size: 1 }), line('b', { size: 2 }, {}, 'org.example.Thing')])
  await using store = await open(url, both(size))
  const rows = await Promise.all(
    store.tables.map(({ name }) => store.rows(`select rkey, ".size" as size from "${name}"`)),
  )
  assert.deepEqual(rows.flat(), [
    { rkey: 'b', size: 2 },
    { rkey: 'a', size: 1 },
  ])
})

onPostgres('a database that was rebuilt has no leftovers: its layout is that of a new one', async () => {
  const wide = {
    ...size,
    text: { type: 'string', maxGraphemes: 99 },
    tags: { type: 'array', items: { type: 'string' } },
  }
  const [rebuilt, fresh] = [await empty(), await empty()]
  await fill(rebuilt, [thing(wide)], [line('a', { text: 'abc' })])
  await fill(rebuilt, [thing(size)], [])
  await fill(rebuilt, [thing(wide)], [])
  await fill(fresh, [thing(wide)], [])
  assert.deepEqual(await layout(rebuilt), await layout(fresh))
})

onPostgres('a database whose columns were derived by an older program is rebuilt', async () => {
  const url = await empty()
  await fill(url, [thing(size)], [line('a', { size: 7 })])
  await run(url, `update lexigraph.state set derivation = 'older'; update ${table} set ".size" = 99`)
  await using store = await open(url, [thing(size)])
  assert.deepEqual(await store.rows('select ".size" as size from "org.example.thing"'), [{ size: 7 }])
  assert.equal((await store.database.read.readPlanState()).version, 2)
})

onPostgres('a rebuild that fails changes nothing', async () => {
  const url = await empty()
  await fill(url, [thing(size)], [line('a', { size: 7 })])
  await run(url, `update ${table} set cid = 'none'`)
  const before = await content(url)
  await assert.rejects(open(url, [thing({})]))
  assert.deepEqual(await content(url), before)
})

onPostgres('a rebuild leaves what is kept beside the records as it is', async () => {
  const url = await empty()
  const beside = ['source', 'job', 'listing', 'tombstone', 'outcome', 'rejection', 'base', 'api_key']
  const rowsOf = (store: TestStore) =>
    Array.fromAsync(beside, async (name) => [name, await store.rows(`select * from ${name} order by 1`)])
  let before: unknown
  {
    await using store = await open(url, [thing(size)])
    const { metadata } = store.database.write
    const collection = 'org.example.thing'
    const deletion = { kind: 'delete', did, collection, rkey: 'z', rev: '3kaaaaaaaaa22' } as const
    await store.database.write.applyBatch(
      [store.change(line('a', { size: 1 })), deletion, store.change(line('b', { size: '' }))],
      { source: 'live', cursor: '7', eventAt: 1n },
    )
    await metadata.addJobs('backfill', [{ did, host: 'https://host', reason: 'all' }], {
      target: 'https://host',
      cursor: 'p',
      done: false,
    })
    await metadata.addKey({ id: 'k', name: 'n', tier: 't' }, 'h')
    before = await rowsOf(store)
  }
  await using store = await open(url, [thing({ ...size, more: { type: 'boolean' } })])
  assert.deepEqual(await rowsOf(store), before)
  assert.equal((await store.rows('select * from "org.example.thing"')).length, 1)
})

onPostgres(
  'rows of hidden accounts wait outside of the new tables, those of deleted ones are gone',
  async () => {
    const url = await empty()
    const at = (who: string, key: string): StoredLine => ({
      uri: `at://${who}/org.example.thing/${key}`,
      value: { $type: 'org.example.thing' },
    })
    const [hidden, deleted] = ['did:web:hidden.example', 'did:web:deleted.example']
    {
      await using store = await open(url, [thing({})])
      await store.apply(at(did, 'a'), at(hidden, 'b'), at(deleted, 'c'))
      const change = { kind: 'account', active: false, eventAt: 1n } as const
      await store.database.write.applyBatch([
        { ...change, did: hidden, status: 'takendown' },
        { ...change, did: deleted, status: 'deleted' },
      ])
    }
    await using store = await open(url, [thing(size)])
    assert.deepEqual(await store.rows('select rkey from "org.example.thing"'), [{ rkey: 'a' }])
    assert.deepEqual(await store.rows('select rkey, id from parked'), [{ rkey: 'b', id: null }])
    assert.ok(!(await store.database.read.readPlanState()).hiding)
  },
)

onPostgres(
  'until a rebuild is committed everybody reads what was there before, and nobody waits',
  async () => {
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
    await assert.rejects(reader.database.read.readPlanState(), /other lexicons; restart/)
    await assert.rejects(reader.apply(line('d', {})), /rebuilt for other lexicons/)
  },
)

onPostgres('whoever reads in a loop while tables are rebuilt never fails', async () => {
  const url = await empty()
  await using reader = await open(url, [thing(size)])
  await reader.load(Array.from({ length: 1000 }, (_, n) => line(`k${n}`, { size: n })))
  const tags = { type: 'array', items: { type: 'string' } }
  const state = { done: false }
  const rebuilding = open(url, [thing({ ...size, tags })]).finally(() => (state.done = true))
  const counts = new Set<unknown>()
  while (!state.done) {
    const [row] = await reader.rows(
      'select count(*) as n, sum(".size")::bigint as sum from "org.example.thing"',
    )
    counts.add(JSON.stringify(row))
  }
  await (await rebuilding)[Symbol.asyncDispose]()
  assert.deepEqual([...counts], [JSON.stringify({ n: 1000, sum: 499_500 })])
})

onPostgres(
  'what is read while the tables change names is read to its end, and the old tables go afterwards',
  async () => {
    const url = await empty()
    await fill(url, [thing(size)], [line('a', { size: 1 })])
    await using holder = await connected(url)
    await holder.query(`begin; declare rows cursor for select rkey from ${table}`)
    await (await open(url, [thing({})]))[Symbol.asyncDispose]()
    assert.deepEqual((await holder.query('fetch 1 from rows')).rows, [{ rkey: 'a' }])
    const schemas = `select nspname from pg_namespace where nspname like 'lexigraph%' order by 1`
    // What notes changes in the old tables goes with them.
    assert.equal((await holder.query(schemas)).rows.length, 4)
    await holder.query('commit')
    await (await open(url, [thing({})]))[Symbol.asyncDispose]()
    assert.deepEqual((await holder.query(schemas)).rows, [
      { nspname: 'lexigraph' },
      { nspname: 'lexigraph_records' },
    ])
  },
)

onPostgres(
  'a table that is to be kept is moved between the statements of those who still read it',
  async () => {
    const url = await empty()
    const other = thing(size, 'org.example.other')
    await using reader = await open(url, [thing(size), other])
    await reader.apply(line('o', { size: 2 }, {}, 'org.example.other'))
    await using holder = await connected(url)
    const read = 'select rkey from lexigraph_records."org.example.other"'
    await holder.query(`begin; ${read}`)
    const rebuilding = open(url, [thing(size)])
    await until(async () => (await waiting(url, 'alter table')) === 1)
    // Whoever comes after the one that waits would wait with it, if it did not give way.
    assert.deepEqual(await reader.rows(read), [{ rkey: 'o' }])
    await holder.query('commit')
    await (await rebuilding)[Symbol.asyncDispose]()
    assert.deepEqual((await holder.query(read)).rows, [{ rkey: 'o' }])
  },
)

onPostgres('of those that start at once, one lays the database out and the others go on', async () => {
  const url = await empty()
  const stores = await Promise.all([1, 2, 3].map(() => open(url, [thing(size)])))
  for (const [index, store] of stores.entries()) await store.apply(line(`k${index}`, { size: index }))
  for (const store of stores) {
    assert.equal((await store.rows('select * from "org.example.thing"')).length, 3)
    assert.equal((await store.database.read.readPlanState()).version, 1)
  }
  for (const store of stores) await store[Symbol.asyncDispose]()
})

onPostgres('of those that start at once with new lexicons, one rebuilds and the others go on', async () => {
  const url = await empty()
  await fill(url, [thing({})], [line('a', { size: 1 })])
  const stores = await Promise.all([1, 2, 3].map(() => open(url, [thing(size)])))
  for (const store of stores) {
    assert.deepEqual(await store.rows('select ".size" as size from "org.example.thing"'), [{ size: 1 }])
    assert.equal((await store.database.read.readPlanState()).version, 2)
    await store[Symbol.asyncDispose]()
  }
})

onPostgres(
  'while one rebuilds, the same lexicons wait with its progress and others are refused',
  async () => {
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
  },
)

onPostgres('only to read, a database is neither laid out nor rebuilt', async () => {
  const url = await empty()
  const read = () => openReadDatabase(url, { fingerprint: 'any', now: () => 0n })
  const before = await content(url)
  await assert.rejects(read, /^Error: it is empty\. `lexigraph import FILE…` fills it\.$/)
  assert.deepEqual(await content(url), before)
  await fill(url, [thing(size)], [line('a', { size: 1 })])
  const filled = await content(url)
  await assert.rejects(read, /^BuiltElsewiseError: it was built with other lexicons or by another version\./)
  assert.deepEqual(await content(url), filled)
})

onPostgres('a database of a newer version is refused and left alone', async () => {
  const url = await empty()
  await fill(url, [thing(size)], [])
  await run(url, 'update lexigraph.state set schema_version = 99')
  await refused(
    url,
    `The database has schema version 99; this program knows versions up to ${schemaVersion}. Use a newer lexigraph.`,
  )
})

onPostgres('a database of an older version is refused and left alone', async () => {
  const url = await empty()
  await fill(url, [thing(size)], [])
  await run(url, 'update lexigraph.state set schema_version = 1')
  await refused(
    url,
    `The database has schema version 1; this program knows only version ${schemaVersion}. Name an empty database, and fill it with \`lexigraph import\` or \`lexigraph restore\`.`,
  )
})

onPostgres(
  'a process that may not rebuild leaves a database of other lexicons as it is, and opens one of the same',
  async () => {
    const url = await empty()
    await fill(url, [thing(size)], [line('a', { size: 7 })])
    const passing = (properties: Json) =>
      openTestStore({ path: url, lexicons: [thing(properties)], rebuild: 'never' })
    const before = await content(url)
    await assert.rejects(
      passing({}),
      /^BuiltElsewiseError: it was built with other lexicons or by another version\./,
    )
    assert.deepEqual(await content(url), before)
    await (await passing(size))[Symbol.asyncDispose]()
  },
)

onPostgres('a database with tables of something else is refused and left alone', async () => {
  for (const statements of [
    'create table t (x int)',
    'create schema s; create view s.v as select 1',
    'create schema lexigraph; create table lexigraph.anything (x int)',
    'create schema lexigraph; create table lexigraph.state (id int)',
  ]) {
    const url = await empty()
    await run(url, statements)
    const name = new URL(url).pathname.slice(1)
    await refused(
      url,
      `The database "${name}" has tables of another program. Name an empty database with --database.`,
    )
  }
})

onPostgres('schemas and an extension that an administrator has made are used as they are', async () => {
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

onPostgres('beside our own, anybody may add tables later', async () => {
  const url = await empty()
  await fill(url, [thing(size)], [line('a', { size: 1 })])
  await run(url, 'create table mine (x int)')
  await using store = await open(url, [thing({})])
  assert.equal((await store.rows('select * from "org.example.thing"')).length, 1)
})

const nothing = {
  stored: 0,
  updated: 0,
  unchanged: 0,
  older: 0,
  rejected: 0,
  deleted: 0,
  withheld: 0,
  purged: 0,
  expired: 0,
}

async function empty(): Promise<string> {
  const database = await freshDatabase()
  kept.push(database)
  return database.url
}

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

async function refused(url: string, message: string): Promise<void> {
  const before = await content(url)
  await assert.rejects(open(url, [thing(size)]), { message })
  await assert.rejects(openReadDatabase(url, { fingerprint: 'any', now: () => 0n }), { message })
  assert.deepEqual(await content(url), before)
}
