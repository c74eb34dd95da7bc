/** The service over records of the library that a test makes itself, books by the number, and the demo's news. */
import assert from 'node:assert/strict'
import { newsLexicons } from '../../golden/corpora.ts'
import type { Json } from '../../reference/shapes.ts'
import type { PlainRecord } from '../../reference/dataset.ts'
import { demoRecords } from '../records/demo.ts'
import { collections, libraryLexicons, libraryReferences } from '../records/lexicons.ts'
import { buildRecord, type RecordGiven } from '../records/records.ts'
import type { Engine } from '../store/postgres.ts'
import type { StoredLine } from './engine.ts'
import { literal } from './graphql-text.ts'
import { openTestService, type TestService, type TestServiceGiven } from './service.ts'

export function openLibrary(
  database: Engine,
  records: TestServiceGiven['records'] = [],
): Promise<TestService> {
  return openTestService({ lexicons: libraryLexicons, references: libraryReferences, records, database })
}

/** Books from 0 up; `given` says what distinguishes them. */
export function books(count: number, given: (index: number) => Partial<RecordGiven>): Promise<PlainRecord[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => {
      const { value, ...rest } = given(index)
      return buildRecord(collections.book, {
        rkey: String(index).padStart(4, '0'),
        ...rest,
        value: { title: `Book ${index}`, ...value },
      })
    }),
  )
}

/** The demo's news, for `openTestService` and `sharedService`. */
export function news() {
  const { documents: lexicons, references, stories } = newsLexicons
  return { lexicons, references, stories, records: demoRecords() as unknown as readonly StoredLine[] }
}

/** The keys of the books that a condition finds, in the order of a field. */
export async function booksFound(service: TestService, where: Json, sort = 'rkey'): Promise<string> {
  const condition = typeof where === 'string' ? where : literal(where)
  const { list } = await service.data(
    `{ list: orgExampleLibraryBook(where: ${condition}, sortBy: [{field: ${sort}}]) { totalCount nodes { rkey } } }`,
  )
  assert.equal(list.nodes.length, list.totalCount)
  return list.nodes.map(({ rkey }: Json) => rkey).join(' ')
}
