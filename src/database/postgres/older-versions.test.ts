/** Databases that older versions laid out. */
import assert from 'node:assert/strict'
import type { Json } from '../../../test/reference/shapes.ts'
import { assertCounts } from '../../../test/support/counts.ts'
import { onPostgres } from '../../../test/support/databases.ts'
import { postgresUrl } from '../../../test/support/postgres.ts'
import { connected, content, layout, run } from '../../../test/support/postgres-layout.ts'
import {
  author,
  book,
  laterReviewLines,
  review,
  reviewLexicons,
  reviewLines,
  reviewReferences,
} from '../../../test/support/reviews.ts'
import { openTestStore } from '../../../test/support/store.ts'
import { assertLeftWithKeys, fill, line, open, size, thing } from '../../../test/support/things.ts'

const table = 'lexigraph_records."org.example.thing"'

onPostgres(
  'a database of the first version gets what the second has and is otherwise left as it is',
  async () => {
    const [url, fresh] = [await postgresUrl(), await postgresUrl()]
    const wide = { ...size, text: { type: 'string', maxGraphemes: 99 } }
    await fill(url, [thing(wide)], [line('a', { size: 7, text: 'abc' }), line('b', {})])
    await run(url, toFirstVersion)
    // Not as it would be derived: that it stays shows that nothing was.
    await run(url, `update ${table} set ".size" = 99 where rkey = 'a'`)
    const before = await derivedFiles(url)
    {
      await using store = await open(url, [thing(wide)])
      assert.deepEqual(await derivedFiles(url), before)
      await assertLeftWithKeys(store)
    }
    await fill(fresh, [thing(wide)], [])
    assert.deepEqual(await layout(url), await layout(fresh))
  },
)

onPostgres(
  'a database of the second or third version has its records counted, also those of who is at work on it',
  async () => {
    const lexicons = [thing({ ...size, at: { type: 'string', format: 'datetime' } })]
    for (const version of [toSecondVersion, withoutMonths]) {
      const url = await postgresUrl()
      await using former = await open(url, lexicons)
      await former.load([
        line('a', { size: 1, at: '1969-12-31T23:59:59Z' }),
        line('b', { at: '0001-01-31T00:00:00Z' }),
        line('c', { at: '9999-12-31T23:59:59Z' }),
        line('d', {}),
      ])
      await run(url, version)
      await using store = await open(url, lexicons)
      await assertCounts(store.database.read, store.tables)
      await former.apply(line('e', { at: '1968-02-29T00:00:00Z' }))
      await assertCounts(store.database.read, store.tables)
    }
  },
)

onPostgres(
  'a database of the third version has its records added up, also those of who is at work on it',
  async () => {
    const [url, fresh] = [await postgresUrl(), await postgresUrl()]
    const given = { lexicons: reviewLexicons, references: reviewReferences }
    await using former = await openTestStore({ path: url, ...given })
    await former.load(reviewLines)
    await run(url, withoutSums)
    await using store = await openTestStore({ path: url, ...given })
    assert.equal((await store.rows(`select * from "${review}/book+author:sums"`)).length, 2)
    await assertCounts(store.database.read, store.tables)
    await former.apply(...laterReviewLines)
    await assertCounts(store.database.read, store.tables)
    await (await openTestStore({ path: fresh, ...given }))[Symbol.asyncDispose]()
    assert.deepEqual(await layout(url), await layout(fresh))
  },
)

onPostgres('a database of the fifth version keeps its keys, which hold as before', async () => {
  const [url, fresh] = [await postgresUrl(), await postgresUrl()]
  await fill(url, [thing(size)], [line('a', { size: 7 })])
  await run(
    url,
    `${withoutErasure} ${withoutKeyColumns} update lexigraph.state set schema_version = 5;
     insert into lexigraph.api_key (id, hash, name, tier, created_at, expires_at) values ('k', 'h', 'n', 'public', 1, 2)`,
  )
  await using store = await open(url, [thing(size)])
  assert.deepEqual(await store.database.read.findKey('h'), {
    id: 'k',
    name: 'n',
    tier: 'public',
    contact: null,
    createdAt: 1n,
    expiresAt: 2n,
    validUntil: null,
    revokedAt: null,
  })
  await fill(fresh, [thing(size)], [])
  assert.deepEqual(await layout(url), await layout(fresh))
})

