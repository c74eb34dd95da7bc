import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Change } from '../database.ts'
import type { StoredLine } from '../../../test/support/engine.ts'
import {
  inPairs,
  openTestStore,
  recordLexicon,
  temporaryFolder,
  type TestStore,
} from '../../../test/support/store.ts'

const inFolder = temporaryFolder()
const dids = ['did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', 'did:plc:zzzzzzzzzzzzzzzzzzzzzzzz']
const strongRef = { type: 'ref', ref: 'com.atproto.repo.strongRef' }
const note = recordLexicon('org.example.note', {
  text: { type: 'string', maxGraphemes: 300, maxLength: 3000 },
  tags: { type: 'array', items: { type: 'string', maxLength: 64 } },
  about: strongRef,
  links: { type: 'array', items: strongRef },
})
const cid = 'bafyreibjk2zm52hfizr454i2vrctndr2q2oimlwxu36s3or2icabptr6by'
const day = (n: number): string => `2026-01-${String(n).padStart(2, '0')}T00:00:00Z`

test('a record is stored once, and the same again changes nothing', async () => {
  await using store = await open()
  assert.deepEqual(await store.apply(line('a')), { ...none, stored: 1 })
  const before = await store.rows('select * from "org.example.note"')
  assert.deepEqual(await store.apply(line('a')), { ...none, unchanged: 1 })
  assert.deepEqual(await store.rows('select * from "org.example.note"'), before)
})

test('an update keeps when the record was first stored, and says when it was stored anew', async () => {
  await using store = await open()
  await store.apply(line('a', { indexedAt: day(1) }))
  const [before] = await store.rows(times)
  assert.equal(before?.changed_at, before?.indexed_at)
  assert.deepEqual(await store.apply(line('a', { text: 'other', indexedAt: day(9) })), {
    ...none,
    updated: 1,
  })
  const [after] = await store.rows(times)
  assert.equal(after?.indexed_at, before?.indexed_at)
  assert.ok(Number(after?.changed_at) > Number(before?.changed_at))
})

test('revisions decide which version stands, and none never outranks one', async () => {
  const [none1, r1, r2] = [undefined, '3kaaaaaaaaa22', '3kbbbbbbbbb22']
  const table: [before: string | undefined, after: string | undefined, becomes: string, rev: unknown][] = [
    [none1, none1, 'updated', null],
    [none1, r1, 'updated', r1],
    [r1, r2, 'updated', r2],
    [r1, r1, 'updated', r1],
    [r2, r1, 'older', r2],
    [r1, none1, 'older', r1],
  ]
  for (const [before, after, becomes, rev] of table) {
    await using store = await open()
    await store.apply(line('a', { ...(before && { rev: before }) }))
    const outcome = await store.apply(line('a', { text: 'new', ...(after && { rev: after }) }))
    assert.deepEqual(outcome, { ...none, [becomes]: 1 }, `${before} then ${after}`)
    const [row] = await store.rows('select rev, record ->> \'text\' as text from "org.example.note"')
    assert.deepEqual(row, { rev, text: becomes === 'older' ? 'text' : 'new' })
  }
})

test('the same version under another revision is unchanged, and a newer revision is remembered', async () => {
  await using store = await open()
  const revOf = async () => (await store.rows('select rev from "org.example.note"'))[0]?.rev
  await store.apply(line('a'))
  for (const [rev, becomes, kept] of [
    ['3kbbbbbbbbb22', 'unchanged', '3kbbbbbbbbb22'],
    ['3kaaaaaaaaa22', 'older', '3kbbbbbbbbb22'],
    [undefined, 'unchanged', '3kbbbbbbbbb22'],
    ['3kccccccccc22', 'unchanged', '3kccccccccc22'],
  ] as const) {
    assert.deepEqual(await store.apply(line('a', { ...(rev && { rev }) })), { ...none, [becomes]: 1 })
    assert.equal(await revOf(), kept)
  }
})

test('of two versions in one batch or one load the later wins', async () => {
  for (const road of ['apply', 'load'] as const) {
    await using store = await open()
    const lines = [line('a', { tags: ['x'] }), line('b'), line('a', { text: 'later', tags: ['y'] })]
    const outcome = road === 'load' ? await store.load(lines) : await store.apply(...lines)
    assert.deepEqual(outcome, { ...none, stored: 2, updated: 1 })
    assert.deepEqual(await found(store, 'later'), ['a'])
    assert.deepEqual(await found(store, 'text'), ['b'])
    assert.deepEqual(await store.rows('select value from "org.example.note/tags"'), [{ value: 'y' }])
  }
})

