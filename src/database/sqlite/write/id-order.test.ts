import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  account,
  apply,
  assertDerived,
  assertHolds,
  assertOrder,
  note,
  openNotes,
  put,
  remove,
  repoEnd,
  rev,
  settleAll,
  spot,
  stoppedClock,
} from '../../../../test/support/records/notes.ts'
import { type Row, temporaryFolder, type TestStore } from '../../../../test/support/store/store.ts'
import type { Change } from '../../database.ts'
import { formatInstant } from '../../../util/instant.ts'

const inFolder = temporaryFolder()
const second = 1_000_000n
const day = 86_400n * second

test('a file says that ids are in order only if they are, and again when the last time that was ahead has gone', () =>
  assertHolds(fc.array(step, { minLength: 5, maxLength: 40 }), follow, 30))

test('a time that was ahead is not the end of the ids any more when it has gone from the quarantine', async () => {
  const { now, advance } = stoppedClock()
  await using store = await openNotes(inFolder('end.db'), now)
  const tell = (at: ReturnType<typeof spot>) => apply(store, put(store, at, 0, { rev: rev(1) }))
  const isOrdered = async () => (await store.database.read.readPlanState()).ordered.has(note)
  await tell(spot('a'))
  advance(day)
  await tell(spot('b', 1))
  advance(-day)
  await tell(spot('c'))
  await tell(spot('d', 2))
  assert.equal(await isOrdered(), false)
  for (const did of [1, 2]) await apply(store, account(did, 'deactivated', 1))
  await settleAll(store)
  assert.equal(await isOrdered(), false)
  // Told in quarantine, the record has no id until it returns.
  await tell(spot('b', 1))
  assert.equal(await isOrdered(), true)
  const { version } = await store.database.read.readPlanState()
  await tell(spot('e'))
  assert.equal((await store.database.read.readPlanState()).version, version)
  await apply(store, account(2, null, 2))
  await settleAll(store)
  assert.equal(await isOrdered(), true)
  await assertDerived(store)
})

const did = fc.constantFrom(0, 1, 2)
const rkey = fc.constantFrom('a', 'b', 'c', 'd')

/** From now; null: now, by the clock. */
const after = fc.constantFrom(...Array(24).fill(null), -day, 0n, second / 2n, 2n * second, day, 2n * day)

const event = fc.oneof(
  { weight: 7, arbitrary: fc.record({ kind: fc.constant('put' as const), did, rkey, after }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), did, rkey }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), did }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('account' as const),
      did,
      status: fc.constantFrom('deactivated', 'deactivated', 'deleted', null, null, null),
    }),
  },
)
type Event = typeof event extends fc.Arbitrary<infer One> ? One : never

const step = fc.record({
  what: fc.constantFrom(
    ...'batch,batch,batch,batch,batch,broken batch,settle,settle all,reopen,repair'.split(','),
  ),
  events: fc.array(event, { minLength: 1, maxLength: 8 }),
  /** The clock is moved by this before. */
  clock: fc.constantFrom(0n, 0n, 0n, 2n * second, -2n * second, day, -day, -day),
  did,
  rkey,
  /** Two connections write to one file. */
  process: fc.constantFrom(0, 0, 0, 1),
})
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

let files = 0

async function follow(steps: readonly Step[]): Promise<void> {
  const path = inFolder(`order${(files += 1)}.db`)
  const { now, advance } = stoppedClock()
  const stores: [TestStore, TestStore] = [await openNotes(path, now), await openNotes(path, now)]
  let turn = 1
  const changesOf = (store: TestStore, events: readonly Event[]): Change[] =>
    events.map((given) => {
      switch (given.kind) {
        case 'put': {
          const indexedAt = given.after === null ? undefined : formatInstant(now() + given.after)
          return put(store, spot(given.rkey, given.did), 0, {
            rev: rev(turn),
            ...(indexedAt && { indexedAt }),
          })
        }
        case 'delete':
          return remove(spot(given.rkey, given.did), rev(turn))
        case 'end':
          return repoEnd(given.did, rev(turn))
        case 'account':
          return account(given.did, given.status, turn)
      }
    })
  const run = async ({ what, events, did, rkey, process }: Step): Promise<void> => {
    const store = stores[process]
    switch (what) {
      case 'batch':
        await apply(store, ...changesOf(store, events))
        break
      case 'broken batch': {
        // Changes of other runs are written before the change fails.
        const unknown = { ...put(store, spot(rkey, did), 0), collection: 'x.y.z' } as Change
        const changes = [...changesOf(store, events), account(2, null, turn), unknown]
        await assert.rejects(apply(store, ...changes), /x\.y\.z/)
        break
      }
      case 'settle':
        await store.metadata.settleAccounts(1)
        break
      case 'settle all':
        await settleAll(store)
        break
      case 'reopen':
        await store[Symbol.asyncDispose]()
        stores[process] = await openNotes(path, now)
        break
      case 'repair':
        await apply(
          store,
          ...(await placesOf(store)).map((row) => {
            const at = { did: String(row['did']), collection: note, rkey: String(row['rkey']) }
            return put(store, at, 0, { rev: rev(turn) })
          }),
        )
        break
    }
  }
  const follows = async (one: Step): Promise<void> => {
    turn += 1
    advance(one.clock)
    const isAhead = ({ indexed_at: at }: Row): boolean => Number(at) > Number(now() + second)
    const wasAhead = (await placesOf(stores[0])).some(isAhead)
    await run(one)
    const [store] = stores
    await assertOrder(store)
    const { ordered } = await store.database.read.readPlanState()
    const places = await placesOf(store)
    const ids = places.map(({ id }) => Number(id))
    const isInOrder = ids.every((id, index) => index === 0 || id > (ids[index - 1] as number))
    const hasEnded = wasAhead && !places.some(isAhead)
    if (ordered.has(note)) assert.ok(isInOrder, `not in order: ${JSON.stringify(places)}`)
    else if (hasEnded) assert.ok(!isInOrder, `in order, which is not noticed: ${JSON.stringify(places)}`)
  }
  try {
    for (const one of steps) await follows(one)
    const last: Omit<Step, 'what'> = { clock: 0n, events: [], did: 0, rkey: 'a', process: 0 }
    await follows({ ...last, what: 'settle all' })
    await follows({ ...last, what: 'repair' })
    await assertDerived(stores[0])
  } finally {
    for (const store of stores) await store[Symbol.asyncDispose]()
  }
}

/** Rows that have ids, also quarantined ones, in the default order. */
function placesOf(store: TestStore): Promise<readonly Row[]> {
  const row = 'select t.id, t.indexed_at, t.rkey, base.did'
  return store.rows(
    `${row} from "${note}" t join base on base.id = t.base union all
     ${row} from parked t join base on base.id = t.base where base.collection = ? and t.id is not null
     order by 2, 3, 4`,
    note,
  )
}
