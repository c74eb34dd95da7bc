import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Json } from '../../../../test/reference/shapes.ts'
import { understand } from '../../../../test/support/records/understand.ts'
import { openTestStore, temporaryFolder, type TestStore } from '../../../../test/support/store/store.ts'
import { fill, line, open, size, tamper, thing, thingUri } from '../../../../test/support/records/things.ts'
import { connect } from '../connection.ts'
import { isCurrent } from './layout.ts'
import { migrate } from './migrate.ts'

const inFolder = temporaryFolder()

test('a new file is laid out as its lexicons say, ready to be read', async () => {
  await using store = await open(inFolder('new.db'), [thing(size), thing({}, 'org.example.other')])
  const state = await store.database.read.readPlanState()
  assert.deepEqual(state, {
    version: 1,
    ordered: new Set(['org.example.thing', 'org.example.other']),
    hiding: false,
  })
  assert.deepEqual(await store.rows('pragma journal_mode'), [{ journal_mode: 'wal' }])
})

test('opening a file whose lexicons have not changed writes nothing', async () => {
  const path = inFolder('unchanged.db')
  await fill(path, [thing(size)], [line('a', { size: 1 })])
  const before = readFileSync(path)
  const { mtimeNs } = statSync(path, { bigint: true })
  await (await open(path, [thing(size)]))[Symbol.asyncDispose]()
  assert.ok(before.equals(readFileSync(path)))
  assert.equal(statSync(path, { bigint: true }).mtimeNs, mtimeNs)
})

test('a property that is new to the lexicon is filled in from the kept records', async () => {
  const path = inFolder('added.db')
  await fill(
    path,
    [thing(size)],
    [line('a', { size: 1, tags: ['x', 'y'], text: 'Größe' }), line('b', { size: 2 })],
  )
  const tags = { type: 'array', items: { type: 'string', maxLength: 20 } }
  const text = { type: 'string', maxGraphemes: 100, maxLength: 1000 }
  await using store = await open(path, [thing({ ...size, tags, text })])
  assert.deepEqual(await store.rows('select value from "org.example.thing/tags"'), [
    { value: 'x' },
    { value: 'y' },
  ])
  const index = store.tables[0]?.texts[0]?.name
  assert.deepEqual(await store.rows(`select rowid from "${index}" where "${index}" match ?`, '"gro"'), [
    { rowid: 1 },
  ])
  assert.deepEqual(await store.rows('select ".size" as size from "org.example.thing"'), [
    { size: 1 },
    { size: 2 },
  ])
})

test('a rebuild waits for the lock as long as another process is at work on it, and no longer', async () => {
  const path = inFolder('locked.db')
  await fill(path, [thing(size)], [line('a', { size: 1 })])
  const { set, tables } = understand([thing({ ...size, text: { type: 'string' } })], {})
  using other = new DatabaseSync(path)
  using own = connect(path, false, 64, 0)
  let clock = 1_800_000_000_000_000n
  /** From its first step on, another connection holds the lock. */
  const migrateBeside = (whileHeld: () => void): Promise<void> => {
    let isFirst = true
    return migrate(own, {
      tables,
      fingerprint: set.fingerprint,
      check: () => null,
      onProgress: () => {
        if (isFirst) other.exec('begin immediate')
        isFirst = false
      },
      now: () => {
        if (other.isTransaction) whileHeld()
        return clock
      },
    })
  }
  await assert.rejects(
    migrateBeside(() => (clock += 31_000_000n)),
    {
      name: 'DatabaseBusyError',
      message: 'Another process is writing to the database. Try again when it is done.',
    },
  )
  other.exec('rollback')
  let attempts = 0
  await migrateBeside(() => {
    attempts += 1
    if (attempts === 5) other.exec('rollback')
  })
  assert.equal(attempts, 5)
  assert.ok(isCurrent(own, set.fingerprint))
})

test('records that no longer fit are kept as refused, the others are served', async () => {
  const path = inFolder('type.db')
  const loose = thing({ size: { type: 'unknown' } })
  await fill(path, [loose], [line('a', { size: { n: 1 } }), line('b', {})])
  await using store = await open(path, [thing(size)])
  assert.deepEqual(await store.rows('select rkey from "org.example.thing"'), [{ rkey: 'b' }])
  const [refused] = await store.rows('select source, uri, reason, record from rejection')
  const kept = JSON.parse(String(refused?.record))
  assert.deepEqual(
    [refused?.source, refused?.uri, refused?.reason, kept.uri, kept.value.size],
    ['rebuild', thingUri('a'), 'invalid-record', thingUri('a'), { n: 1 }],
  )
  assert.match(kept.cid, /^bafyrei/)
  assert.match(kept.indexedAt, /Z$/)
})