test('a load into an empty store gives ids in default order, ties included', async () => {
  await using store = await open()
  // Nine records of three moments, three keys and two repositories, in no order.
  const keys = [
    [2, 'b', 1],
    [1, 'c', 0],
    [3, 'd', 0],
    [1, 'a', 1],
    [2, 'b', 0],
    [1, 'a', 0],
    [3, 'B', 1],
    [2, 'e', 1],
    [1, 'C', 0],
  ] as const
  const lines = keys.map(([at, rkey, did]) => line(rkey, { indexedAt: day(at), did, tags: [rkey] }))
  await store.load(lines)
  const inOrder = await store.rows(inDefaultOrder)
  assert.deepEqual(
    inOrder.map(({ id }) => id),
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  )
  assert.deepEqual(await orderOf(store), ['org.example.note'])
  // Side tables and trigrams were renumbered along.
  assert.deepEqual(
    await store.rows(
      'select t.rkey from "org.example.note/tags" s join "org.example.note" t using (id) where value <> t.rkey',
    ),
    [],
  )
  assert.equal((await found(store, 'text')).length, 9)
})

test('the order falls with the record that sorts before the last, and plans of the old order are noticed', async () => {
  await using store = await open()
  await store.load([line('a', { indexedAt: day(1) }), line('b', { indexedAt: day(3) })])
  await store.apply(line('c', { indexedAt: day(4) }))
  const before = await store.database.read.readPlanState()
  assert.deepEqual([...before.ordered], ['org.example.note'])
  await store.apply(line('d', { indexedAt: day(2) }), line('e', { indexedAt: day(1) }))
  const after = await store.database.read.readPlanState()
  assert.deepEqual([...after.ordered], [])
  assert.equal(after.version, before.version + 1)
  const answer = await store.database.read.readAnswer({
    text: 'select (select plan_version from state) as version, cast(1 as blob) as body',
    values: [],
  })
  assert.equal(answer.version, after.version)
})

test('equal moments are in order by record key, then repository', async () => {
  await using store = await open()
  const at = { indexedAt: day(1) }
  await store.apply(line('a', { ...at, did: 1 }), line('b', { ...at, did: 0 }), line('b', { ...at, did: 1 }))
  assert.deepEqual(await orderOf(store), ['org.example.note'])
  await store.apply(line('a', { ...at, did: 0 }))
  assert.deepEqual(await orderOf(store), [])
})

test('arrays, references, text and their counts follow an update', async () => {
  await using store = await open()
  const target = (key: string) => ({ uri: `at://${dids[0]}/org.example.note/${key}`, cid })
  await store.apply(line('a', { text: 'Früher', tags: ['x', 'y'], about: target('q'), links: [target('r')] }))
  assert.deepEqual(await found(store, 'fruher'), ['a'])
  await store.apply(line('a', { text: 'später', tags: ['y', 'z'], about: target('s'), links: [target('t')] }))
  assert.deepEqual([await found(store, 'fruher'), await found(store, 'spater')], [[], ['a']])
  const column = async (text: string) => (await store.rows(text)).map(({ v }) => v)
  assert.deepEqual(await column('select value as v from "org.example.note/tags"'), ['y', 'z'])
  assert.deepEqual(await column('select rkey as v from "org.example.note/links:uri"'), ['t'])
  assert.deepEqual(await column('select ".about:key" as v from "org.example.note"'), ['s'])
})

test('the trigram index holds exactly the texts that stand, after many changes', async () => {
  await using store = await open()
  const words = ['Äpfel', 'birnen', 'ＰＦＬＡＵＭＥＮ', '', 'x', '中文', "O'Neill", '"%_"']
  for (const [turn, word] of [...words, ...words.toReversed()].entries())
    await store.apply(line(`k${turn % 5}`, { text: `${word} ${turn}` }), line(`k${turn % 3}`, { text: word }))
  for (const fts of store.tables.flatMap(({ texts }) => texts)) {
    const rebuilt = await store.rows(
      `select ifnull("${fts.folded.name}", lower("${fts.text.name}")) || char(1) || char(1) as t from "org.example.note"`,
    )
    const expected = new Map<string, number>()
    for (const { t } of rebuilt)
      for (const trigram of new Set(trigrams(String(t))))
        expected.set(trigram, (expected.get(trigram) ?? 0) + 1)
    const kept = await store.rows(`select term, doc from "${fts.name}/terms"`)
    assert.deepEqual(new Map(kept.map(({ term, doc }) => [term, doc])), expected)
  }
})

