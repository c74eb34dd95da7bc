import assert from 'node:assert/strict'
import { newUrl, onNotes, assertOutcome } from '../../test/support/store/note-stores.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import { day, found, line, snapshot } from '../../test/support/records/note-lines.ts'
import { noOutcome, openNotes } from '../../test/support/records/notes.ts'
import { assertCounts, inPairs } from '../../test/support/store/store.ts'
import type { Change } from './database.ts'

onNotes('a record is stored once, and the same again changes nothing', async (store) => {
  await assertOutcome(store.apply(line('a')), { stored: 1 })
  const before = await store.rows('select * from "org.example.note"')
  await assertOutcome(store.apply(line('a')), { unchanged: 1 })
  assert.deepEqual(await store.rows('select * from "org.example.note"'), before)
})

onNotes('an update keeps when the record was first stored, and when it last changed', async (store) => {
  await store.apply(line('a', { indexedAt: day(1) }))
  const [before] = await store.rows(times)
  assert.equal(before?.changed_at, before?.indexed_at)
  await assertOutcome(store.apply(line('a', { text: 'other', indexedAt: day(9) })), { updated: 1 })
  const [after] = await store.rows(times)
  assert.equal(after?.indexed_at, before?.indexed_at)
  assert.ok(Number(after?.changed_at) > Number(before?.changed_at))
})

onEveryEngine('revisions decide which version stands, and none never outranks one', async (database) => {
  const [none1, r1, r2] = [undefined, '3kaaaaaaaaa22', '3kbbbbbbbbb22']
  const table: [before: string | undefined, after: string | undefined, becomes: string, rev: unknown][] = [
    [none1, none1, 'updated', null],
    [none1, r1, 'updated', r1],
    [r1, r2, 'updated', r2],
    [r1, r1, 'updated', r1],
    [r2, r1, 'older', r2],
    [r1, none1, 'older', r1],
  ]
  for (const [before, after, becomes, rev] of table) {
    await using store = await openNotes(await newUrl(database))
    await store.apply(line('a', { ...(before && { rev: before }) }))
    const outcome = await store.apply(line('a', { text: 'new', ...(after && { rev: after }) }))
    assert.deepEqual(outcome, { ...noOutcome, [becomes]: 1 }, `${before} then ${after}`)
    const [row] = await store.rows('select rev, record ->> \'text\' as text from "org.example.note"')
    assert.deepEqual(row, { rev, text: becomes === 'older' ? 'text' : 'new' })
  }
})

onNotes('the same version at another revision is unchanged, the newer revision is kept', async (store) => {
  const revOf = async () => (await store.rows('select rev from "org.example.note"'))[0]?.rev
  await store.apply(line('a'))
  for (const [rev, becomes, kept] of [
    ['3kbbbbbbbbb22', 'unchanged', '3kbbbbbbbbb22'],
    // The revision is older, and there is nothing that it could change.
    ['3kaaaaaaaaa22', 'unchanged', '3kbbbbbbbbb22'],
    [undefined, 'unchanged', '3kbbbbbbbbb22'],
    ['3kccccccccc22', 'unchanged', '3kccccccccc22'],
  ] as const) {
    await assertOutcome(store.apply(line('a', { ...(rev && { rev }) })), { [becomes]: 1 })
    assert.equal(await revOf(), kept)
  }
})

onNotes('a load that fails half way leaves nothing, and can be done again', async (store) => {
  const before = await snapshot(store)
  const lines = ['d', 'b', 'c', 'a'].map((key, n) => line(key, { indexedAt: day(9 - n) }))
  async function* broken() {
    yield* inPairs(lines.map(store.change))
    throw new Error('The disk is on fire.')
  }
  await assert.rejects(store.database.write.load(broken()), /on fire/)
  assert.deepEqual(await snapshot(store), before)
  await assertOutcome(store.load(lines), { stored: 4 })
  assert.deepEqual((await found(store, 'text')).toSorted(), ['a', 'b', 'c', 'd'])
  await assertCounts(store.database.read, store.tables)
})

onNotes('a load into a filled store keeps the batches before the one that fails', async (store) => {
  await store.apply(line('0'))
  async function* broken() {
    yield [store.change(line('1')), store.change(line('2'))]
    yield [store.change(line('3')), { ...store.change(line('4')), collection: 'org.example.no' } as Change]
  }
  await assert.rejects(store.database.write.load(broken()))
  assert.deepEqual(await found(store, 'text'), ['0', '1', '2'])
  await assertCounts(store.database.read, store.tables)
})

onNotes('a reader in the middle of its rows sees one state while others write', async (store) => {
  await store.load(['a', 'b', 'c'].map((key) => line(key)))
  const rows = store.database.read.readRows({
    text: 'select rkey from "org.example.note" order by id',
    values: [],
  })
  const seen: unknown[] = []
  for await (const { rkey } of rows) {
    seen.push(rkey)
    if (seen.length < 3) await store.apply(line(`new-${seen.length}`))
  }
  assert.deepEqual(seen, ['a', 'b', 'c'])
  assert.equal((await found(store, 'text')).length, 5)
})

const times = 'select indexed_at, changed_at from "org.example.note"'
