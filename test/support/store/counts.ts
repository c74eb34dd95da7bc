/** Counts and sums that are kept, held against counting and adding up. */
import assert from 'node:assert/strict'
import type { ReadDatabase } from '../../../src/database/database.ts'
import type { Table } from '../../../src/database/layout/tables.ts'
import { differingCounts } from '../../../src/database/verify/verify-counts.ts'

/** Every row of every table of counts, sums and words is what the collections' tables have, in one snapshot. */
export async function assertCounts(read: ReadDatabase, tables: readonly Table[]): Promise<void> {
  assert.deepEqual(await differingCounts(read, tables), [])
}
