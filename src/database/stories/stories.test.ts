import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Json } from '../../../test/reference/shapes.ts'
import { parseInstant, printInstant } from '../../../test/reference/values.ts'
import { findDamage } from '../verify/find-damage.ts'
import { storiesOf } from '../../../test/reference/words/stories.ts'
import { assertHolds, rev, stoppedClock } from '../../../test/support/records/notes.ts'
import { onEveryEngine, onUntimedPostgres } from '../../../test/support/store/databases.ts'
import type { Engine } from '../../../test/support/store/postgres.ts'
import {
  emptyDatabases,
  openTestStore,
  recordLexicon,
  recordText,
  tamperWith,
  type TestStore,
} from '../../../test/support/store/store.ts'

const newUrl = emptyDatabases()
const report = 'org.example.report'
const lexicons = [
  recordLexicon(report, {
    title: { type: 'string', maxGraphemes: 300 },
    summary: { type: 'string', maxGraphemes: 3000 },
    at: { type: 'string', format: 'datetime' },
    repeats: { type: 'string', format: 'at-uri' },
    note: { type: 'integer' },
  }),
]
const stories = { [report]: { title: 'title', summary: 'summary', time: 'at', original: 'repeats' } }
const dids = ['did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', 'did:web:b.example']
const start = parseInstant('2026-02-02T00:00:00Z')
const hour = 3_600_000_000n

function uriOf(did: number, rkey: string): string {
  return `at://${dids[did]}/${report}/${rkey}`
}

/** Names that no table has, words that weigh little, and outlets behind a title. */
const words = ['zorax', 'quilm', 'vethu', 'jobbi', 'wramp', 'the', 'launch', 'new', '-', '|']
const text = fc.array(fc.constantFrom(...words), { maxLength: 7 }).map((some) => some.join(' '))
const uri = fc
  .tuple(fc.nat(1), fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'))
  .map(([did, rkey]) => uriOf(did, rkey))
/** Often at the ends of the 72 hours, sometimes to come. */
const at = fc
  .tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom(0n, 0n, 1n, 999_999n, 1_000_000n, -1n))
  .map(([days, micros]) => start + BigInt(days) * 24n * hour + micros)
const texts = { title: text, summary: text, at: at.map(printInstant) }
const value = fc.oneof(
  fc.record(texts),
  fc.record(texts, { requiredKeys: ['title', 'at'] }),
  fc.record({ ...texts, repeats: uri }, { requiredKeys: ['title'] }),
)
const put = fc.record({ uri, value })
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      puts: fc.oneof(fc.tuple(put), fc.array(put, { maxLength: 4 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('fail' as const), puts: fc.array(put, { maxLength: 4 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), uri }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('touch' as const), uri }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('hide' as const, 'show' as const), uri }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('hide' as const, 'show' as const),
      uri: fc.constantFrom(...dids),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('derive' as const),
      limit: fc.constantFrom(1, 2, 3, 100, 100, 100),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 4 }) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer Its> ? Its : never

function recordOf({ uri, value }: { readonly uri: string; readonly value: Json }, n: number) {
  return { uri, rev: rev(n), value: { $type: report, ...value } }
}

async function run(store: TestStore, clock: ReturnType<typeof stoppedClock>, given: Step, n: number) {
  const { metadata, database } = store
  switch (given.kind) {
    case 'put':
      return store.apply(...given.puts.map((each) => recordOf(each, n)))
    case 'fail':
      return store.fail(...given.puts.map((each) => recordOf(each, n)))
    case 'delete': {
      const [, , did = '', collection = '', rkey = ''] = given.uri.split('/')
      return database.write.applyBatch([{ kind: 'delete', did, collection, rkey, rev: rev(n) }])
    }
    case 'touch':
      return touch(store, given.uri, n)
    case 'hide':
      await metadata.hide({ subject: given.uri, reason: 'A test.', hiddenBy: 'tester' })
      return metadata.settleAccounts(1_000)
    case 'show':
      await metadata.unhide(given.uri, 'tester')
      return metadata.settleAccounts(1_000)
    case 'derive':
      return metadata.deriveStories(given.limit)
    case 'wait':
      return clock.advance(BigInt(given.days) * 24n * hour)
  }
}

