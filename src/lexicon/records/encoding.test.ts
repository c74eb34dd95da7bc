import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from '@atproto/lex-cbor'
import { CID, type LexValue } from '@atproto/lex-data'
import * as fc from 'fast-check'
import { rounds, seed } from '../../../test/support/rounds.ts'
import { encodePlain, inKeyOrder } from './encoding.ts'
import { cidOf, formatCid, parseCid } from './cid.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 40 })
const { json } = fc.letrec<{ json: LexValue }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 30 }),
    fc.dictionary(
      text.filter((key) => !['__proto__', '/', 'multihash'].includes(key)),
      tie('json'),
      { maxKeys: 30 },
    ),
  ),
}))

function assertSame(value: LexValue): void {
  const ours = encodePlain(value)
  assert.ok(ours !== null)
  assert.deepEqual(Buffer.from(ours), Buffer.from(encode(value)))
}

test('plain JSON is encoded as the official library does', () => {
  fc.assert(fc.property(json, assertSame), { seed, numRuns: rounds(300) })
})

test('so are lengths and numbers where the form changes', () => {
  const counts = [0, 7, 8, 23, 24, 85, 86, 255, 256, 21_845, 65_535, 65_536, 200_000]
  for (const count of counts) {
    for (const letter of ['a', 'ß', '日']) assertSame({ text: letter.repeat(count), next: 1 })
    assertSame(Array.from({ length: count % 70_000 }, () => 1))
    assertSame([count, -count, -1 - count])
  }
  assertSame([
    -0,
    0xffff_ffff,
    0x1_0000_0000,
    -0x1_0000_0000,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
  ])
})

test('a CID is computed in memory that is used again', () => {
  const before = encodePlain({ a: 'text' })
  assert.ok(before !== null)
  const copy = Buffer.from(before)
  cidOf({ other: 1 })
  assert.notDeepEqual(Buffer.from(before), copy)
})

test('keys that come in order are not put in order', () => {
  const reversed = { bb: 1, a: 2 }
  const ordered = { a: 2, bb: 1 }
  const bytesOf = (value: object, isInOrder: boolean) => Buffer.from(encodePlain(value, isInOrder) ?? [])
  assert.deepEqual(bytesOf(reversed, false), bytesOf(ordered, true))
  assert.notDeepEqual(bytesOf(reversed, true), bytesOf(ordered, true))
})

test('what is no plain JSON is left to the official library', () => {
  const link = CID.parse(formatCid(cidOf({})))
  for (const value of [link, Uint8Array.of(1), 0.5, 2 ** 53, undefined, new Map()])
    assert.equal(encodePlain({ list: [value] }), null)
})

test('what is in order is the same object', () => {
  const given = { a: [1, { b: null }], bb: 'x' }
  assert.equal(inKeyOrder(given), given)
})

test('`__proto__` is a key like any other', () => {
  const given = JSON.parse('{"title":1,"__proto__":{"b":1,"a":2}}')
  assert.equal(JSON.stringify(inKeyOrder(given)), '{"title":1,"__proto__":{"a":2,"b":1}}')
})

test('keys are put in the order in which DAG-CBOR writes them, at every depth', () => {
  const check = fc.property(json, (value) => {
    // Keys that look like array indexes come first in any object of JavaScript.
    fc.pre(!/"(0|[1-9]\d*)":/.test(JSON.stringify(value)))
    const ours = encodePlain(inKeyOrder(value) as LexValue, true)
    assert.deepEqual(Buffer.from(ours ?? []), Buffer.from(encode(value)))
  })
  fc.assert(check, { seed, numRuns: rounds(300) })
})

test('each set of keys is sorted once', (t) => {
  const store = t.mock.method(Map.prototype, 'set').mock
  const encode = (value: number): unknown => encodePlain({ longer: value, once: 1 })
  encode(1)
  assert.equal(store.callCount(), 1)
  encode(2)
  assert.equal(store.callCount(), 1)
})

test('what is formatted parses to the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (digest) => {
      const cid = Uint8Array.of(0x01, 0x71, 0x12, 0x20, ...digest)
      const text = formatCid(cid)
      assert.equal(text, CID.decode(cid).toString())
      assert.deepEqual(Buffer.from(parseCid(text)!), Buffer.from(cid))
    }),
    { seed },
  )
})

test('a CID of something else than a record is null', () => {
  const raw = 'bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity'
  const version0 = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'
  for (const text of ['', 'bafyrei', 'not a cid', raw, version0, 'z'.repeat(100_000)]) {
    assert.equal(parseCid(text), null, text.slice(0, 20))
  }
})
