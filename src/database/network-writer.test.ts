import assert from 'node:assert/strict'
import { newUrl, onNotes, assertOutcome, seen } from '../../test/support/store/note-stores.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import fc from 'fast-check'
import {
  apply,
  assertDerived,
  assertHolds,
  assertOrder,
  contentCount,
  contentJson,
  dids,
  mark,
  note,
  openNotes,
  put,
  refuse,
  remove,
  repoEnd,
  rev,
  type RecordAddress,
  spot,
  spotOf,
  uriOf,
  visibleRecords,
} from '../../test/support/records/notes.ts'
import type { Engine } from '../../test/support/store/postgres.ts'
import { keptState, withoutTimes } from '../../test/support/store/kept-state.ts'
import type { TestStore } from '../../test/support/store/store.ts'
import type { Change } from './database.ts'

onEveryEngine('streams in any order, snapshots and imports end in the highest revision', (database) =>
  assertHolds(
    fc.tuple(
      histories,
      fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
      snapshotsTaken,
      replays,
      imports,
      fc.array(fc.nat(), { maxLength: 300 }),
      batchSizes,
    ),
    async ([history, picks, taken, replayed, imported, turns, sizes]) => {
      // Every repository keeps a record, so that no snapshot is empty.
      const begun = everyRepo.map(
        (did): Said => ({ kind: 'put', at: spot('kept', did), rev: rev(0), content: 1 }),
      )
      const all = [...begun, ...history]
      const streams = [
        ...replayed.map((from) => [...all, ...all.slice(from % all.length)]),
        picks.map((pick) => all[pick % all.length] as Said),
        ...taken.map(({ did, when }) => snapshot(all, did, when)),
        imported,
      ]
      await assertTruth(database, interleave(streams, turns), sizes)
    },
    database === 'sqlite' ? 8 : 1,
  ),
)

onNotes('of a repository that nothing was ever heard of nothing is kept', async (store) => {
  await apply(store, repoEnd(0, rev(9)))
  for (const table of ['actor', 'base', 'tombstone'])
    assert.deepEqual(await store.rows(`select * from ${table}`), [])
})

onNotes('a snapshot takes out thousands of records and leaves the others', async (store) => {
  const many = Array.from({ length: 2500 }, (_, n) => spot(`k${n}`))
  const stays = (n: number): boolean => n % 100 === 0
  await apply(store, ...many.map((at, n) => put(store, at, 0, { rev: rev(stays(n) ? 9 : 1) })))
  await assertOutcome(apply(store, repoEnd(0, rev(5))), { deleted: 2475 })
  assert.equal((await seen(store)).length, 25)
})

onNotes('what is refused under a name that is none touches no other record', async (store) => {
  await apply(store, put(store, spot('a'), 0, { rev: rev(1) }))
  for (const rkey of ['a/b', '', 'a/'])
    await apply(store, { ...refuse(store, spot('a'), rev(2)), uri: uriOf({ ...spot('a'), rkey }) } as Change)
  assert.deepEqual(await seen(store), ['a'])
})

