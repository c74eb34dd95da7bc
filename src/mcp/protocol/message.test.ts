import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mostMessageDepth, mostMessageParts, readMessage } from './message.ts'

test('a message may nest as many levels of brackets as the limit says, and not one more', () => {
  const nested = (levels: number): Buffer =>
    Buffer.from(`{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`)
  assert.deepEqual(Object.keys(readMessage(nested(mostMessageDepth)) as object), ['a'])
  assert.throws(() => readMessage(nested(mostMessageDepth + 1)), /nests 257 levels of brackets; at most 256/)
})

test('a message may have as many names, elements and brackets as the limit says, wherever they are', () => {
  const members = (count: number): string => Array.from({ length: count }, (_, n) => `"n${n}":1`).join()
  const forms = [
    (parts: number) => `{"a":[${'1,'.repeat(parts - 3)}1]}`,
    (parts: number) => `{${members(parts / 2)}}`,
    (parts: number) => `{"params":{"_meta":{${members(parts / 2 - 2)}}}}`,
    (parts: number) => `{"a":[${'{},'.repeat(parts / 2 - 2)}{}]}`,
  ]
  for (const form of forms) {
    assert.deepEqual(typeof readMessage(Buffer.from(form(mostMessageParts))), 'object')
    assert.throws(
      () => readMessage(Buffer.from(form(mostMessageParts + 2))),
      /names, elements and brackets; at most 5000/,
    )
  }
})
