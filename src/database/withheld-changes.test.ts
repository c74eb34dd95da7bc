/** What becomes of changes of records and accounts that are hidden. */
import assert from 'node:assert/strict'
import {
  newUrl,
  onNotes,
  onThreeNotes,
  threeNotes,
  assertOutcome,
  hide,
  show,
  seen,
} from '../../test/support/store/note-stores.ts'
import {
  apply,
  assertDerived,
  dids,
  openNotes,
  put,
  remove,
  rev,
  settleAll,
  spot,
  uriOf,
  visibleRecords,
} from '../../test/support/records/notes.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import { inPairs } from '../../test/support/store/store.ts'

const ann = dids[0] as string
const a = spot('a')
const record = uriOf(a)

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

onEveryEngine('another writer honours what is hidden and shown at once', async (database) => {
  const path = await newUrl(database)
  await using one = await threeNotes(path)
  await using other = await openNotes(path)
  let turn = 10
  const write = (rkey: string) => apply(one, put(one, spot(rkey), turn % 2, { rev: rev((turn += 1)) }))
  await write('a')
  for (const subject of [record, ann]) {
    await hide(other, subject)
    await assertOutcome(write('a'), { withheld: 1 })
    assert.ok(!(await seen(one)).includes('a'))
    await show(other, subject)
    await settleAll(other)
    await assertOutcome(write('a'), { updated: 1 })
    assert.ok((await seen(one)).includes('a'))
  }
  await assertDerived(one)
})

onEveryEngine('who leads honours what another hides', async (database) => {
  const path = await newUrl(database)
  await using one = await threeNotes(path)
  await using leaderLock = await one.database.write.leaderLock({
    signal: new AbortController().signal,
    onWaiting: () => {},
  })
  assert.ok(leaderLock !== null)
  await leaderLock.applyBatch([put(one, a, 1, { rev: rev(10) })])
  await using other = await openNotes(path)
  for (const subject of [record, ann]) {
    await hide(other, subject)
    assert.equal((await leaderLock.applyBatch([put(one, a, 2, { rev: rev(11) })])).withheld, 1)
    await show(other, subject)
    while ((await leaderLock.metadata.settleAccounts(1)) > 0);
    assert.deepEqual(await seen(other), ['a', 'b', 'c'])
  }
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
