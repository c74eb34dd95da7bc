import assert from 'node:assert/strict'
import { newUrl, onNotes, assertOutcome } from '../../test/support/store/note-stores.ts'
import { assertCounts } from '../../test/support/store/counts.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import { day, found, line, snapshot } from '../../test/support/records/note-lines.ts'
import { dids, noOutcome, note, openNotes } from '../../test/support/records/notes.ts'
import { inPairs, type TestStore } from '../../test/support/store/store.ts'
import type { Change } from './database.ts'

const cid = 'bafyreibjk2zm52hfizr454i2vrctndr2q2oimlwxu36s3or2icabptr6by'

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

onNotes('a rejection is kept once for its URI, and cleared by a valid record', async (store) => {
  const bad = { ...line('a'), value: { $type: 'org.example.note', text: 5 } }
  const kept = () => store.rows('select uri, reason from rejection')
  await assertOutcome(store.apply(bad, bad), { rejected: 2 })
  await store.apply({ ...bad, value: { $type: 'org.example.note', text: 6 } })
  assert.deepEqual(await kept(), [{ uri: bad.uri, reason: 'invalid-record' }])
  await store.apply(line('b'))
  assert.equal((await kept()).length, 1)
  await store.apply(line('a'))
  assert.deepEqual(await kept(), [])
})

onNotes('what is refused without a URI is kept once for its text', async (store) => {
  const reject = (record: string): Change => ({
    kind: 'reject',
    source: 'test',
    uri: null,
    reason: 'malformed',
    message: 'It is no JSON.',
    record,
  })
  await store.database.write.applyBatch([reject('x'), reject('x'), reject('y')])
  assert.deepEqual(await store.rows('select record from rejection order by record'), [
    { record: 'x' },
    { record: 'y' },
  ])
})

onNotes('a batch that fails leaves nothing, and memory is right for the next', async (store) => {
  const bad = { ...line('r'), value: { $type: 'org.example.note', text: 5 } }
  await store.apply(line('a', { indexedAt: day(5) }), bad)
  const before = await snapshot(store)
  const wrong = { ...store.change(line('x')), collection: 'org.example.unknown' } as Change
  const doomed = [
    line('b', { indexedAt: day(1), did: 1, about: { uri: 'at://did:plc:new/org.example.note/x', cid } }),
    line('r'),
  ].map(store.change)
  await assert.rejects(store.database.write.applyBatch([...doomed, wrong]), /org\.example\.unknown/)
  assert.deepEqual(await snapshot(store), before)
  // The same again: ids, bases, order and the refused must not be taken for stored.
  await store.database.write.applyBatch(doomed)
  await assertCounts(store.database.read, store.tables)
  assert.deepEqual(
    await store.rows(
      'select t.rkey, b.uri from "org.example.note" t join base b on b.id = t.base where t.rkey = ?',
      'b',
    ),
    [{ rkey: 'b', uri: `at://${dids[1]}/org.example.note/` }],
  )
  assert.deepEqual(await store.rows('select * from rejection'), [])
  assert.ok(!(await isOrdered(store)))
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

async function isOrdered(store: TestStore): Promise<boolean> {
  return (await store.database.read.readPlanState()).ordered.has(note)
}
