import assert from 'node:assert/strict'
import { test } from 'node:test'
import { counted, grouped } from './counted.ts'

test('a number has commas between its thousands, and its noun is in the same number', () => {
  assert.equal(grouped(1_234_567), '1,234,567')
  assert.deepEqual(
    [0, 1, 2, 3_252].map((count) => counted(count, 'record')),
    ['0 records', '1 record', '2 records', '3,252 records'],
  )
  assert.equal(counted(2, 'repository', 'repositories'), '2 repositories')
})
