/** Records of accounts that are not active: unseen at once, moved out in steps, and back as they were. */
import assert from 'node:assert/strict'
import { newUrl, onNotes, numberedNotes, assertOutcome } from '../../test/support/store/note-stores.ts'
import {
  account,
  apply,
  assertDerived,
  dids,
  mark,
  note,
  noteLexicons,
  openNotes,
  put,
  remove,
  rev,
  settleAll,
  spot,
  spotOf,
  uriOf,
  visibleRecords,
} from '../../test/support/records/notes.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import { recordLexicon, type TestStore } from '../../test/support/store/store.ts'

onNotes('accounts without rows are settled in steps too', async (store, { metadata }) => {
  for (const did of [0, 1, 2])
    await apply(
      store,
      put(store, spot('a', did), 0, { rev: rev(1) }),
      remove(spot('a', did), rev(2)),
      account(did, 'suspended', 1),
    )
  assert.equal(await metadata.settleAccounts(2), 2)
  assert.equal((await store.rows('select did from actor where move is not null')).length, 1)
  assert.equal(await metadata.settleAccounts(2), 1)
  assert.equal(await metadata.settleAccounts(2), 0)
})

onEveryEngine('an inactive account without a reason is hidden too', async (database) => {
  await using store = await numberedNotes(await newUrl(database), 1)
  await apply(store, { kind: 'account', did: dids[0] as string, active: false, status: null, eventAt: 1n })
  assert.deepEqual(await keys(store), [])
})

onEveryEngine('quarantined records are checked when their account comes back', async (database) => {
  const path = await newUrl(database)
  const strict = [recordLexicon(note, { text: { type: 'integer' } }), ...noteLexicons.slice(1)]
  {
    await using store = await openNotes(path)
    await apply(
      store,
      put(store, spot('words'), 1, { rev: rev(1) }),
      put(store, spot('none'), 2, { rev: rev(1) }),
    )
    await apply(store, put(store, spot('later'), 2, { rev: rev(2) }), account(0, 'suspended', 1))
    await store.metadata.settleAccounts(1)
    await apply(store, put(store, spot('later'), 0, { rev: rev(3) }))
  }
  {
    await using store = await openNotes(path, undefined, strict)
    const { version, ordered: _, ...rest } = await store.database.read.readPlanState()
    assert.deepEqual(rest, { hiding: false })
    assert.equal((await store.rows('select * from parked')).length, 3)
    await apply(store, account(0, null, 2))
    await settleAll(store, 1)
    assert.deepEqual(await keys(store), ['none'])
    const refused = await store.rows('select uri, source, rev from rejection order by uri')
    assert.deepEqual(refused, [
      { uri: uriOf(spot('later')), source: 'rebuild', rev: rev(3) },
      { uri: uriOf(spot('words')), source: 'rebuild', rev: rev(1) },
    ])
    // What is older than what was put aside does not take its place.
    const older = { ...put(store, spot('later'), 2, { rev: rev(2) }), columns: [], arrays: [] }
    await assertOutcome(apply(store, older), { older: 1 })
    assert.equal((await store.database.read.readPlanState()).version, version)
  }
})

onEveryEngine('records of a collection that is not served wait until it is', async (database) => {
  const path = await newUrl(database)
  const served = [noteLexicons[1] as (typeof noteLexicons)[number]]
  {
    await using store = await numberedNotes(path, 3)
    await apply(store, put(store, spot('m', 0, mark), 0, { rev: rev(1) }), account(0, 'suspended', 1))
    await store.metadata.settleAccounts(2)
  }
  {
    await using store = await openNotes(path, undefined, served)
    await settleAll(store)
    await apply(store, account(0, null, 2))
    await settleAll(store)
    assert.deepEqual([...(await visibleRecords(store)).keys()], [uriOf(spot('m', 0, mark))])
    assert.ok(!(await store.database.read.readPlanState()).hiding)
  }
  await using store = await openNotes(path)
  await settleAll(store)
  assert.deepEqual((await keys(store)).toSorted(), ['k0', 'k1', 'k2', 'm'])
  assert.deepEqual(await store.rows('select * from parked'), [])
  await assertDerived(store)
})

/** Record keys of what can be seen. */
async function keys(store: TestStore): Promise<string[]> {
  return [...(await visibleRecords(store)).keys()].map((uri) => spotOf(uri).rkey)
}
