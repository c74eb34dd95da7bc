import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openReadDatabase } from '../open.ts'
import type { Json } from '../../../test/reference/shapes.ts'
import type { StoredLine } from '../../../test/support/engine.ts'
import { openTestStore, recordLexicon, temporaryFolder, type TestStore } from '../../../test/support/store.ts'

const inFolder = temporaryFolder()
const uri = (collection: string, key: string): string =>
  `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${collection}/${key}`
const thing = (properties: Json, id = 'org.example.thing'): Json => recordLexicon(id, properties)
const size = { size: { type: 'integer' } }

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
    ['rebuild', uri('org.example.thing', 'a'), 'invalid-record', uri('org.example.thing', 'a'), { n: 1 }],
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

test('a file of the first version has all its records after opening, and accounts for them', async () => {
  const [path, fresh] = [inFolder('first.db'), inFolder('first-fresh.db')]
  tamper(path, firstVersion)
  const [a, b] = ['did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', 'did:web:b.example']
  {
    await using store = await open(path, [thing(size)])
    assert.deepEqual(
      await store.rows(`select t.id, b.uri || t.rkey as uri, hex(t.cid) as cid, rev, indexed_at, changed_at, ".size" as size
        from "org.example.thing" t join base b on b.id = t.base order by t.id`),
      [
        {
          id: 1,
          uri: `at://${b}/org.example.thing/2`,
          cid: '22',
          rev: null,
          indexed_at: 100,
          changed_at: 100,
          size: null,
        },
        {
          id: 2,
          uri: `at://${a}/org.example.thing/1`,
          cid: '11',
          rev: '3kaaaaaaaaa22',
          indexed_at: 200,
          changed_at: 300,
          size: 7,
        },
      ],
    )
    assert.deepEqual(await store.rows('select * from actor'), [
      { did: a, handle: null, handle_due: 0, status: null, status_at: 0, floor: null, move: null },
      { did: b, handle: null, handle_due: 0, status: null, status_at: 0, floor: null, move: null },
    ])
    const rejections = await store.database.read.readRejections(9, null)
    assert.deepEqual(rejections, [
      {
        key: 'k',
        source: 'f:1',
        uri: null,
        reason: 'malformed',
        message: 'No.',
        record: '{',
        cut: false,
        seenAt: 5n,
      },
    ])
    // The order that was lost is found again by the rebuild.
    assert.deepEqual(await store.rows('select nsid, ordered from collection'), [
      { nsid: 'org.example.thing', ordered: 1 },
    ])
  }
  await fill(fresh, [thing(size)], [])
  assert.deepEqual(names(path), names(fresh))
  const before = readFileSync(path)
  await (await open(path, [thing(size)]))[Symbol.asyncDispose]()
  assert.ok(before.equals(readFileSync(path)))
})

test('only to read, a file of the first version is left as it is', async () => {
  const path = inFolder('first-read.db')
  tamper(path, firstVersion)
  const before = readFileSync(path)
  const fingerprint = 'any'
  await assert.rejects(openReadDatabase(path, { fingerprint, now: () => 0n }), /by another version/)
  assert.ok(before.equals(readFileSync(path)))
})

test('a file of the second version gets what the third has and is otherwise left as it is', async () => {
  const [path, fresh] = [inFolder('second.db'), inFolder('second-fresh.db')]
  const text = { text: { type: 'string', maxGraphemes: 99 } }
  await fill(path, [thing({ ...size, ...text })], [line('a', { size: 7, text: 'abc' }), line('b', {})])
  tamper(path, toSecondVersion)
  // Not as it would be derived: that it stays shows that nothing was.
  tamper(path, `update "org.example.thing" set ".size" = 99 where rkey = 'a'`)
  const before = derivedPlaces(path)
  {
    await using store = await open(path, [thing({ ...size, ...text })])
    assert.deepEqual(derivedPlaces(path), before)
    assert.deepEqual(
      await store.rows('select id, rkey, ".size" as size from "org.example.thing" order by id'),
      [
        { id: 1, rkey: 'a', size: 99 },
        { id: 2, rkey: 'b', size: null },
      ],
    )
    assert.equal((await store.database.read.readPlanState()).version, 1)
    const { read, write } = store.database
    assert.deepEqual([await read.readKeys(), await read.readHidings()], [[], []])
    await write.ledger.addKey({ id: 'k', name: 'n', tier: 't' }, 'h')
    assert.equal((await read.findKey('h'))?.name, 'n')
  }
  await fill(fresh, [thing({ ...size, ...text })], [])
  assert.deepEqual(names(path), names(fresh))
})

test('whoever follows with a file of the second version goes on while it gets the third', async () => {
  const path = inFolder('second-open.db')
  await using former = await open(path, [thing(size)])
  await former.load([line('a', { size: 1 })])
  tamper(path, toSecondVersion)
  await (await open(path, [thing(size)]))[Symbol.asyncDispose]()
  await former.apply(line('b', { size: 2 }))
  assert.equal((await former.database.read.readPlanState()).ordered.size, 1)
  assert.equal((await former.rows('select * from "org.example.thing"')).length, 2)
})

