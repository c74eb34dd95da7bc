/** What a PostgreSQL database may have next to our own tables. */
import assert from 'node:assert/strict'
import { fill, line, open, size, thing } from '../../../../test/support/records/things.ts'
import { onUntimedPostgres } from '../../../../test/support/store/databases.ts'
import { content, run } from '../../../../test/support/store/postgres-layout.ts'
import { postgresUrl as empty } from '../../../../test/support/store/postgres.ts'
import { openReadDatabase } from '../../open.ts'

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
