import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { stopClock } from '../../../../test/support/mock-clock.ts'
import { createRandom } from '../../../../demo/random.ts'
import { someCaller } from '../../../../test/support/service/callers.ts'
import { rounds, seed } from '../../../../test/support/rounds.ts'
import { answerLimits, type LimitAnswer, type LimitQuestion, RemoteCounts } from './remote-counts.ts'
import { createCounts, MemoryPoints } from './counts.ts'
import { createLimiter } from './limiter.ts'

test('however callers spread their requests over processes, they are granted exactly what their tier has', async (t) => {
  stopClock(t)
  t.diagnostic(`TEST_SEED=${seed}`)
  const random = createRandom(seed)
  for (let round = 0; round < rounds(10); round++) {
    const { add } = startCounting()
    const limiters = [add().limiter, add().limiter, add().limiter]
    const caller = someCaller({ pointsPerMinute: 1_200 })
    let granted = 0
    const spend = async (): Promise<boolean> => {
      const points = random.chance(0.1) ? random.integer(1, 250) : 1
      const isGranted = (await random.pick(limiters).spend(caller, points))?.granted === true
      if (isGranted) granted += points
      return isGranted
    }
    for (let wave = 0; wave < 40; wave++) {
      await Promise.all(Array.from({ length: random.integer(1, 30) }, spend))
      mock.timers.tick(random.integer(0, 500))
      assert.ok(granted <= 1_200, `${granted} points were granted`)
    }
    // What the processes hold comes back when nobody uses it.
    for (let second = 0; second < 3; second++) mock.timers.tick(1_000)
    await settled()
    for (const limiter of limiters) while ((await limiter.spend(caller, 1))?.granted === true) granted += 1
    assert.equal(granted, 1_200)
  }
})

test('requests at once are counted over all processes, and the turns of one that dies are free again', async () => {
  const { add } = startCounting()
  const [dying, other] = [add(), add()]
  const caller = someCaller({ concurrent: 3 })
  assert.equal(await dying.limiter.enter(caller), true)
  assert.equal(await dying.limiter.enter(caller), true)
  assert.equal(await other.limiter.enter(caller), true)
  assert.equal(await other.limiter.enter(caller), false)
  other.limiter.leave(caller)
  assert.equal(await other.limiter.enter(caller), true)
  dying.die()
  assert.equal(await other.limiter.enter(caller), true)
  assert.equal(await other.limiter.enter(caller), true)
  assert.equal(await other.limiter.enter(caller), false)
})

test('a turn that a process is given as it dies is free again', async () => {
  const counts = createCounts(new MemoryPoints())
  const asker = answerLimits(counts)(() => undefined)
  const asked = asker.ask({ kind: 'limits', id: 1, method: 'enter', values: ['key:1', 1] })
  asker.end()
  await asked
  assert.equal(counts.enter('key:1', 1), true)
})

test('keys that do not hold are counted over all processes, and all look at no more of them', async (t) => {
  stopClock(t)
  const { add } = startCounting()
  const [first, second] = [add().limiter, add().limiter]
  for (let failure = 0; failure < 9; failure++)
    assert.equal(await (failure % 2 === 0 ? first : second).failKey('192.0.2.1'), 0)
  assert.equal(await first.failKey('192.0.2.1'), 60)
  await settled()
  assert.equal(second.keyPause('192.0.2.1'), 60)
  assert.equal(second.keyPause('192.0.2.2'), 0)
})

test('while the counting process is silent, each counts for itself', async (t) => {
  stopClock(t)
  const { limiter, silence } = startCounting().add()
  const caller = someCaller({ pointsPerMinute: 10, concurrent: 1 })
  silence(true)
  const spent = limiter.spend(caller, 4)
  mock.timers.tick(1_000)
  assert.deepEqual(await spent, { granted: true, remaining: 6, resetSeconds: 60 })
  // Nobody else waits a second.
  assert.equal((await limiter.spend(caller, 7))?.granted, false)
  assert.equal(await limiter.enter(caller), true)
  assert.equal(await limiter.enter(caller), false)
  limiter.leave(caller)
  assert.equal(await limiter.enter(caller), true)
  for (let failure = 1; failure < 10; failure++) assert.equal(await limiter.failKey('192.0.2.1'), 0)
  await limiter.failKey('192.0.2.1')
  assert.equal(limiter.keyPause('192.0.2.1'), 60)
})

test('it is asked again a while later, and what it gave too late is given back', async (t) => {
  stopClock(t)
  const { add } = startCounting()
  const [slow, other] = [add(), add()]
  const caller = someCaller({ pointsPerMinute: 10, concurrent: 1 })
  slow.silence(true)
  const [entered, spent] = [slow.limiter.enter(caller), slow.limiter.spend(caller, 4)]
  mock.timers.tick(1_000)
  assert.equal(await entered, true, 'it counts for itself')
  assert.equal((await spent)?.remaining, 6)
  slow.silence(false)
  await settled()
  assert.equal(await other.limiter.enter(caller), true, 'the turn that came too late is free again')
  mock.timers.tick(5_000)
  const stranger = someCaller({ id: 'key:2', concurrent: 1 })
  assert.equal(await slow.limiter.enter(stranger), true)
  assert.equal(await other.limiter.enter(stranger), false, 'it was asked')
  assert.equal((await slow.limiter.spend(caller, 1))?.remaining, 5, 'four were spent once')
})

