import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallerPace } from './pace.ts'

test('of one caller requests begin for a millisecond in a turn of the event loop, and others need not wait for the rest', async () => {
  let now = 0
  const pace = new CallerPace(() => now)
  const begun: string[] = []
  const ask = async (caller: string): Promise<void> => {
    const turn = pace.wait(caller)
    if (turn !== undefined) await turn
    begun.push(caller)
    now += 0.5
  }
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

test('whoever comes later waits behind those of the same caller', async () => {
  let now = 0
  const pace = new CallerPace(() => now)
  const begun: number[] = []
  const ask = async (number: number): Promise<void> => {
    const turn = pace.wait('a')
    if (turn !== undefined) await turn
    begun.push(number)
    now += 1
  }
  const first = [0, 1, 2, 3, 4].map(ask)
  await new Promise((resolve) => setImmediate(resolve))
  await Promise.all([...first, ask(5), ask(6)])
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6])
})

test('a caller whose requests take long has but a few of them in a moment, and others need not wait for it', async () => {
  // What a busy machine takes between two lines must not count as work.
  const pace = new CallerPace(() => 0)
  const begun: string[] = []
  const ask = async (caller: string, time: number): Promise<void> => {
    const turn = pace.wait(caller)
    if (turn !== undefined) await turn
    begun.push(caller)
    pace.spend(caller, time)
  }
  const all = Array.from({ length: 6 }, () => ask('heavy', 3))
  await Promise.all(Array.from({ length: 50 }, () => ask('light', 0.01)))
  const ofHeavy = begun.filter((caller) => caller === 'heavy').length
  assert.equal(ofHeavy, 2)
  await Promise.all(all)
  assert.equal(begun.length, 56)
})