test('a rebuild keeps CIDs, revisions and both moments, and gives ids their order again', async () => {
  const path = inFolder('kept.db')
  const select = `select rkey, hex(cid) as cid, rev, indexed_at, changed_at, json(record) as record
    from "org.example.thing" order by rkey`
  let before: unknown
  {
    await using store = await open(path, [thing(size)])
    await store.apply(line('b', { size: 1 }, { rev: '3kaaaaaaaaa22', indexedAt: '2026-01-02T00:00:00Z' }))
    await store.apply(line('a', { size: 2 }, { indexedAt: '2026-01-01T00:00:00.000001Z' }))
    await store.apply(line('b', { size: 3 }, { rev: '3kbbbbbbbbb22' }))
    before = await store.rows(select)
    assert.deepEqual((await store.database.read.readPlanState()).ordered, new Set())
  }
  await using store = await open(path, [thing({ ...size, more: { type: 'boolean' } })])
  assert.deepEqual(await store.rows(select), before)
  assert.deepEqual(await store.rows('select id, rkey from "org.example.thing" order by id'), [
    { id: 1, rkey: 'a' },
    { id: 2, rkey: 'b' },
  ])
  const state = await store.database.read.readPlanState()
  assert.deepEqual(state.ordered, new Set(['org.example.thing']))
})

test('a collection whose lexicon goes away and comes back has its records', async () => {
  const path = inFolder('away.db')
  const other = thing(size, 'org.example.other')
  await fill(
    path,
    [thing(size), other],
    [line('a', { size: 1 }), line('o', { size: 2 }, {}, 'org.example.other')],
  )
  await fill(path, [thing(size)], [line('b', { size: 3 })])
  await using store = await open(path, [
    thing(size),
    thing({ ...size, b: { type: 'boolean' } }, 'org.example.other'),
  ])
  assert.deepEqual(await store.rows('select rkey, ".size" as size from "org.example.other"'), [
    { rkey: 'o', size: 2 },
  ])
  assert.equal((await store.rows('select * from "org.example.thing"')).length, 2)
})

test('collections whose names differ by case alone are rebuilt side by side', async () => {
  const path = inFolder('case.db')
  const both = (properties: Json) => [thing(properties, 'org.example.Thing'), thing(properties)]
  await fill(path, both({}), [line('a', { size: 1 }), line('b', { size: 2 }, {}, 'org.example.Thing')])
  await using store = await open(path, both(size))
  assert.deepEqual(
    await Array.fromAsync(store.tables, ({ name }) =>
      store.rows(`select rkey, ".size" as size from "${name}"`),
    ),
    [[{ rkey: 'b', size: 2 }], [{ rkey: 'a', size: 1 }]],
  )
})

test('a file that was rebuilt has no leftovers: its layout is that of a new one', async () => {
  const wide = {
    ...size,
    text: { type: 'string', maxGraphemes: 99 },
    tags: { type: 'array', items: { type: 'string' } },
  }
  const [rebuilt, fresh] = [inFolder('rebuilt.db'), inFolder('fresh.db')]
  await fill(rebuilt, [thing(wide)], [line('a', { text: 'abc' })])
  await fill(rebuilt, [thing(size)], [])
  await fill(rebuilt, [thing(wide)], [])
  await fill(fresh, [thing(wide)], [])
  const layout = (path: string) => {
    const database = new DatabaseSync(path, { readOnly: true })
    const rows = database.prepare('select type, name from sqlite_master order by type, name').all()
    const [check] = database.prepare('pragma integrity_check').all()
    database.close()
    return { rows, check: { ...check } }
  }
  assert.deepEqual(layout(rebuilt), layout(fresh))
})

test('whoever reads while lexicons change is told so, and rows that are being read stay whole', async () => {
  const path = inFolder('readers.db')
  const lines = ['a', 'b', 'c'].map((key) => line(key, { size: 1 }))
  await using reader = await open(path, [thing(size)])
  await reader.load(lines)
  const rows = reader.database.read.readRows({ text: 'select rkey from "org.example.thing"', values: [] })
  const seen: unknown[] = []
  for await (const { rkey } of rows) {
    seen.push(rkey)
    if (seen.length === 1) await (await open(path, [thing({})]))[Symbol.asyncDispose]()
  }
  assert.deepEqual(seen, ['a', 'b', 'c'])
  await assert.rejects(reader.database.read.readPlanState(), /other lexicons; restart/)
  await assert.rejects(reader.apply(line('d', {})), /rebuilt for other lexicons/)
})

test('a file whose columns were derived by an older program is rebuilt', async () => {
  const path = inFolder('derivation.db')
  await fill(path, [thing(size)], [line('a', { size: 7 })])
  tamper(path, `update state set derivation = 'older'; update "org.example.thing" set ".size" = 99`)
  await using store = await open(path, [thing(size)])
  assert.deepEqual(await store.rows('select ".size" as size from "org.example.thing"'), [{ size: 7 }])
  assert.equal((await store.database.read.readPlanState()).version, 2)
})

test('a rebuild that fails changes nothing', async () => {
  const path = inFolder('fails.db')
  await fill(path, [thing(size)], [line('a', { size: 7 })])
  tamper(path, `update "org.example.thing" set record = x'ff'`)
  const before = content(path)
  await assert.rejects(open(path, [thing({})]), /malformed JSON/)
  assert.deepEqual(content(path), before)
})

