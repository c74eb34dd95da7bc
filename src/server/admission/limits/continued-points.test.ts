import assert from 'node:assert/strict'
import { mock, test, type TestContext } from 'node:test'
import { stopClock } from '../../../../test/support/mock-clock.ts'
import { continuePoints, createFallback } from './continued-points.ts'
import { MemoryPoints, type PointStore } from './counts.ts'

/** Points over a store that answers, answers late or fails, as it is told. */
function open() {
  const counted = new MemoryPoints()
  const slow = Promise.withResolvers<void>()
  const state: { now: 'well' | 'slow' | 'failing' } = { now: 'well' }
  const shared: PointStore = {
    async take(...request) {
      if (state.now === 'failing') throw new Error('It does not answer.')
      if (state.now === 'slow') await slow.promise
      return counted.take(...request)
    },
    giveBack: (...unused) => counted.giveBack(...unused),
  }
  const points = continuePoints(shared, createFallback())
  const take = async (count: number): Promise<readonly [granted: number, remaining: number]> => {
    const { granted, remaining } = await points.take('key:1', 10, count, count)
    return [granted, remaining]
  }
  return { counted, points, take, state, answerLate: slow.resolve }
}

test('an answer that comes late does not hide what was granted meanwhile', async () => {
  const { take, state, answerLate } = open()
  assert.deepEqual(await take(1), [1, 9])
  state.now = 'slow'
  const late = take(1)
  state.now = 'failing'
  assert.deepEqual(await take(5), [5, 4])
  answerLate()
  assert.deepEqual(await late, [1, 3])
  assert.equal((await take(4))[0], 0, 'ten points are all there are')
  assert.equal((await take(3))[0], 3)
})

/** One point was granted by the store, and five by this process while it failed; now it is asked again. */
async function recover(t: TestContext) {
  stopClock(t)
  const opened = open()
  await opened.take(1)
  opened.state.now = 'failing'
  assert.deepEqual(await opened.take(5), [5, 4])
  mock.timers.tick(5_000)
  return opened
}

test('what was granted during an outage is charged after it, also when the store failed again meanwhile', async (t) => {
  const { take, state } = await recover(t)
  assert.deepEqual(await take(2), [2, 2])
  mock.timers.tick(5_000)
  state.now = 'well'
  assert.deepEqual(await take(1), [1, 1])
})

test('what was granted during an outage stays owed while the store refuses', async (t) => {
  const { take, state, counted } = await recover(t)
  await counted.take('key:1', 10, 3, 3)
  state.now = 'well'
  assert.deepEqual(await take(4), [0, 1])
  assert.deepEqual(await take(1), [1, 0])
})

test('what is given back during an outage can be spent again', async (t) => {
  const { take, points } = await recover(t)
  points.giveBack('key:1', 3, Date.now() + 60_000)
  assert.deepEqual(await take(7), [7, 0])
})
