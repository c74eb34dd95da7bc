import assert from 'node:assert/strict'
import {
  newUrl,
  onStoppedNotes,
  onThreeNotes,
  threeNotes,
  hide,
  show,
  seen,
} from '../../test/support/store/note-stores.ts'
import {
  account,
  apply,
  assertDerived,
  dids,
  noteLexicons,
  openNotes,
  put,
  rev,
  settleAll,
  spot,
  uriOf,
} from '../../test/support/records/notes.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'

const ann = dids[0] as string
const record = uriOf(spot('a'))

onEveryEngine('a hiding lasts while the collection is not served, and ends then too', async (database) => {
  const served = [noteLexicons[1] as (typeof noteLexicons)[number]]
  for (const subject of [record, ann]) {
    const path = await newUrl(database)
    await (await threeNotes(path))[Symbol.asyncDispose]()
    {
      await using store = await openNotes(path, undefined, served)
      assert.equal(await hide(store, subject), 0)
      await settleAll(store)
    }
    {
      await using store = await openNotes(path)
      await settleAll(store)
      assert.deepEqual(await seen(store), subject === ann ? ['c'] : ['b', 'c'])
    }
    {
      await using store = await openNotes(path, undefined, served)
      assert.equal(await show(store, subject), 0)
      await settleAll(store)
    }
    await using store = await openNotes(path)
    await settleAll(store)
    assert.deepEqual(await seen(store), ['a', 'b', 'c'])
    await assertDerived(store)
  }
})

onEveryEngine('a record that no longer fits when it is shown is put aside, not lost', async (database) => {
  const path = await newUrl(database)
  {
    await using store = await threeNotes(path)
    await hide(store, record)
  }
  const strict = structuredClone(noteLexicons) as typeof noteLexicons
  strict[0].defs.main.record.properties.text = { type: 'integer' }
  await using store = await openNotes(path, undefined, strict)
  assert.equal(await show(store, record), 0)
  assert.deepEqual(await store.column('select uri from rejection where uri = ?', record), [record])
})

onStoppedNotes('the history of hidings is kept, whatever the clock', async (store, { clock, metadata }) => {
  const at = clock.now()
  assert.equal(await metadata.unhide(record, 'ben'), null)
  assert.equal(await metadata.hide({ subject: record, reason: 'First.', hiddenBy: 'ann' }), 0)
  assert.equal(await metadata.hide({ subject: record, reason: 'Again.', hiddenBy: 'cai' }), null)
  assert.equal(await metadata.unhide(record, 'ben'), 0)
  assert.equal(await metadata.unhide(record, 'ben'), null)
  clock.advance(-5n)
  await metadata.hide({ subject: record, reason: 'Second.', hiddenBy: 'cai' })
  await metadata.hide({ subject: ann, reason: 'Third.', hiddenBy: 'cai' })
  const shown = { shownBy: null, shownAt: null, purge: null }
  assert.deepEqual(await store.database.read.readHidings(), [
    { subject: record, reason: 'Second.', hiddenBy: 'cai', hiddenAt: at + 1n, ...shown },
    {
      subject: record,
      reason: 'First.',
      hiddenBy: 'ann',
      hiddenAt: at,
      shownBy: 'ben',
      shownAt: at,
      purge: null,
    },
    { subject: ann, reason: 'Third.', hiddenBy: 'cai', hiddenAt: at - 5n, ...shown },
  ])
  await metadata.unhide(record, 'ben')
  const [second] = await store.database.read.readHidings()
  assert.equal(second?.shownAt, at + 1n)
  // In the microsecond in which it was shown.
  clock.advance(6n)
  await hide(store, record)
  assert.equal((await store.database.read.readHidings())[0]?.hiddenAt, at + 2n)
})

onThreeNotes('plans change when the first row is hidden and when no row is', async (store) => {
  const before = (await store.database.read.readPlanState()).version
  const expected = async (hiding: boolean, after: number): Promise<void> => {
    const { ordered: _, ...rest } = await store.database.read.readPlanState()
    assert.deepEqual(rest, { hiding, version: before + after })
  }
  await hide(store, ann)
  await expected(true, 1)
  await apply(store, account(0, 'suspended', 1), account(0, null, 2))
  await expected(true, 1)
  await settleAll(store)
  await expected(false, 2)
  await show(store, ann)
  await settleAll(store)
  await expected(false, 2)
  await hide(store, ann)
  await show(store, ann)
  await expected(false, 4)
})

onThreeNotes('rows that remain to be moved are counted by account', async (store, { metadata }) => {
  const left = (except = ''): Promise<number> => metadata.countRowsToMove(except)
  assert.equal(await left(), 0)
  await hide(store, record)
  assert.equal(await left(), 0)
  await apply(store, put(store, spot('d'), 0, { rev: rev(1) }), account(1, 'deactivated', 1))
  await hide(store, ann)
  assert.deepEqual([await left(), await left(ann)], [3, 1])
  await metadata.settleAccounts(1)
  assert.equal(await left(), 2)
  await settleAll(store)
  assert.equal(await left(), 0)
  // The record that is hidden by itself stays where it is.
  await show(store, ann)
  assert.deepEqual([await left(), await left(ann)], [2, 0])
  await metadata.settleAccounts(1)
  assert.equal(await left(), 1)
  assert.deepEqual(
    [await metadata.knowsAccount(ann), await metadata.knowsAccount('did:web:none.example')],
    [true, false],
  )
})
