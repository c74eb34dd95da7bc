/** Files that older versions laid out. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Json } from '../../../test/reference/shapes.ts'
import { assertCounts } from '../../../test/support/counts.ts'
import {
  laterReviewLines,
  review,
  reviewLexicons,
  reviewLines,
  reviewReferences,
} from '../../../test/support/reviews.ts'
import { openTestStore, temporaryFolder, understand } from '../../../test/support/store.ts'
import { assertLeftWithKeys, fill, line, open, size, tamper, thing } from '../../../test/support/things.ts'
import { openReadDatabase } from '../open.ts'
import { formerDerivationsOf } from './layout/ddl.ts'

const inFolder = temporaryFolder()

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
    await assertLeftWithKeys(store)
  }
  await fill(fresh, [thing({ ...size, ...text })], [])
  assert.deepEqual(names(path), names(fresh))
})

test('a file of the third or fourth version has its records counted and is otherwise left as it is', async () => {
  const lexicons = [thing({ ...size, text: { type: 'string', maxGraphemes: 99 }, at: datetime })]
  const derivations = formerDerivationsOf(understand(lexicons, {}).set.fingerprint)
  const fresh = inFolder('third-fresh.db')
  await fill(fresh, lexicons, [])
  for (const [index, version] of [toThirdVersion, withoutMonths].entries()) {
    const path = inFolder(`third-or-fourth-${index}.db`)
    await fill(path, lexicons, [
      line('a', { size: 7, at: '1969-12-31T23:59:59Z' }),
      line('b', { at: '0001-01-31T00:00:00Z' }),
      line('c', { at: '9999-12-31T23:59:59Z' }),
      line('d', {}),
    ])
    tamper(path, version)
    tamper(path, `update state set derivation = '${derivations[index]}'`)
    const before = derivedPlaces(path)
    {
      await using store = await open(path, lexicons)
      assert.deepEqual(derivedPlaces(path), before)
      await assertCounts(store.database.read, store.tables)
    }
    assert.deepEqual(names(path), names(fresh))
    await using store = await open(path, lexicons)
    await store.apply(line('e', {}))
    await assertCounts(store.database.read, store.tables)
  }
})

test('a file of the fourth version has its records added up and is otherwise left as it is', async () => {
  const [path, fresh] = [inFolder('fourth.db'), inFolder('fourth-fresh.db')]
  const given = { lexicons: reviewLexicons, references: reviewReferences }
  {
    await using store = await openTestStore({ path, ...given })
    await store.load(reviewLines)
  }
  const { fingerprint } = understand(reviewLexicons, reviewReferences).set
  tamper(path, `${withoutSums(path)} update state set derivation = '${formerDerivationsOf(fingerprint)[1]}'`)
  const before = derivedPlaces(path)
  {
    await using store = await openTestStore({ path, ...given })
    assert.deepEqual(derivedPlaces(path), before)
    assert.equal((await store.rows(`select * from "${review}/book+author:sums"`)).length, 2)
    await assertCounts(store.database.read, store.tables)
  }
  await (await openTestStore({ path: fresh, ...given }))[Symbol.asyncDispose]()
  assert.deepEqual(names(path), names(fresh))
  await using store = await openTestStore({ path, ...given })
  await store.apply(...laterReviewLines)
  await assertCounts(store.database.read, store.tables)
})

test('a file of the fifth version gets indexes from records to their array elements and is otherwise left as it is', async () => {
  const [path, fresh] = [inFolder('fifth.db'), inFolder('fifth-fresh.db')]
  const strongRef = { type: 'ref', ref: 'com.atproto.repo.strongRef' }
  const lexicons = [
    thing({
      ...size,
      tags: { type: 'array', items: { type: 'string' } },
      links: { type: 'array', items: strongRef },
    }),
  ]
  await fill(path, lexicons, [line('a', { size: 7, tags: ['x', 'y'] }), line('b', {})])
  tamper(path, `${withoutServed} ${withoutSideIndexes(path)} pragma user_version = 5`)
  // Not as it would be derived: that it stays shows that nothing was.
  tamper(path, `update "org.example.thing" set ".size" = 99 where rkey = 'a'`)
  const before = derivedPlaces(path)
  await (await open(path, lexicons))[Symbol.asyncDispose]()
  await fill(fresh, lexicons, [])
  assert.deepEqual(names(path), names(fresh))
  assert.deepEqual(derivedPlaces(path), before)
  await using store = await open(path, lexicons)
  assert.deepEqual(await store.rows('select ".size" as size from "org.example.thing" order by id'), [
    { size: 99 },
    { size: null },
  ])
  assert.equal((await store.database.read.readPlanState()).version, 1)
})

test('a file of the seventh version keeps its keys, which hold as before', async () => {
  const [path, fresh] = [inFolder('seventh.db'), inFolder('seventh-fresh.db')]
  await fill(path, [thing(size)], [line('a', { size: 7 })])
  const { fingerprint } = understand([thing(size)], {}).set
  tamper(
    path,
    `${withoutErasure} ${withoutKeyColumns} pragma user_version = 7;
     insert into api_key (id, hash, name, tier, created_at, expires_at) values ('k', 'h', 'n', 'public', 1, 2)`,
  )
  await assert.rejects(openReadDatabase(path, { fingerprint, now: () => 0n }), /by another version/)
  await using store = await open(path, [thing(size)])
  assert.deepEqual(await store.database.read.findKey('h'), {
    id: 'k',
    name: 'n',
    tier: 'public',
    contact: null,
    createdAt: 1n,
    expiresAt: 2n,
    validUntil: null,
    revokedAt: null,
  })
  await fill(fresh, [thing(size)], [])
  assert.deepEqual(names(path), names(fresh))
})

test('whoever follows with a file of the fourth version must start again when it gets the fifth', async () => {
  const path = inFolder('fourth-open.db')
  const given = { path, lexicons: reviewLexicons, references: reviewReferences }
  await using former = await openTestStore(given)
  const { fingerprint } = understand(reviewLexicons, reviewReferences).set
  await former.load(reviewLines)
  // Any other derivation than the one that it knows.
  tamper(path, `update state set derivation = '${formerDerivationsOf(fingerprint)[1]}'`)
  await assert.rejects(former.apply(...laterReviewLines), /Start again/)
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
    openTestStore({ path, lexicons: [thing(properties)], rebuild: 'never' })
  for (const statements of ['', toSecondVersion]) {
    tamper(path, statements)
    const before = readFileSync(path)
    await assert.rejects(
      passing({}),
      /^BuiltElsewiseError: it was built with other lexicons or by another version\./,
    )
    assert.ok(before.equals(readFileSync(path)))
    await (await passing(size))[Symbol.asyncDispose]()
  }
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

const datetime = { type: 'string', format: 'datetime' }

/** What was added since. */
const withoutErasure =
  'alter table source drop column public_name; drop table key_usage; drop table purge; drop table expired; drop index parked_age; drop index rejection_age;'
