import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeCursor, encodeCursor } from './cursor.ts'

test('a cursor is read by the list that it was made for, as it was written, if it has a position', () => {
  const cursor = encodeCursor('list', '["a",1]')
  assert.deepEqual(decodeCursor('list', cursor), ['a', 1])
  assert.equal(decodeCursor('other', cursor), null)
  for (const damaged of [`${cursor}=`, ` ${cursor}`, cursor.slice(1), cursor.slice(0, 8), ''])
    assert.equal(decodeCursor('list', damaged), null, damaged)
  for (const position of ['{"length":1}', 'null', '["a"'])
    assert.equal(decodeCursor('list', encodeCursor('list', position)), null, position)
})
