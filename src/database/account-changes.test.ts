/** What accounts are said to be, and what becomes of their records: unseen at once, moved out in steps, and back. */
import assert from 'node:assert/strict'
import { newUrl, onNotes, numberedNotes, assertOutcome, seen } from '../../test/support/store/note-stores.ts'
import {
  account,
  apply,
  assertDerived,
  dids,
  put,
  refuse,
  remove,
  repoEnd,
  rev,
  settleAll,
  spot,
  uriOf,
  visibleRecords,
  mark,
  note,
  noteLexicons,
  openNotes,
} from '../../test/support/records/notes.ts'
import { someForms } from '../../test/support/rounds.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import { recordLexicon } from '../../test/support/store/store.ts'

const ann = dids[0] as string

onEveryEngine('a deleted account leaves nothing, and older events bring nothing back', async (database) => {
  for (const limit of someForms([7, 1, 1000])) {
    await using store = await numberedNotes(await newUrl(database), 10)
    await apply(
      store,
      remove(spot('gone'), rev(20)),
      refuse(store, spot('bad'), rev(20)),
      account(0, 'deactivated', 1),
      put(store, spot('k0', 1), 0, { rev: rev(1) }),
      refuse(store, spot('bad', 1), rev(20)),
    )
    // Some wait already, the others are still in their table.
    await store.metadata.settleAccounts(4)
    await apply(store, account(0, 'deleted', 2))
    const replay = [
      put(store, spot('k0'), 0, { rev: rev(99) }),
      remove(spot('k1'), rev(99)),
      refuse(store, spot('k2'), rev(99)),
      put(store, spot('k3'), 0),
    ]
    await assertOutcome(apply(store, ...replay, repoEnd(0, rev(99))), { withheld: 4 })
    await settleAll(store, limit)
    await apply(store, ...replay, repoEnd(0, rev(99)))
    const uris = (await visibleRecords(store)).keys()
    assert.deepEqual([...uris], [uriOf(spot('k0', 1))])
    for (const table of ['parked', 'hidden']) assert.deepEqual(await store.rows(`select * from ${table}`), [])
    const tombstones = 'select b.did from tombstone t join base b on b.id = t.base'
    assert.deepEqual(await store.column(tombstones), [dids[1]])
    assert.deepEqual(await store.column('select uri from rejection'), [uriOf(spot('bad', 1))])
    const actor = `select handle, handle_due, floor, move from actor where did = '${dids[0]}'`
    const known = { handle: null, handle_due: null, floor: `${rev(20)}~`, move: null }
    assert.deepEqual(await store.rows(actor), [known])
    await assertDerived(store)
  }
})

onEveryEngine('the repository and the handle of an account that returns are fetched', async (database) => {
  for (const status of ['suspended', 'deleted']) {
    await using store = await numberedNotes(await newUrl(database), 1)
    const { metadata } = store
    await metadata.writeHandle(dids[0] as string, 'a.example', 9_000_000_000_000_000n)
    await apply(store, account(0, status, 1))
    await settleAll(store)
    await apply(store, { kind: 'identity', did: dids[0] as string })
    assert.deepEqual(await metadata.dueHandles(9), status === 'deleted' ? [] : [dids[0]])
    assert.deepEqual(await metadata.dueJobs('ingest', 9), [])
    await apply(store, account(0, null, 2))
    const jobs = await metadata.dueJobs('ingest', 9)
    assert.deepEqual(
      jobs.map(({ did, reason }) => [did, reason]),
      [[dids[0], 'The account is active again.']],
    )
    assert.deepEqual(await metadata.dueHandles(9), [dids[0]])
    // An event of before the deletion may come again.
    const again = status === 'deleted' ? { older: 1 } : { updated: 1 }
    await assertOutcome(apply(store, put(store, spot('k0'), 1, { rev: rev(1) })), again)
    const next = status === 'deleted' ? { stored: 1 } : { updated: 1 }
    await assertOutcome(apply(store, put(store, spot('k0'), 0, { rev: rev(2) })), next)
  }
})

onEveryEngine('the later of two changes to an account counts, in either order', async (database) => {
  await using store = await numberedNotes(await newUrl(database), 1)
  const states = async () => await store.column('select status from actor')
  await apply(store, account(0, null, 5), account(0, 'deleted', 4))
  assert.deepEqual(await states(), [null])
  await apply(store, account(0, 'takendown', 7), account(0, null, 6), account(0, null, 5))
  assert.deepEqual(await states(), ['takendown'])
  // No clock has such a moment, but a host may say so.
  await apply(store, account(0, null, 2 ** 60), account(0, 'suspended', 2 ** 59))
  assert.deepEqual(await states(), [null])
})

onNotes('of an account without records nothing is kept, unless its repository is awaited', async (store) => {
  await apply(store, account(0, 'suspended', 1), account(1, null, 1), {
    kind: 'identity',
    did: dids[0] as string,
  })
  assert.deepEqual(await store.rows('select did from actor'), [])
  await store.metadata.addJobs('backfill', [{ did: dids[0] as string, host: null, reason: 'all' }])
  await apply(store, account(0, 'suspended', 2), account(1, 'suspended', 2))
  await assertOutcome(apply(store, put(store, spot('a'), 0, { rev: rev(1) })), { withheld: 1 })
  await assertOutcome(apply(store, put(store, spot('a', 1), 0, { rev: rev(1) })), { stored: 1 })
  await apply(store, account(0, null, 3))
  await settleAll(store)
  assert.equal((await visibleRecords(store)).size, 2)
})

onEveryEngine('plans change with the first hidden account and with the last', async (database) => {
  await using store = await numberedNotes(await newUrl(database), 2)
  await apply(store, put(store, spot('a', 1), 0, { rev: rev(1) }))
  const state = () => store.database.read.readPlanState()
  const { version } = await state()
  const expected = async (hiding: boolean, after: number): Promise<void> => {
    const { ordered: _, ...rest } = await state()
    assert.deepEqual(rest, { hiding, version: version + after })
  }
  await apply(store, account(2, 'suspended', 1))
  await expected(false, 0)
  await apply(store, account(0, 'suspended', 1))
  await expected(true, 1)
  await apply(store, account(1, 'suspended', 1), account(0, 'takendown', 2))
  await expected(true, 1)
  await apply(store, account(0, null, 3))
  await expected(true, 1)
  await settleAll(store)
  await expected(false, 2)
  // Nothing of it is in the tables, so that nothing need be hidden to delete it.
  await apply(store, account(1, 'deleted', 4))
  await expected(false, 2)
  await settleAll(store)
  await apply(store, account(0, 'deactivated', 5), account(0, null, 6))
  await expected(false, 4)
})

onNotes('the handle of a purged account is not looked up again', async (store) => {
  await apply(store, put(store, spot('a'), 1))
  // An account with a status keeps its row.
  await apply(store, account(0, 'suspended', 1))
  await settleAll(store)
  await store.metadata.purge({ subject: ann, reason: 'A test.', purgedBy: 'tester' })
  await settleAll(store)
  await apply(store, { kind: 'identity', did: ann })
  assert.deepEqual(await store.rows(`select did from actor where did = '${ann}' and handle_due = 0`), [])
})

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
    assert.deepEqual(await seen(store), ['none'])
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
  assert.deepEqual(await seen(store), ['k0', 'k1', 'k2', 'm'])
  assert.deepEqual(await store.rows('select * from parked'), [])
  await assertDerived(store)
})
