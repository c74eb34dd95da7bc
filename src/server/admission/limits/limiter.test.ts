import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultTiers, type Tier } from '../tiers.ts'
import { rateLimit, rateLimited, rateLimitPolicy, tooManyAtOnce } from './limiter.ts'

const [open] = defaultTiers as [Tier]
const allowance = { granted: false, remaining: 5, resetSeconds: 42 }

test('headers are structured fields that name the tier', () => {
  assert.equal(rateLimitPolicy(open), '"public";q=1200;w=60')
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
    'The request needs 12 points, but 5 of the 1200 that the tier "public" has for a minute are left. Send it again in 42 seconds, or ask for less.',
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
