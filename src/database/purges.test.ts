import assert from 'node:assert/strict'
import {
  newUrl,
  onNotes,
  onStoppedNotes,
  onThreeNotes,
  threeNotes,
  assertOutcome,
  hide,
  purge,
  seen,
} from '../../test/support/store/note-stores.ts'
import { test } from 'node:test'
import fc from 'fast-check'
import { someForms } from '../../test/support/rounds.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import {
  account,
  apply,
  assertDerived,
  assertHolds,
  contentCount,
  dids,
  mark,
  noOutcome,
  note,
  noteLexicons,
  openNotes,
  put,
  refuse,
  remove,
  repoEnd,
  rev,
  settleAll,
  spot,
  uriOf,
  visibleRecords,
  widerLexicons,
} from '../../test/support/records/notes.ts'
import { inPairs, tamperWith, temporaryFolder, type TestStore } from '../../test/support/store/store.ts'
import type { Change } from './database.ts'
import { measurePurge } from './metadata/purges.ts'
import { readHidings } from './metadata/hidings.ts'

const inFolder = temporaryFolder()
const ann = dids[0] as string
const a = spot('a')
const record = uriOf(a)
const nothing = { collections: [], rejections: 0, tombstones: 0, jobs: 0 }

onEveryEngine('a purged record is gone at once, whether it could be seen or not', async (database) => {
  for (const before of ['nothing', 'hidden', 'account hidden', 'suspended']) {
    await using store = await threeNotes(await newUrl(database))
    if (before === 'hidden') await hide(store, record)
    if (before === 'account hidden') await hide(store, ann)
    if (before === 'suspended') await apply(store, account(0, 'suspended', 1))
    await settleAll(store)
    const extent = { ...nothing, collections: [{ name: note, records: 1 }] }
    assert.deepEqual(await store.database.read.readSteps(() => measurePurge(record)), extent, before)
    assert.deepEqual(await purge(store, record), extent, before)
    assert.deepEqual(await store.database.read.readSteps(() => measurePurge(record)), nothing, before)
    assert.equal(await purge(store, record), null)
    await assertDerived(store)
    const left = before === 'nothing' || before === 'hidden' ? ['b', 'c'] : ['c']
    assert.deepEqual(await seen(store), left)
  }
})

onThreeNotes('a purged account is unseen at once, and leaves in steps', async (store, { metadata }) => {
  await apply(
    store,
    put(store, spot('m', 0, mark), 1, { rev: rev(1) }),
    refuse(store, spot('r'), rev(2)),
    remove(spot('gone'), rev(3)),
    { kind: 'repo-request', did: ann, reason: 'A test.' },
  )
  await metadata.writeHandle(ann, 'ann.example', 0n)
  await hide(store, uriOf(spot('b')))
  assert.deepEqual(await purge(store, ann), {
    collections: [
      { name: mark, records: 1 },
      { name: note, records: 2 },
    ],
    rejections: 1,
    tombstones: 2,
    jobs: 1,
  })
  assert.deepEqual(await seen(store), ['c'])
  assert.equal((await metadata.dueJobs('ingest', 9)).length, 0)
  await settleAll(store, 1)
  await assertDerived(store)
  assert.deepEqual(await seen(store), ['c'])
  assert.equal((await store.database.read.readPlanState()).hiding, false)
  assert.deepEqual(await store.database.read.readSteps(() => measurePurge(ann)), nothing)
  for (const table of ['actor', 'job', 'fetched'])
    assert.deepEqual(await store.rows(`select did from ${table} where did = ?`, ann), [], table)
})

