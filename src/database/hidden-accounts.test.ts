/** Records of accounts that are not active: unseen at once, moved out in steps, and back as they were. */
import assert from 'node:assert/strict'
import { newUrl, onNotes, numberedNotes, assertOutcome } from '../../test/support/store/note-stores.ts'
import {
  account,
  apply,
  assertDerived,
  contentJson,
  dids,
  mark,
  note,
  noteLexicons,
  openNotes,
  put,
  recordText,
  refuse,
  remove,
  repoEnd,
  rev,
  settleAll,
  spot,
  spotOf,
  uriOf,
  visibleRecords,
} from '../../test/support/records/notes.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import { recordLexicon, type TestStore } from '../../test/support/store/store.ts'

onEveryEngine(
  'a hidden account is unseen at once, and its rows leave the tables in steps',
  async (database) => {
    for (const limit of [1, 7, 1000]) {
      await using store = await numberedNotes(await newUrl(database), 10)
      await apply(store, account(0, 'takendown', 1))
      assert.deepEqual(await visibleRecords(store), new Map())
      for (let rows = 10; rows > 0; rows = Math.max(0, rows - limit)) {
        assert.equal(await rowCount(store), rows)
        assert.ok((await store.metadata.settleAccounts(limit)) >= Math.min(limit, rows))
      }
      assert.equal(await rowCount(store), 0)
      await settleAll(store)
      assert.deepEqual(await store.rows('select * from hidden'), [])
      assert.equal(await store.metadata.settleAccounts(limit), 0)
      await assertDerived(store)
    }
  },
)

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

onEveryEngine(
  'an account that comes back has its rows under their old ids, first moments and last changes',
  async (database) => {
    for (const limit of [1, 7, 1000]) {
      await using store = await numberedNotes(await newUrl(database), 10)
      await apply(
        store,
        put(store, spot('k3'), 2, { rev: rev(50) }),
        put(store, spot('o', 1), 0, { rev: rev(1) }),
      )
      const before = await store.rows(everyNote)
      await apply(store, account(0, 'suspended', 1))
      await settleAll(store, limit)
      await apply(store, put(store, spot('p', 1), 1, { rev: rev(2) }))
      await apply(store, account(0, null, 2))
      await settleAll(store, limit)
      assert.deepEqual(
        (await store.rows(everyNote)).filter(({ rkey }) => rkey !== 'p'),
        before,
      )
      await assertOrdered(store)
      await assertDerived(store)
    }
  },
)

onEveryEngine('ids of rows that wait are given to no others, after a restart either', async (database) => {
  const path = await newUrl(database)
  let before: unknown
  {
    await using store = await numberedNotes(path, 3)
    before = await store.rows(everyNote)
    await apply(store, account(0, 'suspended', 1))
    await settleAll(store)
  }
  await using store = await openNotes(path)
  await apply(store, put(store, spot('later', 1), 0, { rev: rev(9), indexedAt: '2027-01-01T00:00:00Z' }))
  await apply(store, account(0, null, 2))
  await settleAll(store)
  assert.deepEqual((await store.rows(everyNote)).slice(0, 3), before)
  assert.deepEqual(await store.column(everyNote), [1, 2, 3, 4])
  await assertOrdered(store)
  await assertDerived(store)
})

