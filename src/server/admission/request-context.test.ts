import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply } from 'fastify'
import { someCaller } from '../../../test/support/callers.ts'
import { createMemoryLimiter } from '../../../test/support/memory-limiter.ts'
import { ClientScheduler } from './client-scheduler.ts'
import { RequestContext } from './request-context.ts'

test('a dear operation begins, after it was paid for, when its caller may work again, and others do not wait', async () => {
  const [limiter, scheduler] = [createMemoryLimiter(), new ClientScheduler(() => 0)]
  const context = new RequestContext({ asked: () => undefined, answered: () => undefined })
  const termsOf = (id: string) =>
    context.requestLimits(limiter, scheduler, someCaller({ id, pointsPerMinute: 100 }), {} as FastifyReply)
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