onNotes('a purge leaves another account whose DID begins with that of the purged one', async (store) => {
  const other = `${dids[1]}.org`
  const at = (rkey: string) => ({ ...spot(rkey), did: other })
  const changes = [put(store, at('a'), 0), refuse(store, at('r')), remove(at('gone'), rev(3))]
  await apply(store, put(store, spot('a', 1), 0), ...changes)
  const extent = { collections: [{ name: note, records: 1 }], rejections: 1, tombstones: 1, jobs: 0 }
  assert.deepEqual(await purge(store, dids[1] as string), { ...extent, rejections: 0, tombstones: 0 })
  await settleAll(store)
  assert.deepEqual([...(await visibleRecords(store)).keys()], [uriOf(at('a'))])
  assert.deepEqual(await store.database.read.readSteps(() => measurePurge(other)), extent)
})

/** What may try to bring a purged record back. */
const returns: Record<string, (store: TestStore) => readonly Change[]> = {
  'the same again': (store) => [put(store, a, 0, { rev: rev(1) })],
  'a newer version': (store) => [put(store, a, 1, { rev: rev(9) })],
  'a version without a revision': (store) => [put(store, a, 1)],
  'a deletion, and a new record': (store) => [remove(a, rev(9)), put(store, a, 2, { rev: rev(10) })],
  'a version that is refused': (store) => [refuse(store, a, rev(9))],
  'one that is refused and nobody vouches for': (store) => [refuse(store, a)],
  'a whole repository': (store) => [put(store, a, 1, { rev: rev(9) }), repoEnd(0, rev(9))],
  'the account that comes back': (store) => [
    account(0, 'deactivated', 1),
    account(0, null, 2),
    put(store, a, 1, { rev: rev(9) }),
  ],
  'the account that is deleted and made again': (store) => [
    account(0, 'deleted', 1),
    account(0, null, 2),
    put(store, a, 2, { rev: rev(9) }),
  ],
}

for (const subject of [record, ann])
  onEveryEngine(
    `nothing brings a purged ${subject === ann ? 'account' : 'record'} back until it is shown again`,
    async (database) => {
      // A database for each takes PostgreSQL ten times as long as a file.
      const some = someForms(Object.entries(returns), database === 'sqlite' ? Infinity : 4)
      for (const [turn, [event, changesOf]] of some.entries()) {
        await using store = await threeNotes(await newUrl(database))
        await purge(store, subject)
        if (turn % 2 === 0) await settleAll(store)
        for (const change of changesOf(store)) await apply(store, change)
        await settleAll(store)
        assert.ok(!(await seen(store)).includes('a'), event)
        assert.deepEqual(await store.database.read.readSteps(() => measurePurge(subject)), nothing, event)
        await assertDerived(store)
        await store.metadata.unhide(subject, 'tester')
        await settleAll(store)
        assert.ok(!(await seen(store)).includes('a'), event)
        const outcome = await apply(store, account(0, null, 3), put(store, a, 3, { rev: rev(20) }))
        assert.deepEqual(outcome, { ...noOutcome, stored: 1 }, event)
        assert.ok((await seen(store)).includes('a'), event)
        await assertDerived(store)
      }
    },
  )

onEveryEngine('what is not here yet can be purged, and never arrives', async (database) => {
  for (const subject of [uriOf(spot('x', 2)), dids[2] as string]) {
    await using store = await threeNotes(await newUrl(database))
    assert.deepEqual(await purge(store, subject), nothing)
    await settleAll(store)
    const outcome = await apply(store, put(store, spot('x', 2), 0, { rev: rev(1) }))
    await assertOutcome(outcome, { purged: 1 })
    assert.deepEqual(await store.rows('select did from actor where did = ?', dids[2] as string), [])
    await store.metadata.addJobs('backfill', [{ did: dids[2] as string, host: null, reason: 'A test.' }])
    const jobs = await store.metadata.countJobs('backfill')
    assert.equal(jobs.waiting, subject === dids[2] ? 0 : 1)
  }
})

