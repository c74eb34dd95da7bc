import assert from 'node:assert/strict'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import type { StoredLine } from '../../../test/support/service/engine.ts'
import { found, line } from '../../../test/support/records/note-lines.ts'
import { openNotes } from '../../../test/support/records/notes.ts'
import { inPairs, temporaryFolder } from '../../../test/support/store/store.ts'
import { findDamage } from '../verify/find-damage.ts'
import type { Change } from '../database.ts'

const inFolder = temporaryFolder()

/** Each has words of its own and some beyond ASCII; together they exceed the memory in which FTS5 gathers terms. */
const lines = Array.from({ length: 900 }, (_, at): StoredLine => {
  const words = Array.from({ length: 20 }, (__, n) => `${wordOf(at * 20 + n)} Ünï`)
  const { uri, value } = line(`k${String(at).padStart(4, '0')}`, {
    text: `${words.join(' ')} ${at % 2 === 0 ? 'Gerade' : 'Ungerade'}`,
  })
  const indexedAt = new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString()
  return { uri, indexedAt, value }
})

test('a load builds trigram indexes and counts at its end, and not row by row', async (t) => {
  await using store = await openNotes(inFolder('at-end.db'))
  const run = t.mock.method(StatementSync.prototype, 'run').mock
  const rowByRow = async (work: () => Promise<unknown>): Promise<number> => {
    run.resetCalls()
    await work()
    const texts = run.calls.map((call) => (call.this as StatementSync).sourceSQL)
    return texts.filter((text) => /^insert into "[^"]*(trigram|:count)" [^]*values \(/.test(text)).length
  }
  assert.equal(await rowByRow(() => store.load(lines.slice(0, 9))), 0)
  assert.ok((await rowByRow(() => store.apply(...lines.slice(9, 12)))) >= 3)
})

test('a load leaves one segment in each trigram index, so that a search reads one list per trigram', async () => {
  const path = inFolder('segments.db')
  await using store = await openNotes(path)
  await store.load(lines.toReversed())
  assert.equal((await found(store, 'ungerade')).length, 450)
  assert.deepEqual(await findDamage(store.database.read, store.tables), [])
  using writing = new DatabaseSync(path)
  const changes = (): unknown => writing.prepare('select total_changes() as n').get()?.n
  const before = Number(changes())
  // As FTS5 documents it, a merge that adds less than 2 changes had nothing to merge.
  const index = store.tables.flatMap(({ texts }) => texts)[0]?.name
  writing.exec(`insert into "${index}" ("${index}", rank) values ('merge', -1000)`)
  assert.ok(Number(changes()) - before < 2)
})

test('a trigram index stores neither texts nor positions nor lengths, in small parts', async () => {
  const path = inFolder('contentless.db')
  await using store = await openNotes(path)
  await store.load(lines.slice(0, 3))
  const index = store.tables.flatMap(({ texts }) => texts)[0]?.name
  using reading = new DatabaseSync(path, { readOnly: true })
  const shadows = reading.prepare('select name from sqlite_master where substr(name, 1, ?) = ? order by name')
  const prefix = `${index}_`
  assert.deepEqual(
    shadows.all(prefix.length, prefix).map(({ name }) => String(name).slice(prefix.length)),
    ['config', 'data', 'idx'],
  )
  assert.deepEqual(
    { ...reading.prepare(`select v from "${index}_config" where k = 'pgsz'`).get() },
    { v: 1_000 },
  )
  const phrase = reading.prepare(`select rowid from "${index}" where "${index}" match '"abc" + "bcd"'`)
  assert.throws(() => phrase.all(), /phrase queries are not supported/)
})

test('a transaction writes one part of a trigram index, in whatever order its records come, and none for the same texts', async () => {
  const path = inFolder('parts.db')
  await using store = await openNotes(path)
  await store.load(lines.slice(0, 50))
  const index = store.tables.flatMap(({ texts }) => texts)[0]?.name
  using reading = new DatabaseSync(path, { readOnly: true })
  const parts = (): number =>
    Number(reading.prepare(`select count(distinct segid) as n from "${index}_idx"`).get()?.n)
  const before = parts()
  const again = lines.slice(0, 20).map(({ uri, indexedAt }, at) => ({
    uri,
    ...(indexedAt !== undefined && { indexedAt }),
    value: line('', { text: `Anders ${at} Wörter` }).value,
  }))
  await store.apply(...again.toReversed())
  assert.equal(parts() - before, 1)
  await store.apply(...again.map(({ value, ...line }) => ({ ...line, value: { ...value, score: 3 } })))
  assert.equal(parts() - before, 1)
})

test('a text is stored in its record alone', async () => {
  await using store = await openNotes(inFolder('virtual.db'))
  const columns = await store.rows(`select name, hidden from pragma_table_xinfo('org.example.note')`)
  // 2: generated and not stored.
  assert.equal(columns.find(({ name }) => name === '.text')?.hidden, 2)
})

function wordOf(n: number): string {
  return ((n * 104_729) % 1_000_003).toString(36)
}

test('readers see an empty file until a load is complete', async () => {
  await using store = await openNotes(inFolder('read.db'))
  const read = () => store.rows('select id from "org.example.note"')
  async function* batches(): AsyncGenerator<readonly Change[]> {
    for await (const batch of inPairs(lines.slice(0, 10).map(store.change))) {
      yield batch
      assert.deepEqual(await read(), [])
    }
  }
  await store.database.write.load(batches())
  assert.equal((await read()).length, 10)
})

test('a file that another process has filled since it was opened is loaded batch by batch', async () => {
  const path = inFolder('filled.db')
  await using store = await openNotes(path)
  {
    await using other = await openNotes(path)
    await other.load(lines.slice(0, 4))
  }
  const seen: number[] = []
  async function* batches(): AsyncGenerator<readonly Change[]> {
    for await (const batch of inPairs(lines.slice(4, 10).map(store.change))) {
      yield batch
      seen.push((await store.rows('select id from "org.example.note"')).length)
    }
  }
  await store.database.write.load(batches())
  // A batch is applied when the one after it has come.
  assert.deepEqual(seen, [4, 6, 8])
  assert.equal((await store.rows('select id from "org.example.note"')).length, 10)
})
