/** How a database is laid out, and which are left alone: those to be read, of another version, or of something else. */
import assert from 'node:assert/strict'
import type { Json } from '../../../../test/reference/shapes.ts'
import { fill, line, open, size, thing } from '../../../../test/support/records/things.ts'
import { onUntimedPostgres } from '../../../../test/support/store/databases.ts'
import { content, run } from '../../../../test/support/store/postgres-layout.ts'
import { postgresUrl as empty } from '../../../../test/support/store/postgres.ts'
import { openTestStore } from '../../../../test/support/store/store.ts'
import { openReadDatabase } from '../../open.ts'
import { schemaVersion } from './ddl.ts'

onUntimedPostgres('an empty database is laid out as its lexicons say, ready to be read', async () => {
  await using store = await open(await empty(), [thing(size), thing({}, 'org.example.other')])
  const state = await store.database.read.readPlanState()
  assert.deepEqual(state, { version: 1, ordered: new Set(), hiding: false })
  assert.deepEqual(await store.apply(line('a', { size: 1 })), { ...nothing, stored: 1 })
})

onUntimedPostgres('opening a database whose lexicons have not changed writes nothing', async () => {
  const url = await empty()
  await fill(url, [thing(size)], [line('a', { size: 1 })])
  const before = await content(url)
  await (await open(url, [thing(size)]))[Symbol.asyncDispose]()
  assert.deepEqual(await content(url), before)
})

onUntimedPostgres('only to read, a database is neither laid out nor rebuilt', async () => {
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

onUntimedPostgres('a database of a newer version is refused and left alone', async () => {
  const url = await empty()
  await fill(url, [thing(size)], [])
  await run(url, 'update lexigraph.state set schema_version = 99')
  await refused(
    url,
    `The database has schema version 99; this program knows versions up to ${schemaVersion}. Use a newer lexigraph.`,
  )
})

onUntimedPostgres('a database of an older version is refused and left alone', async () => {
  const url = await empty()
  await fill(url, [thing(size)], [])
  await run(url, 'update lexigraph.state set schema_version = 1')
  await refused(
    url,
    `The database has schema version 1; this program knows only version ${schemaVersion}. Name an empty database, and fill it with \`lexigraph import\` or \`lexigraph restore\`.`,
  )
})

onUntimedPostgres('a process that may not rebuild leaves a database of other lexicons alone', async () => {
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
})

onUntimedPostgres('a database with tables of something else is refused and left alone', async () => {
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

onUntimedPostgres('beside our own, anybody may add tables later', async () => {
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

async function refused(url: string, message: string): Promise<void> {
  const before = await content(url)
  await assert.rejects(open(url, [thing(size)]), { message })
  await assert.rejects(openReadDatabase(url, { fingerprint: 'any', now: () => 0n }), { message })
  assert.deepEqual(await content(url), before)
}
