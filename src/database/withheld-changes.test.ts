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
  account,
  apply,
  assertDerived,
  contentJson,
  dids,
  note,
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
} from '../../test/support/records/notes.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import { inPairs, type TestStore } from '../../test/support/store/store.ts'
import type { Change } from './database.ts'

const ann = dids[0] as string
const a = spot('a')
const record = uriOf(a)

/** What the network may send of a hidden record, and which of its contents is shown when it is hidden no more. */
const events: Record<
  string,
  (store: TestStore) => readonly [changes: readonly Change[], content: number | null]
> = {
  nothing: () => [[], 0],
  'an update': (store) => [[put(store, a, 1, { rev: rev(9) })], 1],
  'the same again': (store) => [[put(store, a, 0, { rev: rev(1) }), put(store, a, 0, { rev: rev(9) })], 0],
  'an older version': (store) => [[put(store, a, 1, { rev: rev(0) })], 0],
  'a version without a revision': (store) => [[put(store, a, 1)], 0],
  'a deletion': () => [[remove(a, rev(9))], null],
  'a deletion, and a new record': (store) => [[remove(a, rev(9)), put(store, a, 2, { rev: rev(10) })], 2],
  'a deletion before, and the record': (store) => [
    [remove(a, rev(9)), put(store, a, 2, { rev: rev(8) })],
    null,
  ],
  'a version that is refused': (store) => [[refuse(store, a, rev(9))], null],
  'a refused version, and one that fits': (store) => [
    [refuse(store, a, rev(9)), put(store, a, 3, { rev: rev(10) })],
    3,
  ],
  'the end of a repository that has it': (store) => [
    [put(store, a, 1, { rev: rev(9) }), repoEnd(0, rev(9))],
    1,
  ],
  'the end of a repository that has it not': () => [[repoEnd(0, rev(9))], null],
  'a sign that its handle may have changed': () => [[{ kind: 'identity', did: ann }], 0],
  'a deactivation, and activity again': () => [[account(0, 'deactivated', 1), account(0, null, 2)], 0],
  'activity of an active account': () => [[account(0, null, 1)], 0],
  'a deactivation': () => [[account(0, 'deactivated', 1)], null],
  'a deletion of the account': () => [[account(0, 'deleted', 1)], null],
  'a deletion of the account, and a new one': (store) => [
    [account(0, 'deleted', 1), account(0, null, 2), put(store, a, 2, { rev: rev(9) })],
    2,
  ],
}

for (const subject of [record, ann]) {
  const what = subject === ann ? 'account' : 'record'
  onEveryEngine(
    `whatever the network sends, a hidden ${what} stays out, and the latest is shown then`,
    async (database) => {
      for (const [turn, [event, changesOf]] of Object.entries(events).entries()) {
        // Each event before and after the rows leave, on one of the engines.
        const settles = (turn % 2 === 0) === (database === 'sqlite')
        await using store = await threeNotes(await newUrl(database))
        await hide(store, subject)
        const settleThen = async (): Promise<void> => {
          if (settles) await settleAll(store, 1)
          assert.ok(!(await seen(store)).includes('a'), event)
        }
        await settleThen()
        const [changes, content] = changesOf(store)
        for (const change of changes) {
          await apply(store, change)
          await settleThen()
        }
        await settleAll(store)
        assert.ok(!(await seen(store)).includes('a'), event)
        await assertDerived(store)
        await show(store, subject)
        await settleAll(store)
        const found = (await visibleRecords(store)).get(record)
        assert.equal(found, content === null ? undefined : contentJson(note, content), event)
        await assertDerived(store)
      }
    },
  )
}

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

onEveryEngine(
  'only who neither the network nor an operator hides is seen, in whatever order they speak',
  async (database) => {
    const network = [account(0, 'suspended', 1), account(0, null, 2)]
    for (const order of ['nhHN', 'nhNH', 'hnHN', 'hnNH'])
      for (const settles of [false, true]) {
        await using store = await threeNotes(await newUrl(database))
        const holds = new Set<string>()
        for (const letter of order) {
          if (letter === 'n' || letter === 'N') await apply(store, network[letter === 'n' ? 0 : 1] as Change)
          else await (letter === 'h' ? hide(store, ann) : show(store, ann))
          if (letter === letter.toLowerCase()) holds.add(letter)
          else holds.delete(letter.toLowerCase())
          if (settles || holds.size === 0) await settleAll(store, 1)
          assert.deepEqual(await seen(store), holds.size === 0 ? ['a', 'b', 'c'] : ['c'], order)
        }
        await assertDerived(store)
      }
  },
)

onEveryEngine(
  'records that are hidden by themselves wait on when their account comes back',
  async (database) => {
    for (const first of [record, ann]) {
      await using store = await threeNotes(await newUrl(database))
      for (const subject of first === ann ? [ann, record] : [record, ann]) await hide(store, subject)
      await settleAll(store)
      // Of the two that it has one comes back.
      assert.equal(await show(store, ann), 1)
      await apply(store, put(store, a, 1, { rev: rev(9) }))
      await settleAll(store)
      assert.deepEqual(await seen(store), ['b', 'c'])
      await apply(store, account(0, 'suspended', 1))
      assert.equal(await show(store, record), 0)
      assert.deepEqual(await seen(store), ['c'])
      await apply(store, account(0, null, 2))
      await settleAll(store)
      assert.equal((await visibleRecords(store)).get(record), contentJson(note, 1))
      await assertDerived(store)
    }
  },
)

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