onEveryEngine(
  'what was written while an account was hidden is there when it comes back, and keeps when it was first stored',
  async (database) => {
    for (const settledBefore of [0, 4, 10]) {
      await using store = await numberedNotes(await newUrl(database), 10)
      const first = await store.rows(everyNote)
      await apply(store, account(0, 'deactivated', 1))
      if (settledBefore > 0) await store.metadata.settleAccounts(settledBefore)
      const outcome = await apply(
        store,
        put(store, spot('k0'), 2, { rev: rev(20) }),
        put(store, spot('k9'), 2, { rev: rev(20) }),
        put(store, spot('k1'), 3, { rev: rev(0) }),
        remove(spot('k2'), rev(20)),
        refuse(store, spot('k3'), rev(20)),
        put(store, spot('new'), 2, { rev: rev(20) }),
        put(store, spot('k4'), 2),
      )
      // Of the two that are older one has no revision.
      await assertOutcome(outcome, { withheld: 4, older: 2, rejected: 1 })
      assert.deepEqual(await visibleRecords(store), new Map())
      await apply(store, account(0, null, 2))
      await settleAll(store, 3)
      assert.deepEqual(await keys(store), ['k0', 'k1', 'k4', 'k5', 'k6', 'k7', 'k8', 'k9', 'new'])
      const moments = (rows: readonly Record<string, unknown>[]) =>
        rows
          .filter(({ rkey }) => rkey === 'k0' || rkey === 'k9')
          .map(({ id, indexed_at }) => [id, indexed_at])
      assert.deepEqual(moments(await store.rows(everyNote)), moments(first))
      const written = await store.rows(
        `select rkey, ${recordText(store, 'record')} as json from "${note}" where rev = ? order by rkey`,
        rev(20),
      )
      assert.deepEqual(
        written.map(({ rkey, json }) => [rkey, JSON.parse(String(json))]),
        ['k0', 'k9', 'new'].map((rkey) => [rkey, JSON.parse(contentJson(note, 2))]),
      )
      await assertDerived(store)
    }
  },
)

onEveryEngine('a record that is written while its account comes back comes back first', async (database) => {
  await using store = await numberedNotes(await newUrl(database), 10)
  const first = await store.rows(everyNote)
  await apply(store, account(0, 'deactivated', 1))
  await settleAll(store)
  await apply(store, account(0, null, 2))
  await assertOutcome(
    apply(
      store,
      put(store, spot('k7'), 3, { rev: rev(0) }),
      put(store, spot('k8'), 2, { rev: rev(20) }),
      refuse(store, spot('k6'), rev(0)),
      remove(spot('k5'), rev(20)),
      put(store, spot('k4'), 3),
    ),
    { older: 3, updated: 1, deleted: 1 },
  )
  assert.deepEqual(await keys(store), ['k4', 'k6', 'k7', 'k8'])
  assert.deepEqual(await store.rows('select * from rejection'), [])
  await settleAll(store, 1)
  const kept = (rows: readonly Record<string, unknown>[]) =>
    rows.filter(({ rkey }) => rkey !== 'k5').map(({ id, rkey, indexed_at }) => [id, rkey, indexed_at])
  assert.deepEqual(kept(await store.rows(everyNote)), kept(first))
  await assertDerived(store)
})

onEveryEngine('a snapshot of a hidden account decides over what waits', async (database) => {
  for (const settled of [false, true]) {
    await using store = await numberedNotes(await newUrl(database), 3)
    await apply(store, account(0, 'deactivated', 1))
    if (settled) await settleAll(store)
    const imported = put(store, spot('imported'), 1)
    await apply(store, put(store, spot('k1'), 2, { rev: rev(20) }), imported, repoEnd(0, rev(20)))
    await apply(store, put(store, spot('k0'), 2, { rev: rev(19) }))
    await apply(store, account(0, null, 2))
    await settleAll(store)
    assert.deepEqual(await keys(store), ['k1'])
    assert.deepEqual(await store.column(`select id from "${note}"`), [2])
  }
})

onEveryEngine('an inactive account without a reason is hidden too', async (database) => {
  await using store = await numberedNotes(await newUrl(database), 1)
  await apply(store, { kind: 'account', did: dids[0] as string, active: false, status: null, eventAt: 1n })
  assert.deepEqual(await keys(store), [])
})

onEveryEngine(
  'what waits is judged by the lexicons that are in force when its account comes back',
  async (database) => {
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
  },
)

onEveryEngine(
  'records of a collection that is not served wait until it is, whatever their account does meanwhile',
  async (database) => {
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
  },
)

const everyNote = `select id, rkey, indexed_at, changed_at from "${note}" order by id`

async function rowCount(store: TestStore): Promise<number> {
  return (await store.rows(`select id from "${note}"`)).length
}

/** Where ids may follow the default order they do. */
async function assertOrdered(store: TestStore): Promise<void> {
  const { ordered } = await store.database.read.readPlanState()
  assert.equal(ordered.has(note), store.engine === 'sqlite')
}

/** Record keys of what can be seen. */
async function keys(store: TestStore): Promise<string[]> {
  return [...(await visibleRecords(store)).keys()].map((uri) => spotOf(uri).rkey)
}
