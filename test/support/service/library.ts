/** The service over records of the library that a test makes itself, and books by the number. */
import type { PlainRecord } from '../../reference/world.ts'
import { collections, libraryLexicons, libraryReferences } from '../records/lexicons.ts'
import { buildRecord, type RecordGiven } from '../records/records.ts'
import type { Engine } from '../store/postgres.ts'
import { openTestService, type TestService } from './service.ts'

export function openLibrary(database: Engine, records: readonly PlainRecord[]): Promise<TestService> {
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
