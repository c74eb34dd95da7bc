import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareKeys, rowText } from './parts.ts'

const part = { name: 'any', columns: ['a', 'b', 'c'], key: 2, table: null }

test('rows are in the order of their keys, numbers by size and texts by code points', () => {
  const order = (a: string | bigint, b: string | bigint) =>
    Math.sign(compareKeys(part, ['x', a, 1n], ['x', b, 2n]))
  assert.deepEqual([order(9n, 10n), order('9', '10'), order('a', 'b'), order('b', 'b')], [-1, 1, -1, 0])
  // UTF-16 has it the other way round.
  assert.equal(order('\uFF21', '😀'), -1)
  assert.equal(Math.sign(compareKeys(part, ['a', 'z', 1n], ['b', 'a', 1n])), -1)
})

test('a row has one text, whatever its values are', () => {
  assert.equal(rowText(['a\n', 2n ** 60n, null, 0.5]), '["a\\n","1152921504606846976",null,0.5]\n')
})