onNotes('a failed batch leaves rows, counts and cursor alone', async (store, { engine: database }) => {
  const at = { source: 'live', eventAt: 5n }
  await store.database.write.applyBatch(
    [put(store, spot('a'), 0, { rev: rev(1) }), refuse(store, spot('r'), rev(1))],
    { ...at, cursor: '1' },
  )
  const before = await keptState(store)
  const doomed: readonly Change[] = [
    put(store, spot('b', 1), 1, { rev: rev(2), indexedAt: '2001-01-01T00:00:00Z' }),
    remove(spot('a'), rev(2)),
    put(store, spot('r'), 2, { rev: rev(2) }),
    refuse(store, spot('q', 2), rev(2)),
    { kind: 'account', did: dids[0] as string, active: false, status: 'suspended', eventAt: 3n },
    { kind: 'repo-request', did: dids[2] as string, reason: 'It has diverged' },
    repoEnd(0, rev(2)),
  ]
  const wrong: Change = { kind: 'delete', ...spot('x'), collection: 'org.example.unknown', rev: rev(3) }
  const mark2 = { ...at, cursor: '2' }
  await assert.rejects(store.database.write.applyBatch([...doomed, wrong], mark2), /org\.example\.unknown/)
  assert.deepEqual(await keptState(store), before)
  // What is remembered of ids, order, bases, accounts and deletions is that of the file again.
  await using other = await openNotes(await newUrl(database))
  await other.database.write.applyBatch(
    [put(other, spot('a'), 0, { rev: rev(1) }), refuse(other, spot('r'), rev(1))],
    { ...at, cursor: '1' },
  )
  for (const each of [store, other]) await each.database.write.applyBatch(doomed, mark2)
  assert.deepEqual(withoutTimes(await keptState(store)), withoutTimes(await keptState(other)))
  await assertDerived(store)
})

onEveryEngine('a writer knows at once that another was told of an inactive account', async (database) => {
  const path = await newUrl(database)
  await using one = await openNotes(path)
  await using other = await openNotes(path)
  await apply(one, put(one, spot('b', 1), 0, { rev: rev(1) }))
  await apply(other, { kind: 'account', did: dids[1] as string, active: false, status: null, eventAt: 1n })
  await assertOutcome(apply(one, put(one, spot('d', 1), 0, { rev: rev(3) })), { withheld: 1 })
  assert.deepEqual(await seen(one), [])
  await assertDerived(one)
})

onEveryEngine('two writers whose clocks stand still give moments that rise', async (database) => {
  const path = await newUrl(database)
  const now = (): bigint => 1_770_000_000_000_000n
  await using one = await openNotes(path, now)
  await using other = await openNotes(path, () => now() - 3_000n)
  for (const n of [1, 2, 3, 4]) {
    await apply(one, put(one, spot(`z${n}`), 0, { rev: rev(n) }), put(one, spot(`a${n}`), 0, { rev: rev(n) }))
    await apply(
      other,
      put(other, spot(`y${n}`), 0, { rev: rev(n) }),
      put(other, spot(`b${n}`), 0, { rev: rev(n) }),
    )
  }
  const moments = await one.column(`select indexed_at from "${note}" order by id`)
  assert.deepEqual(moments, [...new Set(moments)].toSorted())
  assert.equal(moments.length, 16)
  assert.equal((await one.database.read.readPlanState()).ordered.has(note), database === 'sqlite')
  await assertOrder(one)
})

/** What is said of a record, or that all of a repository at a revision has been said. */
type Said =
  | {
      readonly kind: 'put'
      readonly at: RecordAddress
      readonly rev: string | null
      readonly content: number
    }
  | { readonly kind: 'delete' | 'refuse'; readonly at: RecordAddress; readonly rev: string }
  | { readonly kind: 'end'; readonly did: number; readonly rev: string }

const everyRepo = [0, 1, 2]
const spots = everyRepo.flatMap((did) => [
  spot('a', did),
  spot('b', did),
  spot('c', did),
  spot('a', did, mark),
])
const spotDrawn = fc.constantFrom(...spots)
const contentDrawn = fc.nat(contentCount - 1)
const batchSizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 })

