import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { stopClock } from '../../../../test/support/mock-clock.ts'
import { defaultTiers, type Tier } from '../tiers.ts'
import { MemoryPoints, type PointStore, type Taken } from './counts.ts'
import { Leases, rateLimit, rateLimited, rateLimitPolicy, tooManyAtOnce } from './limiter.ts'

const [open] = defaultTiers as [Tier]
/** Points per minute. */
const limit = 1_200
const allowance = { granted: false, remaining: 5, resetSeconds: 42 }

test('headers are structured fields that name the tier', () => {
  assert.equal(rateLimitPolicy(open), '"public";q=6000;w=60')
  assert.equal(rateLimit(open, allowance), '"public";r=5;t=42')
})

test('a tier without a limit has no policy', () => {
  assert.equal(rateLimitPolicy({ ...open, pointsPerMinute: null }), null)
})

test('a refusal says what was needed, what is left and when to come again', () => {
  const { code, message, details } = rateLimited({ tier: open }, allowance, 12)
  assert.equal(code, 'RATE_LIMITED')
  assert.equal(
    message,
    'The request needs 12 points, but 5 of the 6000 that the tier "public" has for a minute are left. Send it again in 42 seconds, or ask for less.',
  )
  assert.deepEqual(details, { retryAfter: 42, needed: 12, remaining: 5 })
})

test('too many requests at once are refused with how many there may be', () => {
  const { code, message, details } = tooManyAtOnce({ tier: open })
  assert.equal(code, 'RATE_LIMITED')
  assert.equal(
    message,
    'The tier "public" has 4 requests worked on at once that may take long. Wait for one of yours to be answered.',
  )
  assert.deepEqual(details, { retryAfter: 1, limit: 4 })
})

test('who goes on asking is given points ahead, fewer the fewer are left, and none near the limit', async () => {
  const { points, asked } = watched()
  const leases = new Leases(points)
  const granted = await countGranted(() => leases.spend('key:1', limit, 1))
  assert.equal(granted, limit)
  assert.equal(asked[0], 'take 1 of 1')
  assert.equal(asked[1], 'take 1 of 38')
  assert.ok(asked.length < 200, `${asked.length} questions`)
  assert.equal(asked.at(-2), 'take 1 of 1')
  assert.equal(asked.at(-1), 'take 1 of 1')
})

test('who has used up everything asks nobody until a second later', async (t) => {
  stopClock(t)
  const { points, asked } = watched()
  const leases = new Leases(points)
  await leases.spend('key:1', 10, 8)
  assert.equal((await leases.spend('key:1', 10, 5)).granted, false)
  const before = asked.length
  assert.equal((await leases.spend('key:1', 10, 5)).granted, false)
  assert.equal((await leases.spend('key:1', 10, 9)).granted, false)
  assert.equal(asked.length, before)
  assert.equal((await leases.spend('key:1', 10, 1)).granted, true, 'less is not refused because more was')
  mock.timers.tick(1_000)
  await leases.spend('key:1', 10, 5)
  assert.equal(asked.at(-1), 'take 5 of 5')
})

test('points ahead that are not used come back within two seconds', async (t) => {
  stopClock(t)
  const { points, asked } = watched()
  const leases = new Leases(points)
  for (let request = 0; request < 3; request++) await leases.spend('key:1', limit, 1)
  mock.timers.tick(1_000)
  mock.timers.tick(1_000)
  assert.equal(asked.at(-1), 'give back 36')
})

test('a lease that is used is kept', async (t) => {
  stopClock(t)
  const { points, asked } = watched()
  const leases = new Leases(points)
  for (let request = 0; request < 20; request++) {
    await leases.spend('key:1', limit, 1)
    mock.timers.tick(900)
  }
  assert.deepEqual(asked, ['take 1 of 1', 'take 1 of 38'])
})

test('a lease ends with the minute that it was taken of', async (t) => {
  stopClock(t)
  const { points } = watched()
  const leases = new Leases(points)
  await leases.spend('key:1', limit, 1)
  mock.timers.tick(59_000)
  await leases.spend('key:1', limit, 1)
  await leases.spend('key:1', limit, 1)
  mock.timers.tick(1_000)
  assert.deepEqual(await leases.spend('key:1', limit, 1), {
    granted: true,
    remaining: limit - 1,
    resetSeconds: 60,
  })
})

test('what is in hand and what is left together are enough', async () => {
  const { points } = watched()
  const leases = new Leases(points)
  await leases.spend('key:1', 100, 30)
  assert.equal((await leases.spend('key:1', 100, 1)).remaining, 69)
  assert.equal((await leases.spend('key:1', 100, 69)).granted, true)
})

test('what is in hand is spent to the last point before anybody is asked', async () => {
  const { points, asked } = watched()
  const leases = new Leases(points)
  for (const count of [1, 1, 37]) await leases.spend('key:1', limit, count)
  assert.deepEqual(asked, ['take 1 of 1', 'take 1 of 38'])
})

test('what is given back for an earlier minute is not spent in the next', async (t) => {
  stopClock(t)
  const { points } = watched()
  const leases = new Leases(points)
  await leases.spend('key:1', limit, 5)
  const ends = Date.now() + 60_000
  leases.refund('key:1', 2, ends)
  assert.equal((await leases.spend('key:1', limit, 1)).remaining, limit - 4)
  mock.timers.tick(60_000)
  await leases.spend('key:1', limit, 1)
  leases.refund('key:1', 2, ends)
  assert.equal((await leases.spend('key:1', limit, 1)).remaining, limit - 2)
})

test('what was in hand is gone when the next minute begins during a question', async (t) => {
  stopClock(t)
  const answers: PromiseWithResolvers<Taken>[] = []
  const leases = new Leases({
    take: () => {
      const answer = Promise.withResolvers<Taken>()
      answers.push(answer)
      return answer.promise
    },
    giveBack: () => undefined,
  })
  const ends = Date.now() + 60_000
  const first = leases.spend('key:1', limit, 1)
  answers[0]?.resolve({ granted: 1, remaining: 99, ends })
  await first
  const second = leases.spend('key:1', limit, 1)
  leases.refund('key:1', 30, ends)
  answers[1]?.resolve({ granted: 1, remaining: 99, ends: ends + 60_000 })
  assert.equal((await second).remaining, 99)
})

test('requests at once take points ahead only once', async () => {
  const { points, asked } = watched()
  const leases = new Leases(points)
  await leases.spend('key:1', limit, 1)
  await Promise.all(Array.from({ length: 5 }, () => leases.spend('key:1', limit, 1)))
  assert.deepEqual(asked.slice(1).toSorted(), [
    'take 1 of 1',
    'take 1 of 1',
    'take 1 of 1',
    'take 1 of 1',
    'take 1 of 38',
  ])
})

/** Real counting, and what it was asked. */
function watched(): { readonly points: PointStore; readonly asked: string[] } {
  const asked: string[] = []
  const real = new MemoryPoints()
  const points: PointStore = {
    take: (key, most, needed, wished) => {
      asked.push(`take ${needed} of ${wished}`)
      return real.take(key, most, needed, wished)
    },
    giveBack: (key, unused, ends) => {
      asked.push(`give back ${unused}`)
      real.giveBack(key, unused, ends)
    },
  }
  return { points, asked }
}

async function countGranted(spend: () => ReturnType<Leases['spend']>): Promise<number> {
  let granted = 0
  while ((await spend()).granted) granted += 1
  return granted
}
