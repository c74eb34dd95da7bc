/** A file is one state of the data, and takes no more memory the longer it is. */
import assert from 'node:assert/strict'
import { ExecutionReport, unlimited } from '../../src/query/execute/execute.ts'
import type { FileSpec } from '../../src/files/file-spec.ts'
import { onEveryDatabase } from '../support/store/databases.ts'
import { collections, libraryLexicons, libraryReferences } from '../support/records/lexicons.ts'
import type { Engine } from '../support/store/postgres.ts'
import { childrenOf, privateMemoryOf } from '../support/processes.ts'
import { buildRecord } from '../support/records/records.ts'
import { openTestService } from '../support/service/service.ts'
import { emptyDatabases, openTestStore } from '../support/store/store.ts'

const database = emptyDatabases()

async function urlOf(engine: Engine): Promise<URL> {
  const url = await database(engine)
  return new URL(engine === 'postgres' ? url : `sqlite://${url}`)
}

const spec: FileSpec = {
  format: 'ndjson',
  columns: ['rkey', 'title', 'note'].map((name) => ({ name, type: 'text', path: [name] })),
  bom: false,
  gzip: false,
  query: '',
}

/** Far more than pipes and sockets hold. */
const many = 2_000

onEveryDatabase(
  'what is written while a file is read is not in it, and does not wait for it',
  async (engine) => {
    const bookOf = (rkey: string, title: string) =>
      buildRecord(collections.book, { rkey, value: { title, note: 'x'.repeat(3_000) } })
    const records = await Promise.all(
      Array.from({ length: many }, (_, index) => bookOf(`b${index}`, 'before')),
    )
    await using service = await openTestService({
      lexicons: libraryLexicons,
      references: libraryReferences,
      records,
      database: await urlOf(engine),
    })
    const query = '{ orgExampleLibraryBook(first: 100000) { nodes { rkey title note } totalCount } }'
    const limits = { ...unlimited, pageSize: 100_000 }
    await using file = await service.engine.openExport({ query }, spec, limits, new ExecutionReport())
    const bytes = file.bytes[Symbol.asyncIterator]()
    const pieces = [(await bytes.next()).value as Uint8Array]
    const further = await Promise.all(Array.from({ length: 50 }, (_, index) => bookOf(`c${index}`, 'after')))
    await service.store(further)
    const { list } = await service.data('{ list: orgExampleLibraryBook { totalCount } }')
    assert.equal(list.totalCount, many + 50)
    for (let next = await bytes.next(); next.done !== true; next = await bytes.next()) pieces.push(next.value)
    const lines = Buffer.concat(pieces).toString().trimEnd().split('\n')
    assert.equal(lines.length, many)
    assert.equal(file.total, many)
    assert.ok(lines.every((line) => JSON.parse(line).title === 'before'))
  },
)

/** Rows of which each is as long as an article. */
const endless = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000000)
  select '{"i":' || i || ',"text":"' || replace('abcdefghij', 'c', 'some words that say little, and ' || i) || '","list":["a","b","c"]}' from n`
const columns = [
  { name: 'i', type: 'integer', path: ['i'] },
  { name: 'text', type: 'text', path: ['text'] },
  { name: 'list', type: 'json', path: ['list'] },
] as const

/** Compressed formats need fewer bytes for as many rows. */
for (const [format, gzip, size] of [
  ['csv', false, 3_000_000],
  ['ndjson', true, 750_000],
  ['parquet', false, 1_500_000],
] as const)
  onEveryDatabase(
    `a process that writes ${format} takes no more memory the longer the file is`,
    async (engine) => {
      await using store = await openTestStore({ path: await database(engine), lexicons: libraryLexicons })
      const { version } = await store.database.read.readPlanState()
      const before = childrenOf(process.pid)
      const statements = {
        version,
        count: { text: 'select 1 as total', values: [] },
        rows: { text: endless, values: [] },
      }
      const { signal } = new AbortController()
      await using file = await store.database.read.openFile(
        statements,
        { ...spec, format, columns, gzip },
        signal,
      )
      const [child = 0] = childrenOf(process.pid).filter((pid) => !before.includes(pid))
      let [read, early, late] = [0, 0, 0]
      for await (const piece of file?.bytes ?? []) {
        read += piece.length
        if (read < size) early = Math.max(early, privateMemoryOf(child))
        else late = Math.max(late, privateMemoryOf(child))
        if (read > 4 * size) break
      }
      assert.ok(early > 10 && late < early + 40, `${early} MB, then ${late} MB`)
    },
  )
