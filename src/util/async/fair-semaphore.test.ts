import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../../errors.ts'
import { FairSemaphore, OverloadedError, type PermitRequest } from './fair-semaphore.ts'

const never = new AbortController().signal

test('callers of equal use alternate, and requests of one caller keep their order', async () => {
  const order = await orderOf(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'])
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
})

test('a cheap request comes before a dear one', async () => {
  const order = await orderOf(['a1', 'b1', 'c1'], { a1: 300, b1: 20, c1: 100 })
  assert.deepEqual(order, ['b1', 'c1', 'a1'])
})

test('who is always served in no time waits for who was not served yet', async () => {
  const semaphore = new FairSemaphore({ permits: 1, mostWaiting: 10, now: () => 0 })
  for (let round = 0; round < 3; round++) (await semaphore.acquire(by('often')))[Symbol.dispose]()
  assert.deepEqual(await orderIn(semaphore, ['often1', 'new1']), ['new1', 'often1'])
})

test('who used much of late waits for who used little, and use is forgotten', async () => {
  let time = 0
  const semaphore = new FairSemaphore({ permits: 1, mostWaiting: 10, now: () => time })
  const used = await semaphore.acquire(by('heavy', 100))
  time += 2_000
  used[Symbol.dispose]()
  assert.deepEqual(await orderIn(semaphore, ['heavy1', 'light1', 'light2', 'light3']), [
    'light1',
    'light2',
    'light3',
    'heavy1',
  ])
  time += 600_000
  assert.deepEqual(await orderIn(semaphore, ['heavy1', 'light1']), ['heavy1', 'light1'])
})

test('what cannot end by its deadline is rejected at once, and what can is served', async () => {
  let time = 0
  const semaphore = new FairSemaphore({ permits: 1, mostWaiting: 10, now: () => time })
  // A point takes 5 ms until anything is learned.
  const held = await semaphore.acquire(by('a', 200))
  const early = semaphore.acquire(by('b', 200, { deadline: time + 2_100 }))
  await assert.rejects(semaphore.acquire(by('c', 200, { deadline: time + 2_100 })), isOverloaded(2))
  const late = semaphore.acquire(by('d', 200, { deadline: time + 3_000 }))
  time = 1_000
  held[Symbol.dispose]()
  const second = await early
  time = 2_000
  second[Symbol.dispose]()
  await late
})

test('who waits is rejected as soon as others come first or take longer than expected', async () => {
  let time = 0
  const semaphore = new FairSemaphore({ permits: 1, mostWaiting: 10, now: () => time })
  const held = await semaphore.acquire(by('a', 200))
  const dear = semaphore.acquire(by('b', 400, { deadline: time + 3_100 }))
  const rejected = assert.rejects(dear, isOverloaded())
  const cheap = semaphore.acquire(by('c', 100))
  await rejected
  const slowed = semaphore.acquire(by('d', 100, { deadline: time + 5_000 }))
  time = 4_900
  const over = assert.rejects(slowed, isOverloaded())
  held[Symbol.dispose]()
  await over
  await cheap
})

test('what a point takes is learned of what was known to cost points, and of late', async () => {
  let time = 0
  const semaphore = new FairSemaphore({ permits: 1, mostWaiting: 10, now: () => time })
  for (const [cost, took] of [
    [100, 1_000],
    [100, 100],
    [0, 10_000],
  ] as const)
    for (let round = 0; round < 100; round++) {
      const held = await semaphore.acquire(by('a', cost))
      time += took
      held[Symbol.dispose]()
    }
  await semaphore.acquire(by('a', 100))
  const waiting = semaphore.acquire(by('b', 100, { deadline: time + 250 }))
  await assert.rejects(semaphore.acquire(by('c', 100, { deadline: time + 250 })), isOverloaded())
  assert.equal(semaphore.waiting, 1)
  semaphore[Symbol.dispose]()
  await assert.rejects(waiting, isUnavailable)
})

test('nothing is rejected while permits are free, however dear it is', async () => {
  const semaphore = new FairSemaphore({ permits: 1, mostWaiting: 10, now: () => 0 })
  await semaphore.acquire(by('a', 1_000_000, { deadline: 0 }))
})

test('what waited is not rejected when its turn has come, even if it may end too late', async () => {
  let time = 0
  const semaphore = new FairSemaphore({ permits: 1, mostWaiting: 10, now: () => time })
  const held = await semaphore.acquire(by('a', 200))
  const late = semaphore.acquire(by('b', 200, { deadline: time + 2_100 }))
  time += 1_500
  held[Symbol.dispose]()
  await late
})

test('permits are given back side by side, and what takes longer than expected takes as long again', async () => {
  let time = 0
  const semaphore = new FairSemaphore({ permits: 2, mostWaiting: 10, now: () => time })
  for (const caller of ['a', 'b']) await semaphore.acquire(by(caller, 200))
  const waiting = semaphore.acquire(by('c', 200, { deadline: time + 2_100 }))
  const refused = assert.rejects(waiting, isOverloaded())
  assert.equal(semaphore.waiting, 1)
  time += 1_500
  await assert.rejects(semaphore.acquire(by('d', 200, { deadline: time + 2_000 })), isOverloaded())
  await refused
})

test('a permit that was given to somebody who leaves at that moment is not lost', async () => {
  const semaphore = new FairSemaphore({ permits: 1, mostWaiting: 10 })
  const held = await semaphore.acquire(by('a'))
  const left = new AbortController()
  const given = semaphore.acquire(by('b', 1, { signal: left.signal }))
  held[Symbol.dispose]()
  left.abort(new Error('too late'))
  const permit = await given
  permit[Symbol.dispose]()
  await semaphore.acquire(by('c'))
})

test('giving a permit back twice does not make two of it', async () => {
  const semaphore = new FairSemaphore({ permits: 1, mostWaiting: 10 })
  const held = await semaphore.acquire(by('a'))
  const [next] = [semaphore.acquire(by('a')), semaphore.acquire(by('a'))]
  held[Symbol.dispose]()
  held[Symbol.dispose]()
  await next
  assert.equal(semaphore.waiting, 1)
})

test('no more may wait than is said', async () => {
  const semaphore = new FairSemaphore({ permits: 1, mostWaiting: 2 })
  await semaphore.acquire(by('a'))
  const waiting = [semaphore.acquire(by('a')), semaphore.acquire(by('b'))]
  const beyond = semaphore.acquire(by('c'))
  semaphore[Symbol.dispose]()
  await assert.rejects(beyond, isOverloaded(1))
  for (const one of waiting) await assert.rejects(one, isUnavailable)
})

test('after the end nobody gets a permit, not even one that is given back', async () => {
  const semaphore = new FairSemaphore({ permits: 1, mostWaiting: 2 })
  const held = await semaphore.acquire(by('a'))
  semaphore[Symbol.dispose]()
  held[Symbol.dispose]()
  await assert.rejects(semaphore.acquire(by('a')), isUnavailable)
})

function by(caller: string, cost = 1, more: Partial<PermitRequest> = {}): PermitRequest {
  return { caller, cost, signal: never, deadline: Number.POSITIVE_INFINITY, ...more }
}

/** The order in which those who ask one after the other, while the only permit is held, get it. */
function orderOf(
  names: readonly string[],
  costs: Readonly<Record<string, number>> = {},
): Promise<readonly string[]> {
  let time = 0
  const semaphore = new FairSemaphore({ permits: 1, mostWaiting: 100, now: () => time })
  return orderIn(semaphore, names, costs, () => (time += 1))
}

/** The caller is the name without its number. */
async function orderIn(
  semaphore: FairSemaphore,
  names: readonly string[],
  costs: Readonly<Record<string, number>> = {},
  work: () => void = () => undefined,
): Promise<readonly string[]> {
  const held = await semaphore.acquire(by('first'))
  const order: string[] = []
  const all = names.map(async (name) => {
    using _permit = await semaphore.acquire(by(name.slice(0, -1), costs[name]))
    order.push(name)
    work()
  })
  held[Symbol.dispose]()
  await Promise.all(all)
  return order
}

/** `seconds`: after which the caller is told to try again. */
function isOverloaded(seconds?: number): (error: unknown) => boolean {
  return (error) =>
    error instanceof OverloadedError &&
    isUnavailable(error) &&
    (seconds === undefined || error.details.retryAfter === seconds)
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'UNAVAILABLE'
}
