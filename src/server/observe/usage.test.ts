import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Caller, defaultTiers, type Tier } from '../admission/tiers.ts'
import type { Limiter } from '../admission/limits/limiter.ts'
import { meterPoints, UsageMeter } from './usage.ts'

const day = 86_400_000
const [tier] = defaultTiers as [Tier]
const withKey: Caller = { id: 'key:k1', tier, keyName: 'A newspaper' }
const withoutKey: Caller = { id: 'address:192.0.2.1', tier, keyName: null }

test('what keys are used for is added up by day, and taken once', () => {
  let now = 3 * day - 1
  const meter = new UsageMeter(() => now)
  meter.count(withKey, 1, 0)
  meter.count(withKey, 0, 12)
  meter.count(withoutKey, 1, 1)
  now += 1
  meter.count(withKey, 1, 1)
  meter.add([{ key: 'k1', day: 3, requests: 10, points: 20 }])
  const usage = [
    { key: 'k1', day: 2, requests: 1, points: 12 },
    { key: 'k1', day: 3, requests: 11, points: 21 },
  ]
  assert.deepEqual(meter.take(), usage)
  assert.deepEqual(meter.take(), [])
  // What could not be kept is given back.
  meter.count(withKey, 1, 0)
  meter.add(usage)
  assert.deepEqual(meter.take(), [
    { key: 'k1', day: 3, requests: 12, points: 21 },
    { key: 'k1', day: 2, requests: 1, points: 12 },
  ])
})

test('points count when they are spent, at once or later, and not when they are refused', async () => {
  const meter = new UsageMeter(() => day)
  const answers = [
    { granted: true, remaining: 1, resetSeconds: 1 },
    Promise.resolve({ granted: true, remaining: 1, resetSeconds: 1 }),
    null,
    { granted: false, remaining: 0, resetSeconds: 1 },
    Promise.resolve({ granted: false, remaining: 0, resetSeconds: 1 }),
  ]
  const expected = await Promise.all(answers)
  const limiter = { spend: () => answers.shift() } as unknown as Limiter
  const metered = meterPoints(limiter, meter)
  const spent = await Promise.all([1, 10, 100, 1_000, 10_000].map((points) => metered.spend(withKey, points)))
  assert.deepEqual(spent, expected)
  assert.deepEqual(meter.take(), [{ key: 'k1', day: 1, requests: 0, points: 111 }])
})