test('whoever counts for itself goes on from what it heard last, and tells what was spent meanwhile', async (t) => {
  stopClock(t)
  const { add } = startCounting()
  const [one, other] = [add(), add()]
  const caller = someCaller({ pointsPerMinute: 1_200, concurrent: 3 })
  assert.equal((await other.limiter.spend(caller, 700))?.granted, true)
  assert.equal((await one.limiter.spend(caller, 100))?.granted, true)
  assert.equal(await one.limiter.enter(caller), true)
  mock.timers.tick(1_000)
  one.silence('lost')
  const spent = one.limiter.spend(caller, 300)
  mock.timers.tick(1_000)
  await settled()
  assert.deepEqual(await spent, { granted: true, remaining: 100, resetSeconds: 58 })
  assert.equal(
    (await one.limiter.spend(caller, 101))?.granted,
    false,
    'other processes spent the rest before',
  )
  assert.equal(await one.limiter.enter(caller), true)
  assert.equal(await one.limiter.enter(caller), true)
  assert.equal(await one.limiter.enter(caller), false, 'one was let in before')
  one.silence(false)
  mock.timers.tick(5_000)
  assert.equal((await one.limiter.spend(caller, 50))?.granted, true)
  await settled()
  assert.equal(
    (await other.limiter.spend(caller, 60))?.granted,
    false,
    'what was spent meanwhile counts for all',
  )
  assert.equal((await other.limiter.spend(caller, 40))?.granted, true)
})

test('what is unused of points granted in silence is never given back to whoever did not count them', async (t) => {
  stopClock(t)
  const { add } = startCounting()
  const [one, other] = [add(), add()]
  const caller = someCaller({ pointsPerMinute: 1_200 })
  one.silence('lost')
  const spent = one.limiter.spend(caller, 400)
  mock.timers.tick(1_000)
  assert.equal((await spent)?.granted, true)
  for (let more = 0; more < 3; more++) assert.equal((await one.limiter.spend(caller, 1))?.granted, true)
  one.silence(false)
  for (let second = 0; second < 6; second++) mock.timers.tick(1_000)
  await settled()
  assert.equal((await one.limiter.spend(caller, 1))?.granted, true)
  for (let second = 0; second < 3; second++) mock.timers.tick(1_000)
  await settled()
  assert.deepEqual(await other.limiter.spend(caller, 1), { granted: true, remaining: 795, resetSeconds: 57 })
})

test('a process that was held up reads what it was answered meanwhile before it counts for itself', async (t) => {
  stopClock(t)
  const answered = new Int32Array(new SharedArrayBuffer(4))
  const module = new URL('../../../../test/support/server/counting-thread.ts', import.meta.url)
  const thread = new Worker(module, { workerData: answered })
  t.after(() => thread.terminate())
  const remote = new RemoteCounts((message) => thread.postMessage(message))
  thread.on('message', (message: LimitAnswer) => remote.hear(message))
  // The thread has counted 1,000 of 1,200 for this caller, of which nothing was heard here.
  const caller = someCaller({ id: 'key:known', pointsPerMinute: 1_200 })
  const spent = createLimiter(remote).spend(caller, 600)
  // Held up until it was answered, and past the time in which it waits for that.
  Atomics.wait(answered, 0, 0)
  mock.timers.tick(1_100)
  assert.equal((await spent)?.granted, false)
})

/** A process that counts, and as many others as are added; messages arrive later and as copies, as they do by IPC. */
function startCounting() {
  const answer = answerLimits(createCounts(new MemoryPoints()))
  const add = () => {
    const kept: LimitQuestion[] = []
    let isSilent: boolean | 'lost' = false
    const asker = answer((message: LimitAnswer) => later(() => remote.hear(copy(message))))
    const deliver = (message: LimitQuestion): void => {
      if (isSilent === true) kept.push(message)
      if (isSilent === false) later(() => asker.ask(copy(message)))
    }
    const remote = new RemoteCounts(deliver)
    /** Keeps messages until it is over, or loses them. */
    const silence = (silent: boolean | 'lost'): void => {
      isSilent = silent
      if (silent === false) for (const message of kept.splice(0)) deliver(message)
    }
    return { limiter: createLimiter(remote), silence, die: asker.end }
  }
  return { add }
}

function later(deliver: () => unknown): void {
  setImmediate(deliver)
}

/** All messages have arrived, and the answers to them. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
}

function copy<Message>(message: Message): Message {
  return JSON.parse(JSON.stringify(message))
}