onEveryEngine('an import and a rebuild leave out what was purged before', async (database) => {
  const path = await newUrl(database)
  {
    await using store = await openNotes(path)
    await purge(store, record)
    await purge(store, dids[1] as string)
    const lines = ['a', 'b', 'c'].flatMap((rkey) => [0, 1].map((did) => put(store, spot(rkey, did), did)))
    const outcome = await store.database.write.load(inPairs(lines))
    await assertOutcome(outcome, { stored: 2, purged: 4 })
    await assertDerived(store)
  }
  await using store = await openNotes(path, undefined, widerLexicons)
  assert.deepEqual(await seen(store), ['b', 'c'])
  await assertDerived(store, widerLexicons)
})

onEveryEngine('a purge that was broken off is finished by a rebuild too', async (database) => {
  const path = await newUrl(database)
  {
    await using store = await threeNotes(path)
    await purge(store, ann)
  }
  await using store = await openNotes(path, undefined, widerLexicons)
  await settleAll(store)
  assert.deepEqual(await store.database.read.readSteps(() => measurePurge(ann)), nothing)
  assert.deepEqual(await seen(store), ['c'])
})

onEveryEngine('a purge while the collection is not served holds when it is again', async (database) => {
  const served = [noteLexicons[1] as (typeof noteLexicons)[number]]
  for (const subject of [record, ann]) {
    const path = await newUrl(database)
    await (await threeNotes(path))[Symbol.asyncDispose]()
    {
      await using store = await openNotes(path, undefined, served)
      const records = subject === ann ? 2 : 1
      assert.deepEqual(await purge(store, subject), { ...nothing, collections: [{ name: note, records }] })
      assert.deepEqual(await store.database.read.readSteps(() => measurePurge(subject)), nothing)
      await settleAll(store)
    }
    await using store = await openNotes(path)
    assert.deepEqual(await seen(store), subject === ann ? ['c'] : ['b', 'c'])
    await assertDerived(store)
  }
})

onStoppedNotes('who, when and why is kept, of the hiding before too', async (store, { clock, metadata }) => {
  const at = clock.now()
  await metadata.hide({ subject: record, reason: 'First.', hiddenBy: 'ann' })
  clock.advance(5n)
  await metadata.purge({ subject: record, reason: 'Second.', purgedBy: 'ben' })
  const hiding = {
    subject: record,
    reason: 'First.',
    hiddenBy: 'ann',
    hiddenAt: at,
    shownBy: null,
    shownAt: null,
  }
  const purged = { purgedBy: 'ben', purgedAt: at + 5n, reason: 'Second.', erasedAt: null }
  assert.deepEqual(await store.database.read.readSteps(readHidings), [{ ...hiding, purge: purged }])
  assert.deepEqual(await metadata.unfinishedPurges(), [record])
  assert.equal((await store.database.read.readStatus()).unfinishedPurges, 1)
  await store.database.write.compact()
  await metadata.endPurges()
  assert.deepEqual(await metadata.unfinishedPurges(), [])
  assert.equal((await store.database.read.readStatus()).unfinishedPurges, 0)
  await metadata.unhide(record, 'cai')
  clock.advance(5n)
  // Another hiding is no purge.
  await metadata.hide({ subject: record, reason: 'Third.', hiddenBy: 'cai' })
  const outcome = await apply(store, put(store, a, 0, { rev: rev(1) }))
  await assertOutcome(outcome, { withheld: 1 })
})

onThreeNotes('a purge of which rows are left does not end', async (store, { metadata }) => {
  await purge(store, ann)
  await purge(store, uriOf(spot('x', 2)))
  assert.deepEqual(await metadata.unfinishedPurges(), [ann, uriOf(spot('x', 2))])
  await metadata.endPurges()
  assert.deepEqual(await metadata.unfinishedPurges(), [ann])
  await settleAll(store)
  await metadata.endPurges()
  assert.deepEqual(await metadata.unfinishedPurges(), [])
})

onEveryEngine('another writer honours at once what is purged', async (database) => {
  const path = await newUrl(database)
  await using one = await threeNotes(path)
  await using other = await openNotes(path)
  await apply(one, put(one, a, 1, { rev: rev(5) }))
  await purge(other, record)
  await assertOutcome(apply(one, put(one, a, 2, { rev: rev(6) })), { purged: 1 })
  await purge(other, ann)
  await assertOutcome(apply(one, put(one, spot('b'), 2, { rev: rev(6) })), { purged: 1 })
  await settleAll(one)
  await assertDerived(one)
})