const withoutKeyColumns =
  'alter table api_key drop column contact; alter table api_key drop column valid_until;'
const withoutServed = `${withoutErasure} ${withoutKeyColumns} alter table collection drop column served;`
const withoutMonths = `${withoutServed} drop table "org.example.thing/indexed_at:month"; drop table if exists "org.example.thing/.at:month";
  pragma user_version = 4;`
function withoutSums(path: string): string {
  const sums = names(path).flatMap(({ type, name }) =>
    type === 'table' && String(name).endsWith(':sums') ? String(name) : [],
  )
  assert.ok(sums.length > 0)
  return `${withoutServed} ${sums.map((name) => `drop table "${name}";`).join(' ')} pragma user_version = 4;`
}
function withoutSideIndexes(path: string): string {
  const indexes = names(path).flatMap(({ type, name }) =>
    type === 'index' && String(name).endsWith('/id') ? String(name) : [],
  )
  assert.equal(indexes.length, 2)
  return indexes.map((name) => `drop index "${name}";`).join(' ')
}
const toThirdVersion = `${withoutMonths} drop table "org.example.thing/:count"; drop table "org.example.thing/base:count";
  drop table "org.example.thing/indexed_at:count"; drop table if exists "org.example.thing/.at:count"; pragma user_version = 3;`
const toSecondVersion = `${toThirdVersion} drop table api_key; drop table hiding; pragma user_version = 2`

/** Where each table and index begins in the file, as long as nobody makes it anew. */
function derivedPlaces(path: string) {
  const database = new DatabaseSync(path, { readOnly: true })
  const places = database
    .prepare(
      `select name, rootpage from sqlite_master where name like 'org.example%' and name not like '%:count' and name not like '%:month'
         and name not like '%:sums' and name not like '%/id'
       order by name`,
    )
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
