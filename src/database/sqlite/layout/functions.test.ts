import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nearestDouble } from '../../../../test/reference/groups/rationals.ts'
import { rounds, seed } from '../../../../test/support/rounds.ts'
import { exactMean } from './statistics-functions.ts'

const largest = BigInt(Number.MAX_SAFE_INTEGER)

test('a mean is the double that is nearest to it, of any number of integers', () => {
  const sums = fc.oneof(
    fc.bigInt({ min: -largest, max: largest }),
    fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n }),
    fc.bigInt({ min: -9n, max: 9n }),
  )
  const counts = fc.oneof(fc.bigInt({ min: 1n, max: 9n }), fc.bigInt({ min: 1n, max: 2n ** 32n }))
  fc.assert(
    fc.property(sums, counts, (sum, count) => {
      assert.equal(exactMean(sum, count), nearestDouble(sum, count) + 0)
    }),
    { seed, numRuns: rounds(2_000) },
  )
})

test('a mean that lies halfway between two doubles is rounded to the even one', () => {
  assert.equal(exactMean(2n ** 54n + 2n, 2n), 2 ** 53)
  assert.equal(exactMean(2n ** 54n + 6n, 2n), 2 ** 53 + 4)
  assert.equal(exactMean(-(2n ** 54n) - 2n, 2n), -(2 ** 53))
  assert.equal(exactMean(2n ** 55n + 5n, 4n), 2 ** 53 + 2)
  assert.equal(exactMean(0n, 7n), 0)
})
