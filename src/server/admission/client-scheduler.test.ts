import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { test } from 'node:test'
import { startServer } from '../../../test/support/server/http-server.ts'
import { createStandInEngine } from '../../../test/support/service/stand-in-engine.ts'
import { ClientScheduler } from './client-scheduler.ts'

test('of one caller requests begin for a millisecond in a turn of the event loop, and others need not wait for the rest', async () => {
  let now = 0
  const scheduler = new ClientScheduler(() => now)
  const begun: string[] = []
  const ask = (caller: string): Promise<void> =>
    inTurn(scheduler, caller, () => {
      begun.push(caller)
      now += 0.5
    })
  const all = Array.from('aaaaa', ask)
  assert.deepEqual(begun, ['a', 'a'])
  all.push(ask('b'))
  assert.deepEqual(begun, ['a', 'a', 'b'])
  const turns: string[] = []
  while (begun.length < 6) {
    const before = begun.length
    await new Promise((resolve) => setImmediate(resolve))
    turns.push(begun.slice(before).join(''))
  }
  await Promise.all(all)
  assert.deepEqual(
    turns.filter((turn) => turn !== ''),
    ['aa', 'a'],
  )
})

test('a request that comes later waits behind those of the same caller', async () => {
  let now = 0
  const scheduler = new ClientScheduler(() => now)
  const begun: number[] = []
  const ask = (number: number): Promise<void> => inTurn(scheduler, 'a', () => (now = begun.push(number)))
  const first = [0, 1, 2, 3, 4].map(ask)
  await new Promise((resolve) => setImmediate(resolve))
  await Promise.all([...first, ask(5), ask(6)])
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6])
})

test('a caller may do the work of a page at once, then has a rate, and others need not wait for it', async () => {
  // What a busy machine takes between two lines must not count as work. The loop is never idle.
  const scheduler = new ClientScheduler(
    () => 0,
    () => 0,
  )
  const begun: string[] = []
  const ask = (caller: string, time: number): Promise<void> =>
    inTurn(scheduler, caller, () => {
      begun.push(caller)
      scheduler.spend(caller, time)
    })
  const ofHeavy = (): number => begun.filter((caller) => caller === 'heavy').length
  const all = Array.from({ length: 7 }, () => ask('heavy', 13))
  await Promise.all(Array.from({ length: 50 }, () => ask('light', 0.01)))
  assert.equal(ofHeavy(), 5)
  // Of the 65 ms it gets back a few, enough for one more.
  await all[5]
  assert.equal(ofHeavy(), 6)
  await Promise.all(all)
  assert.equal(begun.length, 57)
})

for (const [idle, intervals] of [
  [0, 49],
  [40, 25],
  [100, 10],
] as const)
  test(`callers share half of what the loop was idle: ${idle} ms of 100`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    let now = 0
    const scheduler = new ClientScheduler(
      () => 0,
      () => now,
    )
    for (const caller of ['a', 'b']) scheduler.spend(caller, 300)
    const begun = scheduler.wait('a')?.then(() => true)
    for (let passed = 0; passed < intervals; passed += 1) {
      assert.equal(await Promise.race([begun, new Promise((resolve) => setImmediate(resolve, false))]), false)
      now += idle
      t.mock.timers.tick(100)
    }
    // From 300 ms to less than 60.
    assert.equal(await begun, true)
  })

test('requests that arrive in one piece of a connection begin in several turns', async (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const { execute } = createStandInEngine()
  const turns = new Map<number, number>()
  const engine: { execute: typeof execute } = {
    execute: (...question) => {
      const turn = performance.nodeTiming.uvMetricsInfo.loopCount
      turns.set(turn, (turns.get(turn) ?? 0) + 1)
      now += 1
      return execute(...question)
    },
  }
  await using server = await startServer({ engine })
  const get = (connection: string) =>
    `GET /api/graphql?query=%7Bhello%7D HTTP/1.1\r\nhost: x\r\nconnection: ${connection}\r\n\r\n`
  const answers = await server.raw(get('keep-alive').repeat(9) + get('close'))
  assert.equal(answers.match(/HTTP\/1.1 200/g)?.length, 10)
  assert.ok(Math.max(...turns.values()) <= 2, `In a turn there were ${[...turns.values()].join()}.`)
})

/** A turn that has come begins at once. */
async function inTurn(scheduler: ClientScheduler, caller: string, begin: () => void): Promise<void> {
  const turn = scheduler.wait(caller)
  if (turn !== undefined) await turn
  begin()
}
