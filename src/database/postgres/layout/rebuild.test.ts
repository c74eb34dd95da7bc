/** When the lexicons change, every stored record is in the tables that are derived from the new lexicons. */
import assert from 'node:assert/strict'
import type { Json } from '../../../../test/reference/shapes.ts'
import { fill, line, open, size, thing, thingUri } from '../../../../test/support/records/things.ts'
import type { StoredLine } from '../../../../test/support/service/engine.ts'
import { onPostgres } from '../../../../test/support/store/databases.ts'
import { content, layout, run } from '../../../../test/support/store/postgres-layout.ts'
import { postgresUrl as empty } from '../../../../test/support/store/postgres.ts'
import type { TestStore } from '../../../../test/support/store/store.ts'

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const table = 'lexigraph_records."org.example.thing"'

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
    const { metadata } = store
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
