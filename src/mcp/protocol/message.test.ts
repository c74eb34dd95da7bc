import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mostMessageDepth, readMessage } from './message.ts'

test('a message may nest as many levels of brackets as the limit says, and not one more', () => {
  const nested = (levels: number): Buffer =>
    Buffer.from(`{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`)
  assert.deepEqual(Object.keys(readMessage(nested(mostMessageDepth)) as object), ['a'])
  assert.throws(() => readMessage(nested(mostMessageDepth + 1)), /nests 257 levels of brackets; at most 256/)
})
