/** A file takes no more memory the longer it is. */
import assert from 'node:assert/strict'
import type { FileFormat } from '../../src/files/file-spec.ts'
import { libraryLexicons } from '../support/records/lexicons.ts'
import { childrenOf, privateMemoryOf } from '../support/processes.ts'
import { someForms } from '../support/rounds.ts'
import { onEveryDatabase } from '../support/store/databases.ts'
import { databases } from '../support/store/postgres.ts'
import { emptyDatabases, openTestStore } from '../support/store/store.ts'

/** Rows of which each is as long as an article. */
const endless = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000000)
  select '{"i":' || i || ',"text":"' || replace('abcdefghij', 'c', 'some words that say little, and ' || i) || '","list":["a","b","c"]}' from n`
const columns = [
  { name: 'i', type: 'integer', path: ['i'] },
  { name: 'text', type: 'text', path: ['text'] },
  { name: 'list', type: 'json', path: ['list'] },
] as const

/** How many bytes are as many rows, and whether they are compressed. */
const files: readonly { format: FileFormat; size: number; gzip: boolean }[] = [
  { format: 'parquet', size: 1_500_000, gzip: false },
  { format: 'csv', size: 3_000_000, gzip: false },
  { format: 'ndjson', size: 750_000, gzip: true },
]

const database = emptyDatabases()

for (const { format, size, gzip } of someForms(files))
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
        { format, columns, gzip, bom: false, query: '' },
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
    someForms(databases),
  )