/** Changes what stories do not depend on, or hides what is not there: nothing is marked, and no story changes. */
async function touch(store: TestStore, uri: string, n: number): Promise<void> {
  const { metadata } = store
  const state = () =>
    store.rows(
      `select t.id, t.".story:key" as story, (select count(*) from "${report}/:stories") as marks
       from "${report}" t order by t.id`,
    )
  const [row] = await store.rows(
    `select ${recordText(store)} as json from "${report}" t join base b on b.id = t.base where b.uri || t.rkey = ?`,
    uri,
  )
  const before = await state()
  if (row === undefined) {
    await metadata.hide({ subject: uri, reason: 'A test.', hiddenBy: 'tester' })
    await metadata.settleAccounts(1_000)
  } else await store.apply({ uri, rev: rev(n), value: { ...JSON.parse(String(row.json)), note: n } })
  assert.deepEqual(await state(), before)
}

async function deriveAll({ metadata }: TestStore, limit: number): Promise<void> {
  while (await metadata.deriveStories(limit));
}

async function assertStories(store: TestStore, now: bigint): Promise<void> {
  const rows = await store.rows(
    `select b.uri || t.rkey as uri, ${recordText(store)} as json, s.uri || t.".story:key" as story
     from "${report}" t join base b on b.id = t.base left join base s on s.id = t.".story:base"`,
  )
  const told = rows.map(({ uri, json }) => {
    const { at, title, summary, repeats }: Json = JSON.parse(String(json))
    return { uri: String(uri), at: at && parseInstant(at), title, summary, original: repeats }
  })
  const expected = storiesOf(told, now)
  const stored = rows.map(({ uri, story }) => [uri, story] as const)
  assert.deepEqual(
    new Map(stored.toSorted()),
    new Map(told.map(({ uri }) => [uri, expected.get(uri) ?? null] as const).toSorted()),
  )
  assert.deepEqual(await store.rows(`select * from "${report}/:stories" where at <= ?`, now), [])
  assert.deepEqual(await findDamage(store.database.read, store.tables), [])
}

async function opened(engine: Engine) {
  const clock = stoppedClock()
  clock.advance(start - clock.now())
  const path = await newUrl(engine)
  const store = await openTestStore({ path, lexicons, stories, now: clock.now })
  return { store, clock, path }
}

onEveryEngine(
  'stories are those of the reference evaluator, however records arrive and change',
  async (engine) => {
    await assertHolds(
      fc.record({
        loaded: fc.array(put, { maxLength: 8 }),
        steps: fc.array(step, { minLength: 10, maxLength: 50, size: 'max' }),
        limit: fc.integer({ min: 1, max: 4 }),
        days: fc.constantFrom(0n, 7n),
      }),
      async ({ loaded, steps, limit, days }) => {
        const { store, clock, path } = await opened(engine)
        await using _ = store
        await using other = await openTestStore({ path, lexicons, stories, now: clock.now })
        clock.advance(days * 24n * hour)
        await deriveAll(store, 1)
        await store.load(loaded.map((each) => recordOf(each, 0)))
        await store.metadata.deriveStories(100)
        // Each writer derives from what it keeps in memory, until the other has derived.
        for (const [n, given] of steps.entries()) await run(n % 9 < 8 ? store : other, clock, given, n)
        await deriveAll(store, limit)
        await assertStories(store, clock.now())
        clock.advance(240n * hour)
        await deriveAll(store, limit)
        await assertStories(store, clock.now())
      },
      engine === 'sqlite' ? 30 : 3,
    )
  },
)

onUntimedPostgres('a load derives stories before it builds the indexes of their rows', async () => {
  await assertHolds(
    fc.array(put, { minLength: 1, maxLength: 12 }),
    async (puts) => {
      const { store, clock } = await opened('postgres')
      await using _ = store
      await deriveAll(store, 1)
      clock.advance(240n * hour)
      await store.load(puts.map((each) => recordOf(each, 0)))
      await assertStories(store, clock.now())
    },
    3,
  )
})