test('a rebuild leaves what is kept beside the records as it is', async () => {
  const path = inFolder('beside.db')
  const kept = ['source', 'job', 'listing', 'tombstone', 'outcome', 'rejection', 'base', 'api_key']
  const content = (store: TestStore) =>
    Array.fromAsync(kept, async (name) => [name, await store.rows(`select * from ${name}`)])
  let before: unknown
  {
    await using store = await open(path, [thing(size)])
    const { metadata } = store
    const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
    const deletion = {
      kind: 'delete',
      did,
      collection: 'org.example.thing',
      rkey: 'z',
      rev: '3kaaaaaaaaa22',
    } as const
    await store.database.write.applyBatch(
      [store.change(line('a', { size: 1 })), deletion, store.change(line('b', { size: '' }))],
      {
        source: 'live',
        cursor: '7',
        eventAt: 1n,
      },
    )
    await metadata.addJobs('backfill', [{ did, host: 'https://host', reason: 'all' }], {
      target: 'https://host',
      cursor: 'p',
      done: false,
    })
    await metadata.addKey({ id: 'k', name: 'n', tier: 't' }, 'h')
    before = await content(store)
  }
  await using store = await open(path, [thing({ ...size, more: { type: 'boolean' } })])
  assert.deepEqual(await content(store), before)
  assert.equal((await store.rows('select * from "org.example.thing"')).length, 1)
})

test('a file of a newer version is refused and left alone', async () => {
  const path = inFolder('newer.db')
  await fill(path, [thing(size)], [])
  tamper(path, 'pragma user_version = 99')
  await refused(
    path,
    /^The file has schema version 99; this program knows versions up to \d+\. Use a newer lexigraph\.$/,
  )
})

test('a file of an older version is refused and left alone', async () => {
  const path = inFolder('older.db')
  await fill(path, [thing(size)], [])
  tamper(path, 'pragma user_version = 1')
  await refused(
    path,
    /^The file has schema version 1; this program knows only version \d+\. Name an empty database, and fill it/,
  )
})

test('a process that may not rebuild leaves a file of other lexicons as it is, and opens one of the same', async () => {
  const path = inFolder('passing.db')
  await fill(path, [thing(size)], [line('a', { size: 7 })])
  const passing = (properties: Json) =>
    openTestStore({ path, lexicons: [thing(properties)], rebuild: 'never' })
  const before = readFileSync(path)
  await assert.rejects(
    passing({}),
    /^BuiltElsewiseError: it was built with other lexicons or by another version\./,
  )
  assert.ok(before.equals(readFileSync(path)))
  await (await passing(size))[Symbol.asyncDispose]()
})

test("another program's SQLite file is refused and left alone", async () => {
  const path = inFolder('other.db')
  tamper(path, 'create table t (x); insert into t values (1)')
  await refused(
    path,
    /^The file is a SQLite database of another program\. Name another file with --database\.$/,
  )
  assert.ok(!existsSync(`${path}-wal`))
})

test('a text file is refused and left alone', async () => {
  const path = inFolder('text.db')
  writeFileSync(path, 'This is no database, but a text that is long enough to be taken for one. '.repeat(50))
  await refused(path, /not a database/)
})

test('an empty file becomes a database', async () => {
  const path = inFolder('empty.db')
  writeFileSync(path, '')
  await using store = await open(path, [thing(size)])
  assert.deepEqual(await store.apply(line('a', { size: 1 })), {
    stored: 1,
    updated: 0,
    unchanged: 0,
    older: 0,
    rejected: 0,
    deleted: 0,
    withheld: 0,
    purged: 0,
    expired: 0,
  })
})

test('a directory, and a folder that does not exist, are named as what they are', async () => {
  const directory = inFolder('directory.db')
  mkdirSync(directory)
  await assert.rejects(open(directory, [thing(size)]), /is a directory\. Name a file\.$/)
  await assert.rejects(open(inFolder('no/where.db'), [thing(size)]), /There is no folder \S+no\./)
})

test('a folder that may not be written to is an error, not a crash', async (t) => {
  if (process.getuid?.() === 0) return t.skip('root may write everywhere')
  const folder = inFolder('read-only')
  mkdirSync(folder)
  chmodSync(folder, 0o555)
  await assert.rejects(open(`${folder}/x.db`, [thing(size)]), /unable to open/)
})

async function refused(path: string, why: RegExp): Promise<void> {
  const before = readFileSync(path)
  await assert.rejects(open(path, [thing(size)]), (error: Error) => why.test(error.message))
  assert.ok(before.equals(readFileSync(path)))
}

function content(path: string) {
  const database = new DatabaseSync(path, { readOnly: true })
  const schema = database.prepare('select name, sql from sqlite_master order by name').all()
  const records = database.prepare('select * from "org.example.thing"').all()
  const state = database.prepare('select * from state').all()
  database.close()
  return { schema, records, state }
}
