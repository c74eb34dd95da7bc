/** What a purge leaves in the files of a SQLite database. */
import assert from 'node:assert/strict'
import { newUrl, hide, purge, seen } from '../../test/support/store/note-stores.ts'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { onUntimedPostgres } from '../../test/support/store/databases.ts'
import {
  assertDerived,
  dids,
  note,
  openNotes,
  rev,
  settleAll,
  spot,
  uriOf,
} from '../../test/support/records/notes.ts'
import { temporaryFolder } from '../../test/support/store/store.ts'

const inFolder = temporaryFolder()
const ann = dids[0] as string
const a = spot('a')
const record = uriOf(a)

test('of a purged record nothing is left in any file', async () => {
  const folder = inFolder('bytes')
  const secret = 'xylophone-quagmire'
  const value = (text: string, tag: string) => ({ $type: note, text, tags: [tag], language: 'en' })
  const holds = (text: string): boolean =>
    ['', '-wal', '-shm'].some((suffix) => bytesOf(folder + suffix).includes(text))
  await using store = await openNotes(folder)
  await using reader = await openNotes(folder)
  const lines = Array.from({ length: 300 }, (_, n) => ({
    uri: uriOf(spot(`k${n}`, n % 3)),
    value: value(`Something ordinary, number ${n}, at some length so that pages fill.`, `t${n}`),
  }))
  for (const some of inChunks(lines, 20)) await store.apply(...some)
  // An update and a move leave former versions behind.
  await store.apply({ uri: record, rev: rev(1), value: value(`${secret} first`, 'secrettag1') })
  await store.apply({ uri: record, rev: rev(2), value: value(`${secret} second`, 'secrettag2') })
  await store.database.write.applyBatch([
    {
      kind: 'reject',
      source: 'test',
      uri: record,
      reason: 'malformed',
      message: 'A test.',
      record: `{"${secret}":3}`,
    },
  ])
  await hide(store, record)
  await store.metadata.unhide(record, 'tester')
  assert.equal((await seen(reader)).includes('a'), true)
  assert.ok(holds(secret) && holds('secrettag1'))
  await purge(store, record)
  assert.equal(await store.database.write.compact(), true)
  await store.metadata.endPurges()
  for (const text of [secret, 'secrettag', 'first', 'second']) assert.ok(!holds(text), text)
  // A sequence of characters that nothing else has.
  const index = store.tables.flatMap(({ texts }) => texts)[0]?.name
  for (const part of ['terms', 'counts'])
    assert.deepEqual(await store.rows(`select term from "${index}/${part}" where term = 'xyl'`), [])
  assert.ok(holds('number 299'))
  await assertDerived(store)
  assert.equal((await seen(reader)).length, 300)
})

test('a file becomes smaller when most of it is purged', async () => {
  const path = inFolder('smaller')
  await using store = await openNotes(path)
  const text = 'Words that take some space. '.repeat(10)
  for (const some of inChunks(Array.from({ length: 2_000 }).keys().toArray(), 200))
    await store.apply(
      ...some.map((n) => ({ uri: uriOf(spot(`k${n}`)), value: { $type: note, text: `${n} ${text}` } })),
    )
  const other = uriOf(spot('other', 1))
  const value = { $type: note, text }
  await store.apply({ uri: other, value }, { uri: record, value })
  await store.database.write.compact()
  const before = await store.database.read.readSize()
  await purge(store, ann)
  await hide(store, other)
  await settleAll(store)
  assert.deepEqual(await store.rows('select nsid from collection where last_did = ?', ann), [])
  await store.database.write.compact()
  assert.ok((await store.database.read.readSize()) < before / 4)
})

onUntimedPostgres('of purged records neither space nor statistics are left', async () => {
  await using store = await openNotes(await newUrl('postgres'))
  const secret = 'xylophone-quagmire'
  for (const some of inChunks(Array.from({ length: 2_000 }).keys().toArray(), 500))
    await store.apply(
      ...some.map((n) => ({
        uri: uriOf(spot(`k${n}`)),
        value: { $type: note, text: `${secret} ${n % 3}`, tags: [`${secret}${n % 3}`] },
      })),
    )
  const look = async (): Promise<readonly [bytes: number, values: number]> => {
    const [size] = await store.rows(`select pg_table_size('"${note}"'::regclass) as bytes`)
    const like = `like '%${secret}%'`
    const [stats] = await store.rows(
      `select count(*) as n from pg_stats where most_common_vals::text ${like} or histogram_bounds::text ${like}`,
    )
    return [Number(size?.bytes), Number(stats?.n)]
  }
  await store.database.write.compact()
  const before = await look()
  assert.ok(before[1] > 0)
  await purge(store, ann)
  await settleAll(store)
  assert.equal(await store.database.write.compact(), true)
  const after = await look()
  assert.ok(after[0] < before[0] / 4, `${after[0]} of ${before[0]} bytes are left.`)
  assert.equal(after[1], 0)
})

function inChunks<One>(all: readonly One[], size: number): One[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))
}

function bytesOf(path: string): Buffer {
  return existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
}

onUntimedPostgres('no table and no statistic has a word of few purged records', async () => {
  await using store = await openNotes(await newUrl('postgres'))
  const texts = Array.from({ length: 300 }, (_, n) =>
    n % 10 === 0 ? `xylophone-quagmire ${n}` : `text ${n}`,
  )
  await store.load(
    texts.map((text, n) => ({ uri: uriOf(spot(`k${n}`)), value: { $type: note, text, tags: [text] } })),
  )
  const where = async (): Promise<readonly unknown[]> => {
    const tables = await store.rows(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind = 'r' and n.nspname like 'lexigraph%'`,
    )
    const found: unknown[] = []
    for (const { name } of tables)
      if ((await store.rows(`select from ${name} each where each::text ~ 'quagmire|\\yqua'`)).length > 0)
        found.push(name)
    const samples = `select concat(tablename, '.', attname) as of from pg_stats where schemaname like 'lexigraph%'
      and concat(most_common_vals::text, histogram_bounds::text, most_common_elems::text) ~ 'quagmire|\\yqua'`
    return [...found, ...(await store.rows(samples))]
  }
  await store.database.write.compact()
  assert.ok((await where()).includes('text_count'))
  for (const [n, text] of texts.entries())
    if (text.startsWith('xylophone')) await purge(store, uriOf(spot(`k${n}`)))
  await settleAll(store)
  assert.equal(await store.database.write.compact(), true)
  assert.deepEqual(await where(), [])
})
