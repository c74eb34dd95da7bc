import assert from 'node:assert/strict'
import { newUrl, assertOutcome, hide, seen, show } from '../../test/support/store/note-stores.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import {
  account,
  apply,
  assertDerived,
  dids,
  mark,
  note,
  noteLexicons,
  put,
  refuse,
  remove,
  repoEnd,
  rev,
  settleAll,
  spot,
  stoppedClock,
  widerLexicons,
} from '../../test/support/records/notes.ts'
import type { Engine } from '../../test/support/store/postgres.ts'
import { openTestStore, type TestStore } from '../../test/support/store/store.ts'
import { formatInstant } from '../util/instant.ts'
import { readRejections } from './metadata/read-rejections.ts'

const day = 86_400_000_000n
const tenDays = new Map([[note, 10n * day]])

for (const order of [
  [0, 1, 2, 3],
  [3, 0, 2, 1],
])
  onExpiring(
    `old records that were stored in the order ${order} leave some at a time`,
    async (store, clock) => {
      const base = clock.now()
      for (const days of order)
        await apply(
          store,
          put(store, spot(`k${days}`), days, {
            rev: rev(1),
            indexedAt: formatInstant(base + BigInt(days) * day),
          }),
        )
      await apply(store, put(store, spot('m', 0, mark), 0, { rev: rev(1), indexedAt: formatInstant(base) }))
      clock.advance(10n * day)
      assert.equal(await expire(store), 0)
      clock.advance(2n * day)
      assert.equal(await expire(store, 1), 1)
      assert.deepEqual(await seen(store), ['k1', 'k2', 'k3', 'm'])
      assert.equal(await expire(store, 5), 1)
      assert.equal(await expire(store, 5), 0)
      assert.deepEqual(await seen(store), ['k2', 'k3', 'm'])
      await assertDerived(store)
      const status = await store.database.read.readStatus()
      assert.equal(status.collections.find(({ name }) => name === note)?.outcomes.expired, 2)
    },
  )

onExpiring('what has expired is not stored again, until its publisher deletes it', async (store, clock) => {
  await apply(store, put(store, spot('a'), 0, { rev: rev(1) }), put(store, spot('b'), 0, { rev: rev(1) }))
  clock.advance(11n * day)
  assert.equal(await expire(store), 2)
  const again = await apply(
    store,
    put(store, spot('a'), 0, { rev: rev(5) }),
    put(store, spot('a'), 1, { rev: rev(6) }),
    put(store, spot('b'), 0, { rev: rev(6) }),
    put(store, spot('c'), 0, { rev: rev(6) }),
    repoEnd(0, rev(6)),
  )
  await assertOutcome(again, { stored: 1, expired: 3 })
  assert.deepEqual(await seen(store), ['c'])
  // A repository without it ends what is known of it.
  await apply(store, put(store, spot('b'), 0, { rev: rev(7) }), repoEnd(0, rev(7)))
  assert.deepEqual(await store.column('select rkey from expired'), ['b'])
  await apply(store, remove(spot('b'), rev(8)))
  assert.deepEqual(await store.rows('select rkey from expired'), [])
  await apply(store, put(store, spot('b'), 0, { rev: rev(9) }))
  assert.deepEqual(await seen(store), ['b'])
  await assertDerived(store)
})

onExpiring('what comes with an age of its own is judged by that', async (store, clock, engine) => {
  const [old, young] = [10n * day + 1_000n, 10n * day].map((age) => formatInstant(clock.now() - age))
  const lines = [
    put(store, spot('a'), 0, { rev: rev(1), indexedAt: String(old) }),
    put(store, spot('b'), 0, { rev: rev(1), indexedAt: String(young) }),
  ]
  await assertOutcome(apply(store, ...lines), { stored: 1, expired: 1 })
  assert.deepEqual(await seen(store), ['b'])
  await using loaded = await openAt(await newUrl(engine), clock.now, tenDays)
  const outcome = await loaded.database.write.load(
    (async function* () {
      yield lines
    })(),
  )
  await assertOutcome(outcome, { stored: 1, expired: 1 })
  await assertDerived(loaded)
})

onEveryEngine('records that are kept for longer come back as old as they are', async (database) => {
  const url = await newUrl(database)
  const clock = stoppedClock()
  const began = clock.now()
  {
    await using store = await openAt(url, clock.now, tenDays)
    await apply(store, put(store, spot('a'), 0, { rev: rev(1) }))
    clock.advance(11n * day)
    await expire(store)
  }
  {
    // A process without a retention brings nothing back.
    await using store = await openAt(url, clock.now)
    await assertOutcome(apply(store, put(store, spot('a'), 0, { rev: rev(2) })), { expired: 1 })
    assert.equal(await expire(store), 0)
  }
  await using store = await openAt(url, clock.now, new Map([[note, 20n * day]]))
  await assertOutcome(apply(store, put(store, spot('a'), 0, { rev: rev(3) })), { stored: 1 })
  assert.equal(BigInt(Number((await store.rows(`select indexed_at from "${note}"`))[0]?.indexed_at)), began)
  assert.deepEqual(await store.rows('select * from expired'), [])
})

onExpiring('quarantined records and what was refused expire too', async (store, clock) => {
  await apply(
    store,
    put(store, spot('a'), 0, { rev: rev(1) }),
    put(store, spot('b', 1), 0, { rev: rev(1) }),
    refuse(store, spot('r'), rev(1)),
    refuse(store, spot('s', 0, mark), rev(1)),
  )
  await hide(store, dids[0] as string)
  await settleAll(store)
  clock.advance(11n * day)
  while ((await expire(store, 1)) > 0);
  assert.deepEqual(await store.rows('select rkey from parked'), [])
  assert.deepEqual(await store.column('select rkey from expired order by rkey'), ['a', 'b'])
  const refused = await store.database.read.readSteps(() => readRejections(9, null))
  assert.deepEqual(
    refused.map(({ uri }) => uri?.split('/').at(-1)),
    ['s'],
  )
  await show(store, dids[0] as string)
  await settleAll(store)
  await assertOutcome(apply(store, put(store, spot('a'), 0, { rev: rev(3) })), { expired: 1 })
  await apply(store, account(0, 'deleted', 1))
  await settleAll(store)
  assert.deepEqual(await store.column('select rkey from expired'), ['b'])
})

onEveryEngine('a rebuild keeps what is too old, which then leaves with a note of it', async (database) => {
  const url = await newUrl(database)
  const clock = stoppedClock()
  {
    await using store = await openAt(url, clock.now, tenDays)
    await apply(store, put(store, spot('a'), 0, { rev: rev(1) }))
  }
  clock.advance(11n * day)
  await using store = await openAt(url, clock.now, tenDays, widerLexicons)
  assert.deepEqual(await seen(store), ['a'])
  assert.equal(await expire(store), 1)
  assert.equal((await store.rows('select rkey from expired')).length, 1)
})

function onExpiring(
  sentence: string,
  holds: (store: TestStore, clock: ReturnType<typeof stoppedClock>, engine: Engine) => Promise<void>,
): void {
  onEveryEngine(sentence, async (engine) => {
    const clock = stoppedClock()
    await using store = await openAt(await newUrl(engine), clock.now, tenDays)
    await holds(store, clock, engine)
  })
}

function openAt(
  path: string,
  now: () => bigint,
  retention?: ReadonlyMap<string, bigint>,
  lexicons = noteLexicons,
): Promise<TestStore> {
  return openTestStore({ path, lexicons, now, ...(retention && { retention }) })
}

function expire({ database }: TestStore, limit = 100): Promise<number> {
  return database.write.metadata.expireRecords(limit)
}
