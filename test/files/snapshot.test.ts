/** A file is one state of the data. */
import assert from 'node:assert/strict'
import { ExecutionReport, unlimited } from '../../src/query/execute/execute.ts'
import { onEveryDatabase } from '../support/store/databases.ts'
import { collections, libraryLexicons, libraryReferences } from '../support/records/lexicons.ts'
import type { Engine } from '../support/store/postgres.ts'
import { buildRecord } from '../support/records/records.ts'
import { openTestService } from '../support/service/service.ts'
import { emptyDatabases } from '../support/store/store.ts'

const database = emptyDatabases()

async function urlOf(engine: Engine): Promise<URL> {
  const url = await database(engine)
  return new URL(engine === 'postgres' ? url : `sqlite://${url}`)
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
    const query = '{ orgExampleLibraryBook { nodes { rkey title note } } }'
    const limits = { ...unlimited, pageSize: 100_000 }
    const form = { format: 'ndjson', bom: false, gzip: false } as const
    await using file = await service.engine.openFile({ query }, form, limits, new ExecutionReport())
    const bytes = file.bytes[Symbol.asyncIterator]()
    const pieces = [(await bytes.next()).value as Uint8Array]
    const further = await Promise.all(Array.from({ length: 50 }, (_, index) => bookOf(`c${index}`, 'after')))
    await service.store(further)
    const { list } = await service.data('{ list: orgExampleLibraryBook { totalCount } }')
    assert.equal(list.totalCount, many + 50)
    for (let next = await bytes.next(); next.done !== true; next = await bytes.next()) pieces.push(next.value)
    const lines = Buffer.concat(pieces).toString().trimEnd().split('\n')
    assert.equal(lines.length, many)
    assert.equal(file.head.total, many)
    assert.ok(lines.every((line) => JSON.parse(line).title === 'before'))
  },
)