test('a long read keeps a purge from its end, which another run reaches', async (context) => {
  const path = inFolder('reader')
  await using store = await openNotes(path)
  await store.apply({ uri: record, value: { $type: note, text: 'remembered' } })
  await using reader = await openNotes(path)
  const rows = reader.database.read.readRows({
    text: `select rkey from "${note}" union all values (1), (2)`,
    values: [],
  })
  const reading = rows[Symbol.asyncIterator]()
  await reading.next()
  await purge(store, record)
  // As long as it is waited for, in a moment.
  let at = 0
  context.mock.method(performance, 'now', () => (at += 10_000))
  assert.equal(await store.database.write.compact(), false)
  context.mock.restoreAll()
  while ((await reading.next()).done !== true);
  assert.equal(await store.database.write.compact(), true)
})

test('a purge does not end while a rebuild has tables of its own', async () => {
  const path = inFolder('rebuilding')
  await using store = await openNotes(path)
  await store.apply({ uri: record, value: { $type: note, text: 'remembered' } })
  await purge(store, record)
  await tamperWith(path, 'create table "next/any" (x)')
  assert.equal(await store.database.write.compact(), false)
  await tamperWith(path, 'drop table "next/any"')
  assert.equal(await store.database.write.compact(), true)
})

onEveryEngine('after a purge the rest is as if the purged had never been there', async (database) => {
  const step = fc.record({
    kind: fc.constantFrom(
      ...'put,put,put,put,put,put,remove,remove,refuse,hide,purge,purge,settle'.split(','),
    ),
    at: fc
      .tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(2), fc.constantFrom(note, mark))
      .map((place) => spot(...place)),
    content: fc.nat(contentCount - 1),
    whole: fc.boolean(),
  })
  await assertHolds(
    fc.array(step, { minLength: 5, maxLength: 25 }),
    async (steps) => {
      const purged = new Set(
        steps.flatMap(({ kind, at, whole }) => (kind === 'purge' ? [whole ? at.did : uriOf(at)] : [])),
      )
      await using store = await openNotes(await newUrl(database))
      await using without = await openNotes(await newUrl(database))
      for (const [turn, one] of steps.entries()) {
        const { at } = one
        const isPurged = purged.has(at.did) || purged.has(uriOf(at))
        for (const its of isPurged ? [store] : [store, without]) {
          const revision = rev(turn + 1)
          if (one.kind === 'put')
            await apply(its, put(its, at, one.content, { rev: revision, indexedAt: instant(turn) }))
          if (one.kind === 'remove') await apply(its, remove(at, revision))
          if (one.kind === 'refuse') await apply(its, refuse(its, at, revision))
          if (one.kind === 'hide') await hide(its, uriOf(at))
          if (one.kind === 'settle') await settleAll(its, 1)
        }
        if (one.kind === 'purge') await purge(store, one.whole ? at.did : uriOf(at))
      }
      await settleAll(store)
      for (const subject of purged)
        assert.deepEqual(await store.database.read.readSteps(() => measurePurge(subject)), nothing, subject)
      assert.deepEqual(await visibleRecords(store), await visibleRecords(without))
      for (const its of [store, without]) await assertDerived(its)
      const kept = (its: TestStore) =>
        Array.fromAsync(
          [
            'select b.uri, p.rkey from parked p join base b on b.id = p.base order by 1, 2',
            'select b.uri, p.rkey, rev from tombstone p join base b on b.id = p.base order by 1, 2',
            'select key, reason, rev from rejection order by key',
          ],
          (text) => its.rows(text),
        )
      assert.deepEqual(await kept(store), await kept(without))
    },
    database === 'sqlite' ? 10 : 1,
  )
})

function instant(turn: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, turn)).toISOString()
}