/** What happened to the repositories, one revision each. */
const histories: fc.Arbitrary<readonly Said[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom('put', 'put', 'put', 'delete', 'refuse', 'end'),
      at: spotDrawn,
      content: contentDrawn,
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((steps) =>
    steps.map(({ kind, at, content }, n): Said => {
      const revision = rev(n + 1)
      if (kind === 'put') return { kind, at, content, rev: revision }
      if (kind === 'end') return { kind, did: dids.indexOf(at.did), rev: revision }
      return { kind: kind as 'delete' | 'refuse', at, rev: revision }
    }),
  )
const imports: fc.Arbitrary<readonly Said[]> = fc.array(
  fc.record({
    kind: fc.constant('put' as const),
    at: spotDrawn,
    rev: fc.constant(null),
    content: contentDrawn,
  }),
  { maxLength: 8 },
)
const snapshotsTaken = fc.array(fc.record({ did: fc.constantFrom(...everyRepo), when: fc.nat(42) }), {
  maxLength: 5,
})
/** A live stream for each, and from where it is replayed. */
const replays = fc.array(fc.nat(42), { minLength: 1, maxLength: 3 })

/** The whole rule: at each record the highest revision holds, and the end of a repository comes before its own. */
function truthOf(said: readonly Said[]): Map<string, Said> {
  const truth = new Map<string, Said>()
  const rank = (one: Said): string => (one.rev === null ? '' : one.rev + (one.kind === 'end' ? '' : '+'))
  for (const at of new Set(said.flatMap((one) => (one.kind === 'end' ? [] : [uriOf(one.at)])))) {
    const about = said.filter((one) =>
      one.kind === 'end' ? dids[one.did] === spotOf(at).did : uriOf(one.at) === at,
    )
    truth.set(
      at,
      about.reduce((last, one) => (rank(one) >= rank(last) ? one : last)),
    )
  }
  return truth
}

/** All that a fetch of the repository says that was taken after so many events, its first record included. */
function snapshot(history: readonly Said[], did: number, when: number): readonly Said[] {
  // What older fetches said is not in a repository.
  const length = everyRepo.length + (when % (history.length - everyRepo.length + 1))
  const before = history.slice(0, length).filter(({ kind }) => kind !== 'end')
  const revision = before.at(-1)?.rev as string
  const there = [...truthOf(before).values()].flatMap((one): Said[] =>
    one.kind === 'end' || one.kind === 'delete' || one.at.did !== dids[did]
      ? []
      : [{ ...one, rev: revision }],
  )
  return [...there, { kind: 'end', did, rev: revision }]
}

/** One sequence of several, each in its own order. */
function interleave(streams: readonly (readonly Said[])[], turns: readonly number[]): Said[] {
  const left = streams.map((stream) => [...stream])
  const merged: Said[] = []
  for (let turn = 0; left.some(({ length }) => length > 0); turn += 1) {
    const open = left.filter(({ length }) => length > 0)
    const next = open[(turns[turn % Math.max(turns.length, 1)] ?? turn) % open.length]?.shift()
    if (next !== undefined) merged.push(next)
  }
  return merged
}

/** Applies them in batches, by two writers in turn, and compares all that is stored with the truth. */
async function assertTruth(database: Engine, said: readonly Said[], sizes: readonly number[]): Promise<void> {
  const path = await newUrl(database)
  await using one = await openNotes(path)
  await using other = await openNotes(path)
  for (let at = 0, batch = 0; at < said.length; batch += 1) {
    const size = sizes[batch % sizes.length] as number
    const store = batch % 3 === 2 ? other : one
    await apply(store, ...said.slice(at, at + size).map((what) => changeOf(store, what)))
    at += size
  }
  const truth = [...truthOf(said)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const expected = truth.flatMap(([uri, last]) =>
    last.kind === 'put' ? [[uri, contentJson(last.at.collection, last.content)] as const] : [],
  )
  assert.deepEqual(await visibleRecords(one), new Map(expected))
  assert.deepEqual(
    await one.column('select uri from rejection order by uri'),
    truth.flatMap(([uri, last]) => (last.kind === 'refuse' ? [uri] : [])),
  )
  await assertDerived(other)
}

function changeOf(store: TestStore, said: Said): Change {
  switch (said.kind) {
    case 'put':
      return put(store, said.at, said.content, said.rev === null ? {} : { rev: said.rev })
    case 'delete':
      return remove(said.at, said.rev)
    case 'refuse':
      return refuse(store, said.at, said.rev)
    case 'end':
      return repoEnd(said.did, said.rev)
  }
}
