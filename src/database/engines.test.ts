import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keptState, withoutTimes } from '../../test/support/store/kept-state.ts'
import {
  account,
  assertHolds,
  contentCount,
  mark,
  note,
  openNotes,
  put,
  refuse,
  remove,
  repoEnd,
  rev,
  settleAll,
  spot,
  stoppedClock,
} from '../../test/support/records/notes.ts'
import { databases } from '../../test/support/store/postgres.ts'
import { emptyDatabases, type TestStore } from '../../test/support/store/store.ts'
import type { Change } from './database.ts'

const emptyUrl = emptyDatabases()

/** One thing that is said; revisions and moments are of a few, so that they meet. */
const said = fc.record({
  what: fc.constantFrom(
    ...'put,put,put,put,put,import,import at,delete,delete,refuse,refuse unsigned'.split(','),
    ...'end,account,account,identity,request'.split(','),
  ),
  did: fc.constantFrom(0, 0, 1),
  rkey: fc.constantFrom('a', 'b', 'c', 'd'),
  collection: fc.constantFrom(note, note, mark),
  content: fc.nat(contentCount - 1),
  rev: fc.nat(12),
  status: fc.constantFrom(null, null, 'suspended', 'takendown', 'deleted'),
})
type Said = typeof said extends fc.Arbitrary<infer One> ? One : never

const batch = fc.record({
  said: fc.array(said, { minLength: 1, maxLength: 15 }),
  /** Rows of accounts that are moved afterwards. */
  settled: fc.constantFrom(0, 0, 1, 3),
})

test('both engines store the same for random changes in random batches', { skip: databases.length < 2 }, () =>
  assertHolds(
    fc.tuple(
      fc.oneof(fc.constant([]), fc.array(said, { maxLength: 12 })),
      fc.array(batch, { minLength: 1, maxLength: 12 }),
    ),
    async ([loaded, batches]) => {
      const clock = stoppedClock()
      await using one = await openNotes(await emptyUrl('sqlite'), clock.now)
      await using other = await openNotes(await emptyUrl('postgres'), clock.now)
      const both = async <Result>(work: (store: TestStore) => Promise<Result>): Promise<void> => {
        assert.deepEqual(await work(other), await work(one))
        clock.advance(1_000_000n)
      }
      await both((store) => store.database.write.load(inThrees(loaded.map((it) => dated(store, it)))))
      for (const { said: things, settled } of batches) {
        const sourceMark = { source: 'live', cursor: String(things.length), eventAt: clock.now() - 5n }
        await both((store) =>
          store.database.write.applyBatch(
            things.map((it) => change(store, it)),
            sourceMark,
          ),
        )
        if (settled > 0) await both((store) => store.metadata.settleAccounts(settled))
      }
      await both(async (store) => {
        await settleAll(store)
        // Of versions that are replaced at once one engine knows where they referred to, and the other never asked.
        const { base: _, ...state } = await keptState(store)
        // Moments are drawn again for what a load finds to be there already.
        return loaded.length === 0 ? state : withoutTimes(state)
      })
    },
    3,
  ),
)

function change(store: TestStore, it: Said): Change {
  const at = spot(it.rkey, it.did, it.collection)
  const revision = rev(it.rev)
  const changes: Readonly<Record<string, () => Change>> = {
    put: () => put(store, at, it.content, { rev: revision }),
    import: () => put(store, at, it.content),
    'import at': () => dated(store, it),
    delete: () => remove(at, revision),
    refuse: () => refuse(store, at, revision),
    'refuse unsigned': () => refuse(store, at),
    end: () => repoEnd(it.did, revision),
    account: () => account(it.did, it.status, it.rev),
    identity: () => ({ kind: 'identity', did: at.did }),
    request: () => ({ kind: 'repo-request', did: at.did, reason: 'It has diverged', ifKnown: true }),
  }
  return (changes[it.what] as () => Change)()
}

function dated(store: TestStore, { rkey, did, collection, content, rev: n }: Said): Change {
  const at = spot(rkey, did, collection)
  const indexedAt = `2026-01-${n + 10}T00:00:00Z`
  return put(store, at, content, { indexedAt, ...(n % 2 === 0 && { rev: rev(n) }) })
}

async function* inThrees(changes: readonly Change[]): AsyncGenerator<readonly Change[]> {
  for (let start = 0; start < changes.length; start += 3) yield changes.slice(start, start + 3)
}
