import assert from 'node:assert/strict'
import { newUrl } from '../../test/support/store/note-stores.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import {
  account,
  apply,
  assertDerived,
  note,
  openNotes,
  put,
  rev,
  spot,
  stoppedClock,
} from '../../test/support/records/notes.ts'
import { formatInstant } from '../util/instant.ts'

onEveryEngine('times of a clock that was ahead end when the records are told again', async (engine) => {
  const clock = stoppedClock()
  await using store = await openNotes(await newUrl(engine), clock.now)
  const tell = (...keys: readonly string[]) =>
    apply(store, ...keys.map((key) => put(store, spot(key), 0, { rev: rev(1) })))
  const times = async () =>
    Object.fromEntries(
      (await store.rows(`select rkey, indexed_at from "${note}" order by indexed_at`)).map(
        ({ rkey, indexed_at: at }) => [rkey, at],
      ),
    )
  const day = 86_400_000_000n
  const start = Number(clock.now())
  await tell('a')
  clock.advance(day)
  await tell('b', 'c')
  await apply(store, account(1, null, 1), put(store, spot('d', 1), 0, { rev: rev(1) }))
  clock.advance(-day)
  const before = await times()
  assert.ok(Number(before['b']) >= start + Number(day))
  // Told with its time, a record keeps it.
  const given = formatInstant(clock.now() + 2n * day)
  await apply(store, put(store, spot('d', 1), 0, { rev: rev(1), indexedAt: given }))
  assert.deepEqual(await times(), before)
  await apply(
    store,
    ...['c', 'b', 'a'].map((key) => put(store, spot(key), 0, { rev: rev(1) })),
    put(store, spot('d', 1), 0, { rev: rev(1) }),
  )
  const after = await times()
  assert.equal(after['a'], before['a'])
  assert.deepEqual(Object.keys(after), ['a', 'c', 'b', 'd'])
  assert.ok(Object.values(after).every((at) => Number(at) < start + 1_000_000))
  await tell('e')
  await assertDerived(store)
  if (engine === 'sqlite') assert.ok((await store.database.read.readPlanState()).ordered.has(note))
})