test('a file of the second version is rebuilt when its lexicons are others too', async () => {
  const path = inFolder('second-other.db')
  await fill(path, [thing({})], [line('a', { size: 7 })])
  tamper(path, toSecondVersion)
  await using store = await open(path, [thing(size)])
  assert.deepEqual(await store.rows('select ".size" as size from "org.example.thing"'), [{ size: 7 }])
  assert.deepEqual(await store.database.read.readKeys(), [])
})

test('whoever may not rebuild leaves a file of other lexicons as it is, and opens one of the same', async () => {
  const path = inFolder('passing.db')
  await fill(path, [thing(size)], [line('a', { size: 7 })])
  const passing = (properties: Json) =>
    openTestStore({ path, lexicons: [thing(properties)], mayRebuild: false })
  for (const statements of ['', toSecondVersion]) {
    tamper(path, statements)
    const before = readFileSync(path)
    await assert.rejects(passing({}), /^Error: it was built with other lexicons or by another version\./)
    assert.ok(before.equals(readFileSync(path)))
    await (await passing(size))[Symbol.asyncDispose]()
  }
})

test('a rebuild leaves what is kept beside the records as it is', async () => {
  const path = inFolder('beside.db')
  const kept = ['source', 'job', 'listing', 'tombstone', 'outcome', 'rejection', 'base', 'api_key']
  const content = (store: TestStore) =>
    Array.fromAsync(kept, async (name) => [name, await store.rows(`select * from ${name}`)])
  let before: unknown
  {
    await using store = await open(path, [thing(size)])
    const { ledger } = store.database.write
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
    await ledger.addJobs('backfill', [{ did, host: 'https://host', reason: 'all' }], {
      target: 'https://host',
      cursor: 'p',
      done: false,
    })
    await ledger.addKey({ id: 'k', name: 'n', tier: 't' }, 'h')
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

/** As 0.1.0 laid it out, with two records out of order. */
const firstVersion = `
  pragma application_id = 0x4c784772; pragma user_version = 1;
  create table base (id integer primary key, uri text not null unique, did text, collection text);
  create table rejection (
    key text primary key, source text not null, uri text, reason text not null, message text not null,
    record text not null, seen_at integer not null
  ) without rowid;
  create table collection (nsid text primary key, table_name text not null, ordered integer not null) without rowid;
  create table state (id integer primary key check (id = 1), plan_version integer not null, derivation text not null);
  create table "org.example.thing" (
    id integer primary key, base integer not null, rkey text not null, cid blob not null, rev text,
    indexed_at integer not null, changed_at integer not null, record blob not null, ".size" integer
  );
  create unique index "org.example.thing/key" on "org.example.thing" (base, rkey);
  create index "org.example.thing/.size" on "org.example.thing" (".size", rkey);
  create index "org.example.thing/indexed_at" on "org.example.thing" (indexed_at, rkey);
  insert into state values (1, 4, 'of the first version');
  insert into collection values ('org.example.thing', 'org.example.thing', 0);
  insert into base values
    (1, 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/org.example.thing/', 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', 'org.example.thing'),
    (2, 'at://did:web:b.example/org.example.thing/', 'did:web:b.example', 'org.example.thing');
  insert into "org.example.thing" values
    (1, 1, '1', x'11', '3kaaaaaaaaa22', 200, 300, jsonb('{"$type": "org.example.thing", "size": 7}'), 7),
    (2, 2, '2', x'22', null, 100, 100, jsonb('{"$type": "org.example.thing"}'), null);
  insert into rejection values ('k', 'f:1', null, 'malformed', 'No.', '{', 5);
`

/** What was added since. */
const toSecondVersion = 'drop table api_key; drop table hiding; pragma user_version = 2'

/** Where each table and index begins in the file, as long as nobody makes it anew. */
function derivedPlaces(path: string) {
  const database = new DatabaseSync(path, { readOnly: true })
  const places = database
    .prepare("select name, rootpage from sqlite_master where name like 'org.example%' order by name")
    .all()
  database.close()
  assert.ok(places.length > 3)
  return places
}

/** Everything in the file by its name, and how indexes are made. */
function names(path: string) {
  const database = new DatabaseSync(path, { readOnly: true })
  const rows = database
    .prepare(
      "select type, name, iif(type = 'index', sql, null) as sql from sqlite_master order by type, name",
    )
    .all()
  database.close()
  return rows
}

function open(path: string, lexicons: readonly Json[]): Promise<TestStore> {
  return openTestStore({ path, lexicons })
}

async function fill(path: string, lexicons: readonly Json[], lines: readonly StoredLine[]): Promise<void> {
  await using store = await open(path, lexicons)
  await store.load(lines)
}

function line(
  key: string,
  value: Json,
  more: { rev?: string; indexedAt?: string } = {},
  collection = 'org.example.thing',
): StoredLine {
  return { uri: uri(collection, key), ...more, value: { $type: collection, ...value } }
}

function tamper(path: string, statements: string): void {
  const database = new DatabaseSync(path)
  database.exec(statements)
  database.close()
}

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