onEveryEngine(
  'what a record begins, repeats or hides decides about records at any distance',
  async (engine) => {
    const { store, clock } = await opened(engine)
    await using _ = store
    await deriveAll(store, 100)
    const put = (rkey: string, days: number, title: string, more: Json = {}) => {
      const at = printInstant(start + BigInt(Math.round(days * 24)) * hour)
      return store.apply({
        uri: uriOf(0, rkey),
        rev: rev(rkey.length),
        value: { $type: report, title, at, ...more },
      })
    }
    const told = async (): Promise<Json> => {
      await deriveAll(store, 2)
      await assertStories(store, clock.now())
      const rows = await store.rows(`select rkey, ".story:key" as story from "${report}" order by rkey`)
      return Object.fromEntries(rows.map(({ rkey, story }) => [String(rkey), story]))
    }
    clock.advance(100n * 24n * hour)
    await put('b', 2, 'zorax quilm vethu')
    await put('c', 4, 'zorax quilm vethu')
    await put('d', 6, 'zorax quilm vethu')
    await put('e', 60, 'wramp', { repeats: uriOf(0, 'd') })
    await put('f', 61, 'wramp', { repeats: uriOf(0, 'e') })
    assert.deepEqual(await told(), { b: 'b', c: 'b', d: 'd', e: 'd', f: 'd' })
    await put('a', 0, 'zorax quilm vethu')
    assert.deepEqual(await told(), { a: 'a', b: 'a', c: 'c', d: 'c', e: 'c', f: 'c' })
    await store.metadata.hide({ subject: uriOf(0, 'a'), reason: 'A test.', hiddenBy: 'tester' })
    assert.deepEqual(await told(), { b: 'b', c: 'b', d: 'd', e: 'd', f: 'd' })
    await put('z', 200, 'zorax quilm vethu')
    assert.deepEqual((await told()).z, null)
    clock.advance(100n * 24n * hour)
    assert.deepEqual((await told()).z, 'z')
  },
)

onEveryEngine('a check finds a record in another story than its words give', async (engine) => {
  const { store } = await opened(engine)
  await using _ = store
  const value = { $type: report, title: 'zorax quilm vethu', at: printInstant(start) }
  await store.apply(...['a', 'b', 'c'].map((rkey) => ({ uri: uriOf(0, rkey), value })))
  await deriveAll(store, 100)
  await tamperWith(
    store.path,
    `update ${engine === 'postgres' ? 'lexigraph_records.' : ''}"${report}" set ".story:key" = 'b' where rkey = 'c'`,
  )
  const damage = await findDamage(store.database.read, store.tables)
  assert.deepEqual(damage[0], {
    name: uriOf(0, 'c'),
    problem: `Its story is ${uriOf(0, 'b')} and should be ${uriOf(0, 'a')}.`,
  })
})

let written = 0

/** Writes a record; returns the key of its story. */
async function putAt(store: TestStore, rkey: string, hours: number, title: string, more: Json = {}) {
  const value = { $type: report, title, at: printInstant(start + BigInt(hours) * hour), ...more }
  await store.apply({ uri: uriOf(0, rkey), rev: rev((written += 1)), value })
  const [row] = await store.rows(`select ".story:key" as story from "${report}" where rkey = ?`, rkey)
  return row?.story
}

onEveryEngine('a record that arrives has its story when it is written', async (engine) => {
  const { store, clock } = await opened(engine)
  await using _ = store
  clock.advance(10n * hour)
  const put = (...given: Parameters<typeof putAt> extends [unknown, ...infer Rest] ? Rest : never) =>
    putAt(store, ...given)
  const remove = (rkey: string) =>
    store.database.write.applyBatch([
      { kind: 'delete', did: dids[0] ?? '', collection: report, rkey, rev: rev((written += 1)) },
    ])
  const marks = () => store.column(`select at from "${report}/:stories" where at = until`)
  const derived = async () => {
    await deriveAll(store, 100)
    return assertStories(store, clock.now())
  }
  assert.equal(await put('a', 1, 'zorax quilm vethu'), null)
  await derived()
  assert.equal(await put('b', 2, 'zorax quilm vethu'), 'a')
  assert.equal(await put('c', 3, 'jobbi wramp dobni'), 'c')
  assert.equal(await put('d', 4, 'jobbi wramp dobni'), 'c')
  assert.deepEqual(await marks(), [])
  await assertStories(store, clock.now())
  assert.equal(await put('later', 11, 'zorax quilm vethu'), null)
  assert.equal(await put('copy', 5, 'zorax', { repeats: uriOf(0, 'late') }), null)
  await derived()
  assert.equal(await put('late', 3, 'morbi'), 'late')
  assert.equal(await put('first', 2, 'jobbi wramp dobni'), 'first')
  // The one to come, and those that `late` and `first` concern.
  assert.equal((await marks()).length, 4)
  await derived()
  // Changed, removed, and replaced by another of the same time or of another one.
  await put('first', 2, 'zorax zorax zorax')
  assert.equal(await put('e', 4, 'jobbi wramp dobni'), null)
  await derived()
  await remove('c')
  assert.equal(await put('f', 5, 'jobbi wramp dobni'), null)
  assert.equal(await put('c', 3, 'hamlo hamli hamla'), 'c')
  assert.equal(await put('g', 5, 'jobbi wramp dobni'), 'g')
  await derived()
  // What was rolled back is not in memory.
  const gone = { $type: report, title: 'bambo', at: printInstant(start + 8n * hour) }
  await store.fail({ uri: uriOf(0, 'k'), value: gone })
  assert.equal(await put('l', 9, 'bambo'), null)
  await derived()
  await remove('a')
  assert.equal(await put('a', 6, 'gorbo gorbi gorba'), 'a')
  assert.equal(await put('h', 7, 'zorax quilm vethu'), null)
  await derived()
})

