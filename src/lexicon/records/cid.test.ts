import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cidForLex } from '@atproto/lex-cbor'
import { CID } from '@atproto/lex-data'
import * as fc from 'fast-check'
import { seed } from '../../../test/support/rounds.ts'
import { cidOf, formatCid, parseCid } from './cid.ts'

const record = {
  $type: 'a.b.c',
  text: 'ñ 日本 🙂',
  n: -1,
  list: [null, true, {}],
  bytes: Uint8Array.of(0, 255),
}

test('a CID is the one the official library computes', async () => {
  const official = await cidForLex({ ...record, link: await cidForLex(record) })
  const ours = cidOf({ ...record, link: CID.parse(formatCid(cidOf(record))) })
  assert.deepEqual(Buffer.from(ours), Buffer.from(official.bytes))
  assert.equal(formatCid(ours), official.toString())
})

test('the order of keys does not matter', () => {
  assert.deepEqual(cidOf({ b: 1, aa: 2, a: 3 }), cidOf({ a: 3, aa: 2, b: 1 }))
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
