import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { FastifyReply } from 'fastify'
import { someCaller } from '../../../test/support/service/callers.ts'
import { createMemoryLimiter } from '../../../test/support/server/memory-limiter.ts'
import { ClientScheduler } from './client-scheduler.ts'
import { RequestContext } from './request-context.ts'

const observer = { asked: () => undefined, answered: () => undefined }

test('a dear operation begins, after it was paid for, when its caller may work again, and others do not wait', async () => {
  const [limiter, scheduler] = [createMemoryLimiter(), new ClientScheduler(() => 0)]
  const context = new RequestContext({ observer, limiter, scheduler })
  const termsOf = (id: string) =>
    context.requestLimits(someCaller({ id, pointsPerMinute: 100 }), {} as FastifyReply)
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

test('a permit that has ended retains nothing of its request', () => {
  setFlagsFromString('--expose-gc')
  const collect: (options?: { readonly type: 'minor' }) => void = runInNewContext('gc')
  // What outlives two of them is old.
  const held = (): number => {
    for (let time = 0; time < 2; time += 1) collect({ type: 'minor' })
    return process.memoryUsage().arrayBuffers
  }
  const [limiter, scheduler] = [createMemoryLimiter(), new ClientScheduler(() => 0)]
  const caller = someCaller({ id: 'key:1', pointsPerMinute: 100 })
  const [requests, length] = [300, 10_000]
  const end = (): void => {
    const context = new RequestContext({ observer, limiter, scheduler })
    const raw = Object.assign(new EventEmitter(), { body: Buffer.alloc(length), socket: null })
    const reply = { raw } as unknown as FastifyReply
    context.requestLimits(caller, reply).startShort()[Symbol.dispose]()
  }
  end()
  collect()
  const before = held()
  for (let request = 0; request < requests; request += 1) end()
  assert.ok(held() - before < (requests * length) / 2)
})
