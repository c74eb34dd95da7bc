/**
 * When the lexicons change, every stored record is in the tables that are derived from the new lexicons, whatever happens
 * during the rebuild.
 */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import type { Json } from '../../../test/reference/shapes.ts'
import { fill, line, open, size, thing } from '../../../test/support/records/things.ts'
import { someForms } from '../../../test/support/rounds.ts'
import { onEveryEngine } from '../../../test/support/store/databases.ts'
import type { Engine } from '../../../test/support/store/postgres.ts'
import { content, layout } from '../../../test/support/store/postgres-layout.ts'
import {
  recordText,
  emptyDatabases,
  tamperWith,
  type TestStore,
  openTestStore,
} from '../../../test/support/store/store.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type RebuildProgress, rebuildSentence } from './rebuild-report.ts'

const empty = emptyDatabases()
const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const table = '"org.example.thing"'
const more = { ...size, more: { type: 'boolean' } }
const strings = { type: 'array', items: { type: 'string', maxLength: 20 } }

onEveryEngine('a property that is new to the lexicon is filled in from the kept records', async (engine) => {
  const path = await empty(engine)
  const lines = [line('a', { size: 1, tags: ['x', 'y'], text: 'Größe' }), line('b', { size: 2 })]
  await fill(path, [thing(size)], lines)
  const text = { type: 'string', maxGraphemes: 100, maxLength: 1000 }
  await using store = await open(path, [thing({ ...size, tags: strings, text })])
  assert.deepEqual(
    await store.rows(`select rkey, ".size" as size, ".text:folded" as text from ${table} order by rkey`),
    [
      { rkey: 'a', size: 1, text: 'grosse' },
      { rkey: 'b', size: 2, text: null },
    ],
  )
  const tags = `select value, rkey from "org.example.thing/tags" join ${table} using (id) order by value`
  assert.deepEqual(await store.rows(tags), [
    { value: 'x', rkey: 'a' },
    { value: 'y', rkey: 'a' },
  ])
  const index = store.tables[0]?.texts[0]?.name
  if (engine === 'sqlite')
    assert.deepEqual(await store.column(`select rowid from "${index}" where "${index}" match '"gro"'`), [1])
})

onEveryEngine('a rebuild keeps CIDs, revisions and both moments, and orders ids again', async (engine) => {
  const path = await empty(engine)
  const rowsOf = (store: TestStore) =>
    store.rows(`select rkey, ${engine === 'sqlite' ? 'cid_text(cid) as cid' : 'cid'}, rev, indexed_at, changed_at,
      ${recordText(store, 'record')} as record from ${table} order by rkey`)
  let before: unknown
  {
    await using store = await open(path, [thing(size)])
    await store.apply(line('b', { size: 1 }, { rev: '3kaaaaaaaaa22', indexedAt: '2026-01-02T00:00:00Z' }))
    await store.apply(line('a', { size: 2 }, { indexedAt: '2026-01-01T00:00:00.000001Z' }))
    await store.apply(line('b', { size: 3 }, { rev: '3kbbbbbbbbb22' }))
    before = await rowsOf(store)
    assert.deepEqual((await store.database.read.readPlanState()).ordered, new Set())
  }
  await using store = await open(path, [thing(more)])
  assert.deepEqual(await rowsOf(store), before)
  const { version, ordered } = await store.database.read.readPlanState()
  if (engine === 'postgres') return assert.equal(version, 2)
  assert.deepEqual(await store.column(`select rkey from ${table} order by id`), ['a', 'b'])
  assert.deepEqual(ordered, new Set(['org.example.thing']))
})

onEveryEngine('a collection whose lexicon goes away and comes back has its records', async (engine) => {
  const path = await empty(engine)
  const other = thing(size, 'org.example.other')
  const lines = [line('a', { size: 1 }), line('o', { size: 2 }, {}, 'org.example.other')]
  await fill(path, [thing(size), other], lines)
  await fill(path, [thing(size)], [line('b', { size: 3 })])
  // Once more, so that it is carried over from one that did not serve it.
  await fill(path, [thing({})], [])
  await using store = await open(path, [thing(size), thing(more, 'org.example.other')])
  const others = await store.rows('select rkey, ".size" as size from "org.example.other"')
  assert.deepEqual(others, [{ rkey: 'o', size: 2 }])
  assert.equal((await store.rows(`select * from ${table}`)).length, 2)
})

