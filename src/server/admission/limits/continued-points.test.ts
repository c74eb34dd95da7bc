import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ContinuedPoints, Fallback } from './continued-points.ts'
import { createMemoryPoints, type PointStore } from './counts.ts'

test('an answer that comes late does not hide what was granted meanwhile', async () => {
  const counted = createMemoryPoints()
  const slow = Promise.withResolvers<void>()
  let state: 'well' | 'slow' | 'failing' = 'well'
  const shared: PointStore = {
    async take(...request) {
      if (state === 'failing') throw new Error('It does not answer.')
      if (state === 'slow') await slow.promise
      return counted.take(...request)
    },
    giveBack: (...unused) => counted.giveBack(...unused),
  }
  const points = new ContinuedPoints(shared, new Fallback())
  const take = (count: number) => points.take('key:1', 10, count, count)
  assert.equal((await take(1)).remaining, 9)
  state = 'slow'
  const late = take(1)
  state = 'failing'
  const { granted, remaining } = await take(5)
  assert.deepEqual([granted, remaining], [5, 4])
  slow.resolve()
  const answer = await late
  assert.deepEqual([answer.granted, answer.remaining], [1, 3])
  assert.equal((await take(4)).granted, 0, 'ten points are all there are')
  assert.equal((await take(3)).granted, 3)
})
