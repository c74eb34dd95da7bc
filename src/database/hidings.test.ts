import assert from 'node:assert/strict'
import {
  newUrl,
  onStoppedNotes,
  onThreeNotes,
  threeNotes,
  hide,
  show,
  seen,
  onNotes,
  assertOutcome,
} from '../../test/support/store/note-stores.ts'
import {
  account,
  apply,
  assertDerived,
  dids,
  note,
  noteLexicons,
  openNotes,
  put,
  rev,
  settleAll,
  spot,
  uriOf,
  remove,
  visibleRecords,
} from '../../test/support/records/notes.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import { inPairs } from '../../test/support/store/store.ts'
import type { Change } from './database.ts'
import { readHidings } from './metadata/hidings.ts'

const ann = dids[0] as string
const a = spot('a')
const record = uriOf(a)

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
  assert.deepEqual(await store.database.read.readSteps(readHidings), [
    { subject: record, reason: 'Second.', hiddenBy: 'cai', hiddenAt: at + 1n, ...shown },
    {
      subject: record,
      reason: 'First.',
      hiddenBy: 'ann',
      hiddenAt: at,
      ...shown,
      shownBy: 'ben',
      shownAt: at,
    },
    { subject: ann, reason: 'Third.', hiddenBy: 'cai', hiddenAt: at - 5n, ...shown },
  ])
  await metadata.unhide(record, 'ben')
  const [second] = await store.database.read.readSteps(readHidings)
  assert.equal(second?.shownAt, at + 1n)
  // In the microsecond in which it was shown.
  clock.advance(6n)
  await hide(store, record)
  assert.equal((await store.database.read.readSteps(readHidings))[0]?.hiddenAt, at + 2n)
})

onThreeNotes('a record that is shown again has the times that it had', async (store) => {
  const times = async () =>
    (await store.rows(`select indexed_at, changed_at from "${note}" where rkey = 'a'`))[0]
  const turn = async (subject: string, ...meanwhile: readonly Change[]) => {
    await hide(store, subject)
    await settleAll(store)
    await apply(store, ...meanwhile)
    await show(store, subject)
    await settleAll(store)
  }
  await apply(store, put(store, a, 1, { rev: rev(2) }))
  const before = await times()
  assert.ok(Number(before?.changed_at) > Number(before?.indexed_at))
  for (const subject of [record, ann]) await turn(subject)
  assert.deepEqual(await times(), before)
  await turn(ann, put(store, a, 2, { rev: rev(3) }))
  const after = await times()
  assert.equal(after?.indexed_at, before?.indexed_at)
  assert.ok(Number(after?.changed_at) > Number(before?.changed_at))
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

onThreeNotes('outcomes count what is withheld', async (store) => {
  await hide(store, record)
  const outcome = await apply(
    store,
    put(store, a, 1, { rev: rev(9) }),
    put(store, spot('b'), 1, { rev: rev(9) }),
    remove(a, rev(10)),
  )
  await assertOutcome(outcome, { withheld: 2, updated: 1 })
})

onEveryEngine('what is not here yet can be hidden, and is never seen', async (database) => {
  for (const subject of [uriOf(spot('x', 2)), dids[2] as string]) {
    await using store = await threeNotes(await newUrl(database))
    assert.equal(await hide(store, subject), 0)
    // Nobody looks up handles of accounts that have nothing here.
    assert.deepEqual(await store.rows('select did from actor where did = ?', dids[2] as string), [])
    await assertOutcome(apply(store, put(store, spot('x', 2), 0, { rev: rev(1) })), { withheld: 1 })
    assert.deepEqual(await seen(store), ['a', 'b', 'c'])
    assert.deepEqual(await store.metadata.readActors(9, null), dids.toSorted())
    assert.equal(await show(store, subject), 1)
    await settleAll(store)
    assert.deepEqual(await seen(store), ['a', 'b', 'c', 'x'])
  }
})

onEveryEngine('another writer and the leader honour at once what is hidden and shown', async (database) => {
  const path = await newUrl(database)
  await using one = await threeNotes(path)
  await using other = await openNotes(path)
  await using leader = await one.database.write.leaderLock({
    signal: new AbortController().signal,
    onWaiting: () => {},
  })
  assert.ok(leader !== null)
  let turn = 10
  for (const writer of [one.database.write, leader]) {
    const write = () => writer.applyBatch([put(one, a, turn % 2, { rev: rev((turn += 1)) })])
    await write()
    for (const subject of [record, ann]) {
      await hide(other, subject)
      await assertOutcome(write(), { withheld: 1 })
      assert.ok(!(await seen(one)).includes('a'))
      await show(other, subject)
      while ((await writer.metadata.settleAccounts(1)) > 0);
      await assertOutcome(write(), { updated: 1 })
      assert.deepEqual(await seen(other), ['a', 'b', 'c'])
    }
  }
  await assertDerived(one)
})

onNotes('an import into an empty database keeps to what was hidden before', async (store) => {
  await hide(store, record)
  await hide(store, dids[1] as string)
  const lines = ['a', 'b', 'c'].flatMap((rkey) => [0, 1].map((did) => put(store, spot(rkey, did), did)))
  const outcome = await store.database.write.load(inPairs(lines))
  await assertOutcome(outcome, { stored: 2, withheld: 4 })
  assert.deepEqual(await seen(store), ['b', 'c'])
  await assertDerived(store)
  await show(store, record)
  await show(store, dids[1] as string)
  await settleAll(store)
  assert.equal((await visibleRecords(store)).size, 6)
  await assertDerived(store)
})