test('what is refused is kept once for its URI, and forgiven when the URI has a valid record', async () => {
  await using store = await open()
  const bad = { ...line('a'), value: { $type: 'org.example.note', text: 5 } }
  const kept = () => store.rows('select uri, reason from rejection')
  assert.deepEqual(await store.apply(bad, bad), { ...none, rejected: 2 })
  await store.apply({ ...bad, value: { $type: 'org.example.note', text: 6 } })
  assert.deepEqual(await kept(), [{ uri: bad.uri, reason: 'invalid-record' }])
  await store.apply(line('b'))
  assert.equal((await kept()).length, 1)
  await store.apply(line('a'))
  assert.deepEqual(await kept(), [])
})

test('what is refused without a URI is kept once for its text', async () => {
  await using store = await open()
  const reject = (record: string): Change => ({
    kind: 'reject',
    source: 'test',
    uri: null,
    reason: 'malformed',
    message: 'It is no JSON.',
    record,
  })
  await store.database.write.applyBatch([reject('x'), reject('x'), reject('y')])
  assert.deepEqual(await store.rows('select record from rejection order by record'), [
    { record: 'x' },
    { record: 'y' },
  ])
})

test('a batch that fails leaves nothing, and memory is right for the next', async () => {
  await using store = await open()
  const bad = { ...line('r'), value: { $type: 'org.example.note', text: 5 } }
  await store.apply(line('a', { indexedAt: day(5) }), bad)
  const before = snapshot(store)
  const wrong = { ...store.change(line('x')), collection: 'org.example.unknown' } as Change
  const doomed = [
    line('b', { indexedAt: day(1), did: 1, about: { uri: 'at://did:plc:new/org.example.note/x', cid } }),
    line('r'),
  ].map(store.change)
  await assert.rejects(store.database.write.applyBatch([...doomed, wrong]), /org\.example\.unknown/)
  assert.deepEqual(snapshot(store), before)
  assert.deepEqual(await orderOf(store), ['org.example.note'])
  // The same again: ids, bases, order and the refused must not be taken for stored.
  await store.database.write.applyBatch(doomed)
  assert.deepEqual(
    await store.rows(
      'select t.rkey, b.uri from "org.example.note" t join base b on b.id = t.base where t.rkey = ?',
      'b',
    ),
    [{ rkey: 'b', uri: `at://${dids[1]}/org.example.note/` }],
  )
  assert.deepEqual(await store.rows('select * from rejection'), [])
  assert.deepEqual(await orderOf(store), [])
})

test('a load that fails half way leaves nothing, and can be done again', async () => {
  await using store = await open()
  const before = snapshot(store)
  const lines = ['d', 'b', 'c', 'a'].map((key, n) => line(key, { indexedAt: day(9 - n) }))
  async function* broken() {
    yield* inPairs(lines.map(store.change))
    throw new Error('The disk is on fire.')
  }
  await assert.rejects(store.database.write.load(broken()), /on fire/)
  assert.deepEqual(snapshot(store), before)
  assert.deepEqual(await store.load(lines), { ...none, stored: 4 })
  assert.deepEqual((await found(store, 'text')).toSorted(), ['a', 'b', 'c', 'd'])
})

test('a load into a filled store keeps the batches before the one that fails', async () => {
  await using store = await open()
  await store.apply(line('0'))
  async function* broken() {
    yield [store.change(line('1')), store.change(line('2'))]
    yield [store.change(line('3')), { ...store.change(line('4')), collection: 'org.example.no' } as Change]
  }
  await assert.rejects(store.database.write.load(broken()))
  assert.deepEqual(await found(store, 'text'), ['0', '1', '2'])
})

