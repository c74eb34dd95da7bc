import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, found, line } from '../../../../test/support/records/note-lines.ts'
import {
  apply,
  assertDerived,
  note,
  openNotes,
  put,
  remove,
  rev,
  spot,
  uriOf,
} from '../../../../test/support/records/notes.ts'
import { temporaryFolder, type TestStore } from '../../../../test/support/store/store.ts'
import type { Change } from '../../database.ts'

const inFolder = temporaryFolder()

test('a load into an empty store gives ids in default order, ties included', async () => {
  // Nine records of three moments, three keys and two repositories, in no order.
  const keys = [
    [2, 'b', 1],
    [1, 'c', 0],
    [3, 'd', 0],
    [1, 'a', 1],
    [2, 'b', 0],
    [1, 'a', 0],
    [3, 'B', 1],
    [2, 'e', 1],
    [1, 'C', 0],
  ] as const
  const lines = keys.map(([at, rkey, did]) => line(rkey, { indexedAt: day(at), did, tags: [rkey] }))
  // Two changes to one record keep their places.
  const twice = [line('a', { indexedAt: day(2), tags: ['a'] }), line('a', { indexedAt: day(1), tags: ['a'] })]
  for (const first of [[], twice]) {
    await using store = await open()
    await store.load([...first, ...lines])
    const inOrder = await store.rows(inDefaultOrder)
    assert.deepEqual(
      inOrder.map(({ id }) => id),
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
    )
    assert.ok((await store.database.read.readPlanState()).ordered.has(note))
    // Side tables and trigrams were renumbered along.
    assert.deepEqual(
      await store.rows(
        'select t.rkey from "org.example.note/tags" s join "org.example.note" t using (id) where value <> t.rkey',
      ),
      [],
    )
    assert.equal((await found(store, 'text')).length, 9)
  }
})

test('trigrams are counted after a load, and again when much has changed', async () => {
  await using store = await open()
  const records = async (): Promise<unknown> =>
    (await store.rows(`select records from "org.example.note/.text/trigram/counts" where term = 'xyz'`))[0]
      ?.records ?? 0
  await store.load([line('a', { text: 'xyz' })])
  assert.equal(await records(), 1)
  await store.apply(...Array.from({ length: 900 }, (_, n) => line(`k${n}`, { text: 'xyz' })))
  await store.apply(line('b', { text: 'xyz' }))
  assert.equal(await records(), 1)
  await store.apply(...Array.from({ length: 900 }, (_, n) => line(`l${n}`, { text: 'xyz' })))
  // The last batch is counted the next time.
  assert.equal(await records(), 902)
})

test('the connection that reads cannot write', async () => {
  await using store = await open()
  await store.apply(line('a'))
  for (const text of ['delete from state', 'create table t (x)', "update state set derivation = ''"])
    await assert.rejects(store.rows(text), /readonly/)
  assert.equal((await store.rows('select * from "org.example.note"')).length, 1)
})

test('a collection that was emptied is loaded as a new one, and plans notice that it is in order again', async () => {
  const path = inFolder('emptied.db')
  {
    await using store = await openNotes(path)
    const [later, earlier] = ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z']
    await apply(
      store,
      put(store, spot('a'), 0, { indexedAt: later }),
      put(store, spot('b'), 0, { indexedAt: earlier }),
    )
    await apply(store, remove(spot('a'), rev(1)), remove(spot('b'), rev(1)))
  }
  await using store = await openNotes(path)
  const before = await store.database.read.readPlanState()
  assert.ok(!before.ordered.has(note))
  await store.load([{ uri: uriOf(spot('c')), value: { $type: note, text: 'c' } }])
  const after = await store.database.read.readPlanState()
  assert.ok(after.ordered.has(note) && after.version > before.version)
  await assertDerived(store)
})

test('a durable batch leaves the connection as it was', async () => {
  await using store = await openNotes(':memory:')
  const synchronous = () => store.rows('pragma synchronous')
  const before = await synchronous()
  const { write } = store.database
  await write.applyBatch([put(store, spot('a'), 0)], undefined, { durable: true })
  assert.deepEqual(await synchronous(), before)
  const wrong = { ...put(store, spot('a'), 0), collection: 'org.example.no' } as Change
  await assert.rejects(write.applyBatch([wrong], undefined, { durable: true }))
  assert.deepEqual(await synchronous(), before)
})

const inDefaultOrder = `select t.id from "org.example.note" t join base b on b.id = t.base
  order by t.indexed_at, t.rkey, b.did`

let opened = 0
function open(): Promise<TestStore> {
  return openNotes(inFolder(`${(opened += 1)}.db`))
}
