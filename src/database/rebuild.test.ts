import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Json } from '../../test/reference/shapes.ts'
import { onEveryEngine } from '../../test/support/store/databases.ts'
import { emptyDatabases, openTestStore, type TestStore } from '../../test/support/store/store.ts'
import { fill, line, open, size, thing } from '../../test/support/records/things.ts'
import { type RebuildProgress, rebuildSentence } from './rebuild/rebuild-progress.ts'

const empty = emptyDatabases()

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
  for (const last of [1, 3, 5]) {
    let steps = 0
    await killedWhen(path, lexicons, () => (steps += 1) >= last)
    await using store = await open(path, lexicons)
    await assertWhole(store, 20)
    lexicons = lexicons === after ? before : after
  }
})

onEveryEngine('readers and writers of old tables go on during a rebuild, without loss', async (engine) => {
  const path = await empty(engine)
  await using old = await open(path, before)
  await old.load(everywhere(50))
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
    } catch (error) {
      // From the moment at which the new tables are complete.
      assert.match(String(error), /rebuilt for other lexicons/)
      break
    }
  }
  await using store = await rebuilding
  assert.ok(written.length > 0)
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
})

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

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'

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
  const program = fileURLToPath(new URL('../../test/support/store/rebuild-child.ts', import.meta.url))
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
