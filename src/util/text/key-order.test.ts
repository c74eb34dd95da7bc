import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encode } from '@atproto/lex-cbor'
import { inKeyOrder } from './key-order.ts'

test('keys are ordered by length, then by bytes, at every depth', () => {
  const given = { title: 1, ß: 1, id: [{ bb: 1, a: { z: 1, y: 2 } }], $type: 'x', 𐀀: 1, ｅｅ: 1 }
  assert.equal(
    JSON.stringify(inKeyOrder(given)),
    '{"id":[{"a":{"y":2,"z":1},"bb":1}],"ß":1,"𐀀":1,"$type":"x","title":1,"ｅｅ":1}',
  )
})

test('what is in order is the same object', () => {
  const given = { a: [1, { b: null }], bb: 'x' }
  assert.equal(inKeyOrder(given), given)
})

test('`__proto__` is a key like any other', () => {
  const given = JSON.parse('{"title":1,"__proto__":{"b":1,"a":2}}')
  assert.equal(JSON.stringify(inKeyOrder(given)), '{"title":1,"__proto__":{"a":2,"b":1}}')
})

test('it is the order in which DAG-CBOR writes them', () => {
  // Keys that look like array indexes come first in any object of JavaScript.
  const keys = fc
    .string({ unit: 'grapheme', maxLength: 5 })
    .filter((key) => !/^(0|[1-9]\d*|__proto__)$/.test(key))
  fc.assert(
    fc.property(fc.uniqueArray(keys), (names) => {
      const ordered = Object.keys(inKeyOrder(Object.fromEntries(names.map((name) => [name, 1]))))
      const bytes = Buffer.from(encode(Object.fromEntries(names.map((name) => [name, 1]))))
      const places = ordered.map((name) => Buffer.from(encode(name)))
      let at = 0
      for (const place of places) {
        const found = bytes.indexOf(place, at)
        assert.ok(found >= at)
        at = found + place.length
      }
    }),
  )
})