test('two writers of one file take turns, and neither trusts what it remembers', async () => {
  const path = inFolder('two-writers.db')
  await using one = await open(path)
  await using other = await open(path)
  const bad = { ...line('r'), value: { $type: 'org.example.note', text: 5 } }
  await one.apply(line('a', { indexedAt: day(1) }))
  await other.apply(line('b', { indexedAt: day(5) }), bad)
  await one.apply(line('c', { indexedAt: day(3), did: 1 }), line('r', { indexedAt: day(3) }))
  assert.deepEqual(await orderOf(other), [])
  assert.deepEqual(await other.rows('select * from rejection'), [])
  await other.load([line('d', { indexedAt: day(2) })])
  assert.deepEqual(await found(one, 'text'), ['a', 'b', 'c', 'r', 'd'])
})

test('the connection that reads cannot write', async () => {
  await using store = await open()
  await store.apply(line('a'))
  for (const text of ['delete from state', 'create table t (x)', "update state set derivation = ''"])
    await assert.rejects(store.rows(text), /readonly/)
  assert.equal((await store.rows('select * from "org.example.note"')).length, 1)
})

test('an answer too large for memory is refused by the connection that reads', async () => {
  await using store = await open()
  await assert.rejects(store.rows("select printf('%.70000000c', 'x') as t"), /too big/)
})

test('a reader in the middle of its rows sees one state while others write', async () => {
  await using store = await open()
  await store.load(['a', 'b', 'c'].map((key) => line(key)))
  const rows = store.database.read.readRows({
    text: 'select rkey from "org.example.note" order by id',
    values: [],
  })
  const seen: unknown[] = []
  for await (const { rkey } of rows) {
    seen.push(rkey)
    if (seen.length < 3) await store.apply(line(`new-${seen.length}`))
  }
  assert.deepEqual(seen, ['a', 'b', 'c'])
  assert.equal((await found(store, 'text')).length, 5)
})

const none = { stored: 0, updated: 0, unchanged: 0, older: 0, deleted: 0, withheld: 0, rejected: 0 }
const times = 'select indexed_at, changed_at from "org.example.note"'
const inDefaultOrder = `select t.id from "org.example.note" t join base b on b.id = t.base
  order by t.indexed_at, t.rkey, b.did`

let opened = 0
function open(path = inFolder(`${(opened += 1)}.db`)): Promise<TestStore> {
  return openTestStore({ path, lexicons: [note] })
}

interface NoteGiven {
  readonly text?: string
  readonly tags?: readonly string[]
  readonly about?: object
  readonly links?: readonly object[]
  readonly rev?: string
  readonly indexedAt?: string
  /** Which repository. */
  readonly did?: number
}

function line(rkey: string, { rev, indexedAt, did = 0, ...value }: NoteGiven = {}): StoredLine {
  return {
    uri: `at://${dids[did]}/org.example.note/${rkey}`,
    ...(rev && { rev }),
    ...(indexedAt && { indexedAt }),
    value: { $type: 'org.example.note', text: 'text', ...value },
  }
}

async function orderOf(store: TestStore): Promise<string[]> {
  return [...(await store.database.read.readPlanState()).ordered]
}

/** Keys of the notes whose folded text has the word, by the trigram index and by the text; they must agree. */
async function found(store: TestStore, word: string): Promise<unknown[]> {
  const fts = store.tables[0]?.texts[0]?.name
  const byIndex = await store.rows(
    `select t.rkey from "${fts}" f join "org.example.note" t on t.id = f.rowid where "${fts}" match ? order by t.id`,
    trigrams(word)
      .map((trigram) => `"${trigram}"`)
      .join(' AND '),
  )
  const byText = await store.rows(
    `select rkey from "org.example.note" where instr(fold(".text"), ?) > 0 order by id`,
    word,
  )
  assert.deepEqual(byIndex, byText)
  return byText.map(({ rkey }) => rkey)
}

function trigrams(text: string): string[] {
  const characters = [...text]
  return characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(''))
}

/** Everything in the file but the inner tables of the trigram index. */
function snapshot({ path }: TestStore) {
  const database = new DatabaseSync(path, { readOnly: true })
  const names = database
    .prepare(
      "select name, sql from sqlite_master where type = 'table' and name not glob '*trigram*' order by name",
    )
    .all()
  const content = names.map(({ name }) => [String(name), database.prepare(`select * from "${name}"`).all()])
  const schema = database.prepare('select name, sql from sqlite_master order by name').all()
  database.close()
  return { content: Object.fromEntries(content), schema }
}