onPostgres('whoever is at work on the first version goes on while it becomes the second', async () => {
  const url = await postgresUrl()
  await using former = await open(url, [thing(size)])
  await former.load([line('a', { size: 1 })])
  await run(url, toFirstVersion)
  await using holder = await connected(url)
  await holder.query(`begin; select from ${table}; select from lexigraph.base`)
  await (await open(url, [thing(size)]))[Symbol.asyncDispose]()
  await holder.query('commit')
  await former.apply(line('b', { size: 2 }))
  assert.equal((await former.database.read.readPlanState()).version, 1)
  assert.equal((await former.rows('select * from "org.example.thing"')).length, 2)
})

onPostgres('a database of the first version is rebuilt when its lexicons are others too', async () => {
  const url = await postgresUrl()
  await fill(url, [thing({})], [line('a', { size: 7 })])
  await run(url, toFirstVersion)
  await using store = await open(url, [thing(size)])
  assert.deepEqual(await store.rows('select ".size" as size from "org.example.thing"'), [{ size: 7 }])
  assert.deepEqual(await store.database.read.readKeys(), [])
})

onPostgres(
  'whoever may not rebuild leaves a database of other lexicons as it is, and opens one of the same',
  async () => {
    const url = await postgresUrl()
    await fill(url, [thing(size)], [line('a', { size: 7 })])
    const passing = (properties: Json) =>
      openTestStore({ path: url, lexicons: [thing(properties)], rebuild: 'never' })
    for (const statements of ['', toFirstVersion]) {
      await run(url, statements)
      const before = await content(url)
      await assert.rejects(
        passing({}),
        /^BuiltElsewiseError: it was built with other lexicons or by another version\./,
      )
      assert.deepEqual(await content(url), before)
      await (await passing(size))[Symbol.asyncDispose]()
    }
  },
)

/** Without what was added since. */
const withoutKeyColumns = 'alter table lexigraph.api_key drop column contact, drop column valid_until;'
const withoutErasure =
  'alter table lexigraph.source drop column public_name; drop table lexigraph.key_usage; drop table lexigraph.purge, lexigraph.expired; drop index lexigraph.parked_age, lexigraph.rejection_age;'
const withoutServed = `${withoutErasure} ${withoutKeyColumns} alter table lexigraph.collection drop column served;`
const withoutMonths = `${withoutServed} drop table lexigraph_records."org.example.thing/indexed_at:month";
  drop table if exists lexigraph_records."org.example.thing/.at:month";
  update lexigraph.state set schema_version = 3;`
const withoutSums = `${withoutServed} ${[author, book, review].map((name) => `drop function lexigraph_records."${name}/sum" cascade;`).join(' ')}
  drop table lexigraph_records."${review}/book+author:sums", lexigraph_records."${review}/by+book:sums",
    lexigraph_records."${review}/by+home:sums", lexigraph_records."${book}/author+home:sums",
    lexigraph_records."${book}/best+by:sums";
  update lexigraph.state set schema_version = 3;`
const toSecondVersion = `${withoutMonths} drop function lexigraph_records."org.example.thing/count" cascade;
  drop table lexigraph_records."org.example.thing/:count", lexigraph_records."org.example.thing/base:count",
    lexigraph_records."org.example.thing/indexed_at:count";
  drop table if exists lexigraph_records."org.example.thing/.at:count";
  update lexigraph.state set schema_version = 2;`
const toFirstVersion = `${toSecondVersion} drop table lexigraph.api_key, lexigraph.hiding, lexigraph.rate_limit;
  update lexigraph.state set schema_version = 1`

/** Which table, index and file each derived relation is, as long as nobody makes it anew. */
async function derivedFiles(url: string): Promise<unknown> {
  await using client = await connected(url)
  const { rows } = await client.query(
    `select oid, relname, relfilenode from pg_class where relnamespace = 'lexigraph_records'::regnamespace and relname not like '%:count%'
       and relname not like '%:month%' order by 1`,
  )
  assert.ok(rows.length > 3)
  return rows
}
