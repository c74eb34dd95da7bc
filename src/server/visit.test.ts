import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply } from 'fastify'
import { someCaller } from '../../test/support/callers.ts'
import { createMemoryLimiter } from '../../test/support/memory-limiter.ts'
import { CallerPace } from './pace.ts'
import { Visit } from './visit.ts'

test('a dear operation begins, after it was paid for, when its caller may work again, and others do not wait', async () => {
  const [limiter, pace] = [createMemoryLimiter(), new CallerPace(() => 0)]
  const visit = new Visit({ asked: () => undefined, answered: () => undefined })
  const termsOf = (id: string) =>
    visit.terms(limiter, pace, someCaller({ id, pointsPerMinute: 100 }), {} as FastifyReply)
  const [busy, other] = [termsOf('key:1'), termsOf('key:2')]
  busy.worked(1_000)
  let hasBegun = false
  const dear = Promise.resolve(busy.charge(5)).then(() => (hasBegun = true))
  assert.equal(busy.charge(1), undefined)
  await other.charge(5)
  assert.equal(hasBegun, false)
  await dear
  assert.equal(hasBegun, true)
})
