import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredLine } from '../../../test/support/engine.ts'
import { found, line } from '../../../test/support/note-lines.ts'
import { openNotes } from '../../../test/support/notes.ts'
import { inPairs, type Row, temporaryFolder, type TestStore } from '../../../test/support/store.ts'
import type { Change } from '../database.ts'

const inFolder = temporaryFolder()

/** Each has words of its own, some beyond ASCII; what no lexicon names makes them long enough for a thread and ten groups of rows. */
const lines = Array.from({ length: 900 }, (_, at): StoredLine => {
  const words = Array.from({ length: 20 }, (__, n) => `Wort${(at * 7919 + n * 104_729) % 10_007} Ünï`)
  const { uri, value } = line(`k${String(at).padStart(4, '0')}`, {
    text: `${words.join(' ')} ${at % 2 === 0 ? 'Gerade' : 'Ungerade'}`,
  })
  const indexedAt = new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString()
  return { uri, indexedAt, value: { ...value, unheardOf: 'x'.repeat(14_000) } }
})

test('what a thread builds beside a load is what the rows would have been indexed to', async () => {
  await using beside = await openNotes(inFolder('beside.db'))
  await using after = await openNotes(inFolder('after.db'))
  await beside.load(lines)
  // Out of order: ids are given anew, and the index is filled from the rows.
  await after.load(lines.toReversed())
  assert.deepEqual(await indexOf(beside), await indexOf(after))
  assert.equal((await found(beside, 'ungerade')).length, 450)
})

test('one connection that loads and reads finds what a thread has built, and what it writes afterwards', async () => {
  await using store = await openNotes(':memory:')
  await store.load(lines)
  assert.equal((await found(store, 'ungerade')).length, 450)
  await store.apply(line('new', { text: 'Nagelneu' }))
  assert.deepEqual(await found(store, 'nagelneu'), ['new'])
  assert.equal((await found(store, 'ungerade')).length, 450)
})

test('what is written after such a load is found, and what is removed is not', async () => {
  await using store = await openNotes(inFolder('later.db'))
  await store.load(lines)
  await store.apply(line('new', { text: 'Nagelneu' }), {
    ...lines[3],
    value: line('', { text: 'Anders' }).value,
  } as StoredLine)
  assert.deepEqual(await found(store, 'nagelneu'), ['new'])
  assert.deepEqual(await found(store, 'anders'), ['k0003'])
  assert.equal((await found(store, 'ungerade')).length, 449)
  assert.deepEqual(await store.rows('pragma integrity_check'), [{ integrity_check: 'ok' }])
})

test('a row that changes late in a load, and one out of order, are found by what they are', async () => {
  const changed = { ...lines[3], value: line('', { text: 'Anders' }).value } as StoredLine
  const early = line('early', { text: 'Morgens', indexedAt: '2020-01-01T00:00:00Z' })
  for (const [name, last, word, key] of [
    ['changed', changed, 'anders', 'k0003'],
    ['early', early, 'morgens', 'early'],
  ] as const) {
    await using store = await openNotes(inFolder(`${name}.db`))
    await store.load([...lines, last])
    assert.deepEqual(await found(store, word), [key])
    await found(store, 'gerade')
  }
})

test('a load that is broken off while a thread builds leaves nothing, and the next one finds all', async () => {
  await using store = await openNotes(inFolder('broken.db'))
  async function* broken(): AsyncGenerator<readonly Change[]> {
    yield* inPairs(lines.map(store.change))
    throw new Error('broken off')
  }
  await assert.rejects(store.database.write.load(broken()), /broken off/)
  assert.deepEqual(await store.rows('select id from "org.example.note"'), [])
  assert.deepEqual((await indexOf(store)).terms, [])
  await store.load(lines)
  assert.equal((await found(store, 'ungerade')).length, 450)
})

async function indexOf(store: TestStore): Promise<{
  terms: readonly Row[]
  counts: readonly Row[]
  settings: readonly Row[]
  layout: readonly Row[]
}> {
  const index = store.tables.flatMap(({ texts }) => texts)[0]?.name
  return {
    terms: await store.rows(`select * from "${index}/terms"`),
    counts: await store.rows(`select * from "${index}/counts"`),
    settings: await store.rows(`select typeof(v), v from "${index}_config" where k = 'pgsz'`),
    layout: await store.rows(`select name, sql from sqlite_master where name glob '*trigram*' order by name`),
  }
}
