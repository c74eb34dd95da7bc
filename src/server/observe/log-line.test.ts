import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../../test/support/random/values/any-text.ts'
import { cutListTo, cutTo } from './observe.ts'

test('a text is as it was, or fits as JSON with a mark that it was cut', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCodePoint, maxLength: 300 }),
      fc.integer({ min: 10, max: 200 }),
      (text, bytes) => {
        const cut = cutTo(bytes, text)
        if (cut === text) return
        assert.ok(cut.endsWith('…') && text.startsWith(cut.slice(0, -1)))
        assert.ok(Buffer.byteLength(JSON.stringify(cut)) <= bytes + '…'.length * 3)
      },
    ),
  )
})

test('of a list the first lines are kept', () => {
  assert.deepEqual(cutListTo(20, ['SCAN a', 'SCAN b']), ['SCAN a', 'SCAN b'])
  assert.deepEqual(cutListTo(20, ['SCAN a', 'SCAN b', 'SCAN c']), ['SCAN a', 'SCAN b', '…'])
})
