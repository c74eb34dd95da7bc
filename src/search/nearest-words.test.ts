import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { editDistance } from '../util/text/nearest.ts'
import { mostEdits } from './nearest-words.ts'

test('the longer a word, the more edits it may have', () => {
  assert.deepEqual(['', 'a', 'ab', 'abc', 'abcde', 'abcdef', '𝒶𝒷'].map(mostEdits), [0, 0, 0, 1, 1, 2, 0])
})

const words = fc.string({ unit: fc.constantFrom(...'abcж👍'), maxLength: 7 })

test('each insertion, removal, replacement and swap of neighbours is one edit', () => {
  fc.assert(
    fc.property(words, words, fc.integer({ min: 0, max: 3 }), (from, to, most) => {
      const expected = distance([...from], [...to])
      assert.equal(editDistance([...from], [...to], most, true), expected > most ? null : expected)
    }),
    { numRuns: 500 },
  )
})

function distance(from: readonly string[], to: readonly string[]): number {
  if (from.length === 0 || to.length === 0) return from.length + to.length
  const [a, b] = [from.slice(0, -1), to.slice(0, -1)]
  const [last, other] = [from.at(-1), to.at(-1)]
  if (last === other) return distance(a, b)
  const isSwapped = a.length > 0 && b.length > 0 && a.at(-1) === other && b.at(-1) === last
  return (
    1 +
    Math.min(
      distance(a, to),
      distance(from, b),
      distance(a, b),
      isSwapped ? distance(a.slice(0, -1), b.slice(0, -1)) : Number.POSITIVE_INFINITY,
    )
  )
}
