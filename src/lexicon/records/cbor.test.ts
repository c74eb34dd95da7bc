import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from '@atproto/lex-cbor'
import { CID, type LexValue } from '@atproto/lex-data'
import * as fc from 'fast-check'
import { encodePlain } from './cbor.ts'
import { cidOf, formatCid } from './cid.ts'

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
  fc.assert(fc.property(json, assertSame), { numRuns: 500 })
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

test('what is no plain JSON is left to the official library', () => {
  const link = CID.parse(formatCid(cidOf({})))
  for (const value of [link, Uint8Array.of(1), 0.5, 2 ** 53, undefined, new Map()])
    assert.equal(encodePlain({ list: [value] }), null)
})
