import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { stopClock } from '../../../../test/support/mock-clock.ts'
import { someCaller } from '../../../../test/support/service/callers.ts'
import { createMemoryLimiter } from '../../../../test/support/server/memory-limiter.ts'
import { KeyedSemaphore, MemoryPoints } from './counts.ts'

test('a caller has the points of its tier in a minute, and they come back when it ends', async (t) => {
  stopClock(t)
  const limiter = createMemoryLimiter()
  const caller = someCaller({ pointsPerMinute: 10 })
  assert.deepEqual(await limiter.spend(caller, 4), { granted: true, remaining: 6, resetSeconds: 60 })
  mock.timers.tick(18_500)
  assert.deepEqual(await limiter.spend(caller, 6), { granted: true, remaining: 0, resetSeconds: 42 })
  assert.deepEqual(await limiter.spend(caller, 1), { granted: false, remaining: 0, resetSeconds: 42 })
  mock.timers.tick(41_500)
  assert.deepEqual(await limiter.spend(caller, 1), { granted: true, remaining: 9, resetSeconds: 60 })
})

test('callers have points of their own', async () => {
  const limiter = createMemoryLimiter()
  assert.equal((await limiter.spend(someCaller({ id: 'address:192.0.2.1' }), 10))?.remaining, 0)
  assert.equal((await limiter.spend(someCaller({ id: 'address:192.0.2.2' }), 10))?.remaining, 0)
})

test('of a tier without a limit nothing is counted', () => {
  const limiter = createMemoryLimiter()
  assert.equal(limiter.spend(someCaller({ pointsPerMinute: null }), 1_000_000), null)
})

test('who asks again and again is answered at once', async () => {
  const limiter = createMemoryLimiter()
  const caller = someCaller({ pointsPerMinute: 1_200 })
  await limiter.spend(caller, 1)
  await limiter.spend(caller, 1)
  assert.ok(!(limiter.spend(caller, 1) instanceof Promise))
})

test('a request more than the tier allows at once waits for another to leave', async () => {
  const limiter = createMemoryLimiter()
  const caller = someCaller({ concurrent: 2 })
  const other = someCaller({ id: 'key:2', concurrent: 2 })
  assert.deepEqual(
    [limiter.enter(caller), limiter.enter(caller), limiter.enter(caller), limiter.enter(other)],
    [true, true, false, true],
  )
  limiter.leave(caller)
  assert.equal(limiter.enter(caller), true)
})

test('what holds nothing takes no memory', () => {
  const semaphore = new KeyedSemaphore()
  semaphore.acquire('key:1', 1)
  semaphore.release('key:1')
  assert.equal(semaphore.releaseAll().size, 0)
})

test('ten keys that do not hold stop an address until its minute ends', async (t) => {
  stopClock(t)
  const limiter = createMemoryLimiter()
  for (let failure = 1; failure < 10; failure++) assert.equal(await limiter.failKey('192.0.2.1'), 0)
  assert.equal(limiter.keyPause('192.0.2.1'), 0)
  mock.timers.tick(15_000)
  assert.equal(await limiter.failKey('192.0.2.1'), 45)
  assert.equal(limiter.keyPause('192.0.2.1'), 45)
  assert.equal(limiter.keyPause('192.0.2.2'), 0)
  mock.timers.tick(45_000)
  assert.equal(limiter.keyPause('192.0.2.1'), 0)
  assert.equal(await limiter.failKey('192.0.2.1'), 0)
})

test('when there are too many callers, the one whose minute began first is forgotten', () => {
  const points = new MemoryPoints(3)
  for (const key of ['a', 'b', 'c', 'a', 'd']) points.take(key, 10, 1, 1)
  assert.deepEqual(
    Array.from(points.minutes, ([key, { used }]) => [key, used]),
    [
      ['b', 1],
      ['c', 1],
      ['d', 1],
    ],
  )
})

test('callers whose minute has ended are not kept', (t) => {
  stopClock(t)
  const points = new MemoryPoints()
  for (let key = 0; key < 1_000; key++) points.take(`address:${key}`, 10, 1, 1)
  assert.equal(points.minutes.size, 1_000)
  mock.timers.tick(60_000)
  points.take('address:next', 10, 1, 1)
  assert.deepEqual([...points.minutes.keys()], ['address:next'])
})

test('what is given back counts in its own minute, and is no present for the next', async (t) => {
  stopClock(t)
  const points = new MemoryPoints()
  const { ends } = await points.take('key:1', 10, 5, 5)
  points.giveBack('key:1', 3, ends)
  assert.equal((await points.take('key:1', 10, 8, 8)).granted, 8)
  mock.timers.tick(60_000)
  await points.take('key:1', 10, 5, 5)
  points.giveBack('key:1', 5, ends)
  assert.equal((await points.take('key:1', 10, 1, 20)).granted, 5)
})