onEveryEngine('collections whose names differ by case alone are rebuilt side by side', async (engine) => {
  const path = await empty(engine)
  const both = (properties: Json) => [thing(properties, 'org.example.Thing'), thing(properties)]
  await fill(path, both({}), [line('a', { size: 1 }), line('b', { size: 2 }, {}, 'org.example.Thing')])
  await using store = await open(path, both(size))
  const found = await Array.fromAsync(store.tables, ({ name }) =>
    store.rows(`select rkey, ".size" as size from "${name}"`),
  )
  assert.deepEqual(found, [[{ rkey: 'b', size: 2 }], [{ rkey: 'a', size: 1 }]])
})

onEveryEngine('a database that was rebuilt has the layout of a new one', async (engine) => {
  const wide = { ...size, text: { type: 'string', maxGraphemes: 99 }, tags: strings }
  const [rebuilt, fresh] = [await empty(engine), await empty(engine)]
  await fill(rebuilt, [thing(wide)], [line('a', { text: 'abc' })])
  await fill(rebuilt, [thing(size)], [])
  await fill(rebuilt, [thing(wide)], [])
  await fill(fresh, [thing(wide)], [])
  const layoutOf = (path: string) => (engine === 'postgres' ? layout(path) : fileLayout(path))
  assert.deepEqual(await layoutOf(rebuilt), await layoutOf(fresh))
})

onEveryEngine('a database whose columns were derived by an older program is rebuilt', async (engine) => {
  const path = await empty(engine)
  await fill(path, [thing(size)], [line('a', { size: 7 })])
  await tamperWith(path, `update state set derivation = 'older'; update ${table} set ".size" = 99`)
  await using store = await open(path, [thing(size)])
  assert.deepEqual(await store.column(`select ".size" from ${table}`), [7])
  assert.equal((await store.database.read.readPlanState()).version, 2)
})

onEveryEngine('a rebuild that fails changes nothing', async (engine) => {
  const path = await empty(engine)
  await fill(path, [thing(size)], [line('a', { size: 7 })])
  const damage = engine === 'sqlite' ? `record = x'ff'` : `cid = 'none'`
  await tamperWith(path, `update ${table} set ${damage}`)
  const contentOf = async () => (engine === 'postgres' ? content(path) : fileContent(path))
  const before = await contentOf()
  await assert.rejects(open(path, [thing({})]), engine === 'sqlite' ? /malformed JSON/ : /none/)
  assert.deepEqual(await contentOf(), before)
})

onEveryEngine('a rebuild leaves what is kept next to the records as it is', async (engine) => {
  const path = await empty(engine)
  const kept = ['source', 'job', 'listing', 'tombstone', 'outcome', 'rejection', 'base', 'api_key']
  const contentOf = (store: TestStore) =>
    Array.fromAsync(kept, async (name) => [name, await store.rows(`select * from ${name} order by 1`)])
  let before: unknown
  {
    await using store = await open(path, [thing(size)])
    const deletion = {
      kind: 'delete',
      did,
      collection: 'org.example.thing',
      rkey: 'z',
      rev: '3kaaaaaaaaa22',
    } as const
    await store.database.write.applyBatch(
      [store.change(line('a', { size: 1 })), deletion, store.change(line('b', { size: '' }))],
      { source: 'live', cursor: '7', eventAt: 1n },
    )
    const listing = { target: 'https://host', cursor: 'p', done: false }
    await store.metadata.addJobs('backfill', [{ did, host: 'https://host', reason: 'all' }], listing)
    await store.metadata.addKey({ id: 'k', name: 'n', tier: 't' }, 'h')
    before = await contentOf(store)
  }
  await using store = await open(path, [thing(more)])
  assert.deepEqual(await contentOf(store), before)
  assert.equal((await store.rows(`select * from ${table}`)).length, 1)
})

function fileLayout(path: string) {
  using database = new DatabaseSync(path, { readOnly: true })
  const [check] = database.prepare('pragma integrity_check').all()
  assert.deepEqual({ ...check }, { integrity_check: 'ok' })
  return database.prepare('select type, name from sqlite_master order by type, name').all()
}