onEveryEngine('a record whose days are not in memory has its story later', async (engine) => {
  const { store, clock, path } = await opened(engine)
  await using _ = store
  await using other = await openTestStore({ path, lexicons, stories, now: clock.now })
  clock.advance(2_000n * hour)
  await putAt(store, 'w', 210, 'zorax quilm vethu')
  await putAt(store, 'u', 1_210, 'jobbi wramp dobni')
  await deriveAll(store, 100)
  await putAt(other, 'y', 100, 'hamlo')
  await putAt(other, 't', 1_300, 'gorbo')
  await deriveAll(other, 100)
  // Before a record that may join it, and behind one that it may join.
  assert.equal(await putAt(other, 'z', 150, 'zorax quilm vethu'), null)
  assert.equal(await putAt(other, 'v', 1_280, 'jobbi wramp dobni'), null)
  await deriveAll(store, 100)
  await assertStories(store, clock.now())
  // By a writer that was not the last.
  await putAt(other, 'r', 1_282, 'quilm')
  await deriveAll(other, 100)
  assert.equal(await putAt(store, 'q', 1_283, 'quilm'), null)
  await deriveAll(store, 100)
  await assertStories(store, clock.now())
})

onEveryEngine('records are compared with what is in memory, and are not read again', async (engine) => {
  const { store, clock } = await opened(engine)
  await using _ = store
  const put = (rkey: string) => {
    const value = { $type: report, title: 'zorax quilm vethu', at: printInstant(clock.now()) }
    return store.apply({ uri: uriOf(0, rkey), value })
  }
  await put('a')
  await deriveAll(store, 100)
  const other = engine === 'postgres' ? `'{title}', '"wramp"'` : `'$.title', 'wramp'`
  const schema = engine === 'postgres' ? 'lexigraph_records.' : ''
  await tamperWith(store.path, `update ${schema}"${report}" set record = jsonb_set(record, ${other})`)
  clock.advance(hour)
  await put('b')
  await deriveAll(store, 100)
  assert.deepEqual(await store.column(`select distinct ".story:key" from "${report}"`), ['a'])
})

onEveryEngine('a rebuild switches stories on, and off again', async (engine) => {
  const path = await newUrl(engine)
  const value = { $type: report, title: 'zorax quilm vethu', at: printInstant(start) }
  const clock = stoppedClock()
  clock.advance(start - clock.now())
  const given = { path, lexicons, now: clock.now }
  {
    await using store = await openTestStore(given)
    await store.apply(...['a', 'b', 'c'].map((rkey) => ({ uri: uriOf(0, rkey), value })))
    assert.equal(await store.metadata.deriveStories(100), false)
  }
  for (const _ of ['first derived', 'derived anew']) {
    {
      await using store = await openTestStore({ ...given, stories })
      await deriveAll(store, 2)
      await assertStories(store, clock.now())
      assert.deepEqual(await store.column(`select distinct ".story:key" from "${report}"`), ['a'])
    }
    await using store = await openTestStore(given)
    assert.deepEqual(await findDamage(store.database.read, store.tables), [])
  }
})
