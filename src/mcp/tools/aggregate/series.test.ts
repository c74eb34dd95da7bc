import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Group } from '../../../ask/groups.ts'
import { withoutPartialChanges } from './series.ts'

test('an incomplete time has no change, and keeps a group that is called so', () => {
  const groups = [null, 'day'].map((bucket) => ({ field: { bucket } })) as unknown as readonly Group[]
  const partial = { incomplete: [], unchanged: new Set(['2026-09-01']) }
  const table = { columns: ['change', 'at:day', 'count', 'change'], rows: [['rise', '2026-09-01', 3, 1]] }
  assert.deepEqual(withoutPartialChanges(table, groups, partial).rows, [['rise', '2026-09-01', 3, null]])
  const plain = { columns: table.columns.slice(0, 3), rows: [['rise', '2026-09-01', 3]] }
  assert.deepEqual(withoutPartialChanges(plain, groups, partial), plain)
})
