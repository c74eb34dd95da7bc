import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bucket, utcBucket } from './time-buckets.ts'
import { bucketsBetween } from './buckets-between.ts'

const at = (text: string): number => Date.parse(text) / 1_000

function between(unit: Bucket, first: string, last: string, most = 100, weekStart = 0) {
  const buckets = bucketsBetween({ ...utcBucket(unit), unit, weekStart }, at(first), at(last), most)
  return buckets?.map((second) => new Date(second * 1_000).toISOString().slice(0, 13)) ?? null
}

test('buckets are those of the first and the last moment and all between', () => {
  const [first, last] = ['1969-12-30T23:30:00Z', '1970-01-01T00:00:00Z']
  assert.deepEqual(between('day', first, last), ['1969-12-30T00', '1969-12-31T00', '1970-01-01T00'])
  assert.deepEqual(between('hour', '1969-12-31T23:59:59Z', last), ['1969-12-31T23', '1970-01-01T00'])
  assert.deepEqual(between('week', first, last), ['1969-12-29T00'])
  assert.deepEqual(between('week', last, last, 100, 6), ['1969-12-28T00'])
  assert.deepEqual(between('month', '2024-01-31T00:00:00Z', '2024-03-01T00:00:00Z'), [
    '2024-01-01T00',
    '2024-02-01T00',
    '2024-03-01T00',
  ])
  assert.deepEqual(between('quarter', first, last), ['1969-10-01T00', '1970-01-01T00'])
  assert.deepEqual(between('year', first, last), ['1969-01-01T00', '1970-01-01T00'])
})

test('there are none before they begin, and no list when there are too many', () => {
  const [first, last] = ['2024-01-01T00:00:00Z', '2024-01-03T02:00:00Z']
  assert.deepEqual(between('day', last, first), [])
  assert.equal(between('day', first, last, 3)?.length, 3)
  assert.equal(between('day', first, last, 2), null)
  assert.equal(between('hour', first, last, 51)?.length, 51)
  assert.equal(between('hour', first, last, 50), null)
  assert.equal(between('hour', first, last, 5), null)
})