function fileContent(path: string) {
  using database = new DatabaseSync(path, { readOnly: true })
  return ['sqlite_master', table, 'state'].map((name) => database.prepare(`select * from ${name}`).all())
}

const ids = ['org.example.a', 'org.example.b', 'org.example.c']
const text = {
  text: { type: 'string', maxGraphemes: 100 },
  tags: { type: 'array', items: { type: 'string' } },
}
const before = ids.map((id) => thing(size, id))
const after = ids.map((id) => thing({ ...size, ...text }, id))

onEveryEngine('a rebuild that is killed goes on where it was', async (engine) => {
  const path = await empty(engine)
  await fill(path, before, everywhere(50))
  const seen = await killedWhen(path, after, ({ collections }) => collections[1]?.isComplete === true)
  const resumed: RebuildProgress[] = []
  await using store = await openTestStore({ path, lexicons: after, onProgress: (it) => resumed.push(it) })
  assert.deepEqual(resumed[0]?.collections.slice(0, 2), seen.collections.slice(0, 2))
  await assertWhole(store, 50)
})

onEveryEngine('a rebuild is right wherever it is killed', async (engine) => {
  const path = await empty(engine)
  await fill(path, before, everywhere(20))
  let lexicons = after
  for (const last of someForms([3, 1, 5])) {
    let steps = 0
    await killedWhen(path, lexicons, () => (steps += 1) >= last)
    await using store = await open(path, lexicons)
    await assertWhole(store, 20)
    lexicons = lexicons === after ? before : after
  }
})

onEveryEngine('readers and writers of old tables go on during a rebuild, without loss', async (engine) => {
  // On a busy machine a short rebuild is over before the other one has written at all.
  for (let records = 50; (await writtenDuringRebuild(engine, records)) === 0; records *= 4)
    assert.ok(records < 5_000, 'Nothing was written during a rebuild of so many records.')
})

/** Returns how many records were added meanwhile. */
async function writtenDuringRebuild(engine: Engine, records: number): Promise<number> {
  const path = await empty(engine)
  await using old = await open(path, before)
  await old.load(everywhere(records))
  const state = { done: false }
  const rebuilding = open(path, after).finally(() => (state.done = true))
  const written: string[] = []
  for (let n = 0; !state.done; n += 1) {
    const id = ids[n % ids.length] as string
    // The other one gets its turn.
    await setImmediate()
    try {
      await old.apply(line(`new${n}`, { size: n }, {}, id), line(`${n % 50}`, { size: 1_000 + n }, {}, id))
      written.push(`new${n}`)
      await old.database.write.applyBatch(
        [{ kind: 'delete', did, collection: id, rkey: `new${n}`, rev: '3kaaaaaaaaa22' }].filter(
          () => n % 7 === 0,
        ) as never,
      )
      assert.equal((await old.database.read.readPlanState()).hiding, false)
      assert.ok((await old.rows(`select rkey from "${id}"`)).length >= 50)
    } catch (error) {
      // From the moment at which the new tables are complete.
      assert.match(String(error), /rebuilt for other lexicons/)
      break
    }
  }
  await using store = await rebuilding
  await assert.rejects(old.database.read.readPlanState(), /rebuilt for other lexicons/)
  await assert.rejects(old.apply(line('d', {}, {}, ids[0])), /rebuilt for other lexicons/)
  const kept = new Set<unknown>()
  for (const id of ids) for (const { rkey } of await store.rows(`select rkey from "${id}"`)) kept.add(rkey)
  const lost = written.filter((key, n) => n % 7 !== 0 && !kept.has(key))
  assert.deepEqual(lost, [])
  for (const id of ids) {
    const [row] = await store.rows(`select count(*) as n from "${id}"`)
    assert.deepEqual(await store.rows(`select n from "${id}/:count"`), [{ n: row?.n }])
    const rows = await store.rows(
      engine === 'sqlite'
        ? `select 1 from "${id}" where ".size" is not record ->> '$.size'`
        : `select 1 from "${id}" where ".size" is distinct from (record ->> 'size')::bigint`,
    )
    assert.deepEqual(rows, [])
  }
  return written.length
}

