import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usualRange } from './time-axis.ts'

const day = 86_400_000
const days = (...counts: number[]) => counts.map((count, n) => ({ at: n * day, count }))

test('a wrong time far from all others is left out of the range', () => {
  const usual = days(5, 0, 8, 7)
  const late = { at: Date.parse('9999-12-31'), count: 1 }
  const early = { at: Date.parse('0001-01-01'), count: 1 }
  assert.deepEqual(usualRange([late, ...usual]), usual)
  assert.deepEqual(usualRange([early, ...usual, late]), usual)
  assert.deepEqual(usualRange([early, ...days(8), late]), days(8))
})

test('times that are only rarer at the ends stay', () => {
  const thin = days(1, 1, 20, 300, 20, 1)
  assert.deepEqual(usualRange(thin), thin)
  assert.deepEqual(usualRange(days(1, 1)), days(1, 1))
  assert.deepEqual(usualRange(days(7)), days(7))
  assert.deepEqual(usualRange(days(1, 20)), days(1, 20))
})

test('of many records at most one in 200 is left out at each end', () => {
  const usual = days(...Array.from({ length: 10 }, () => 99))
  const far = { at: 4_000 * day, count: 5 }
  assert.deepEqual(usualRange([...usual, { ...far, count: 4 }]), usual)
  assert.deepEqual(usualRange([...usual, far]), [...usual, far])
})