onEveryEngine('an account that is hidden while tables are rebuilt is not in the new ones', async (engine) => {
  const path = await empty(engine)
  await using old = await open(path, before)
  await old.load(everywhere(10))
  let hide: Promise<unknown> | null = null
  const onProgress = ({ collections }: RebuildProgress): void => {
    if (collections[0]?.isComplete === true)
      hide ??= old.database.write.applyBatch([
        { kind: 'account', did, active: false, status: 'takendown', eventAt: 1n },
      ])
  }
  await using store = await openTestStore({ path, lexicons: after, onProgress })
  assert.ok(hide !== null)
  await hide
  for (const id of ids) assert.deepEqual(await store.rows(`select rkey from "${id}"`), [])
  const [quarantined] = await store.rows('select count(*) as n from parked where id is null')
  assert.deepEqual(quarantined, { n: 30 })
})

onEveryEngine('going back to the former lexicons drops the tables of a killed rebuild', async (engine) => {
  const path = await empty(engine)
  const fresh = await empty(engine)
  await fill(path, before, everywhere(5))
  await fill(fresh, before, everywhere(5))
  await killedWhen(path, after, ({ collections }) => collections[0]?.isComplete === true)
  // Half a minute later.
  await using store = await openTestStore({ path, lexicons: before, now: () => 1_900_000_000_000_000n })
  await using other = await open(fresh, before)
  assert.deepEqual(await namesOf(store), await namesOf(other))
  assert.equal(
    (await store.database.read.readPlanState()).version,
    (await other.database.read.readPlanState()).version,
  )
})

test('how far a rebuild has come is one sentence', () => {
  const part = { collection: 'org.example.a', done: 1_500, total: 2_000, isComplete: false }
  assert.equal(
    rebuildSentence({ collections: [part] }),
    '1,500 of 2,000 records are in the new tables; org.example.a has 1,500 of 2,000.',
  )
  assert.equal(
    rebuildSentence({ collections: [{ ...part, done: 2_000 }] }),
    '2,000 of 2,000 records are in the new tables; the indexes of org.example.a are being built.',
  )
  assert.equal(
    rebuildSentence({ collections: [{ ...part, done: 2_000, isComplete: true }] }),
    '2,000 of 2,000 records are in the new tables, which are about to take the place of the old ones.',
  )
})

function everywhere(records: number) {
  return ids.flatMap((id) =>
    Array.from({ length: records }, (_, n) =>
      line(`${n}`, { size: n, text: `Größe ${n}`, tags: ['x'] }, {}, id),
    ),
  )
}

async function assertWhole(store: TestStore, records: number): Promise<void> {
  for (const id of ids) {
    const [row] = await store.rows(
      `select count(*) as n, min(".size") as least, max(".size") as most from "${id}"`,
    )
    assert.deepEqual(row, { n: records, least: 0, most: records - 1 })
    assert.deepEqual(await store.rows(`select n from "${id}/:count"`), [{ n: records }])
  }
}

async function namesOf(store: TestStore): Promise<unknown> {
  const names =
    store.engine === 'sqlite'
      ? 'select name from sqlite_master order by name'
      : `select nspname as schema, relname as name from pg_class join pg_namespace n on n.oid = relnamespace
         where nspname like 'lexigraph%' and relname not like 'pg_toast%' order by 1, 2`
  const triggers =
    store.engine === 'sqlite'
      ? `select name from sqlite_master where type = 'trigger'`
      : 'select tgname::text as name from pg_trigger where not tgisinternal order by 1'
  return [await store.rows(names), await store.rows(triggers)]
}

/** The last that it said. */
async function killedWhen(
  path: string,
  lexicons: readonly Json[],
  isEnough: (progress: RebuildProgress) => boolean,
): Promise<RebuildProgress> {
  const program = fileURLToPath(new URL('../../../test/support/store/rebuild-child.ts', import.meta.url))
  const child = spawn(process.execPath, [program, path, JSON.stringify(lexicons)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // It is no part of the tests.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
  const ended = once(child, 'exit')
  for await (const said of createInterface(child.stdout)) {
    const progress = JSON.parse(said) as RebuildProgress
    if (!isEnough(progress)) {
      child.stdin.write('\n')
      continue
    }
    child.kill('SIGKILL')
    await ended
    return progress
  }
  throw new Error('The rebuild ended before.')
}
