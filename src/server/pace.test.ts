import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallerPace, Pace } from './pace.ts'

test('of one caller two begin in a turn of the event loop, and others need not wait for the rest', async () => {
  const pace = new Pace((turn) => void setImmediate(turn))
  const begun: string[] = []
  const ask = async (caller: string): Promise<void> => {
    const turn = pace.wait(caller, 2)
    if (turn !== undefined) await turn
    begun.push(caller)
  }
  const all = Array.from('aaaaaaa', ask)
  assert.deepEqual(begun, ['a', 'a'])
  all.push(ask('b'))
  assert.deepEqual(begun, ['a', 'a', 'b'])
  const turns: string[] = []
  while (begun.length < 8) {
    const before = begun.length
    await new Promise((resolve) => setImmediate(resolve))
    turns.push(begun.slice(before).join(''))
  }
  await Promise.all(all)
  assert.deepEqual(
    turns.filter((turn) => turn !== ''),
    ['aa', 'aa', 'a'],
  )
})

test('whoever comes later waits behind those of the same caller', async () => {
  const pace = new Pace((turn) => void setImmediate(turn))
  const begun: number[] = []
  const ask = async (number: number): Promise<void> => {
    const turn = pace.wait('a', 2)
    if (turn !== undefined) await turn
    begun.push(number)
  }
  const first = [0, 1, 2, 3, 4].map(ask)
  await new Promise((resolve) => setImmediate(resolve))
  await Promise.all([...first, ask(5), ask(6)])
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6])
})

test('who could spend a minute’s points at once has but a few in a moment, and others need not wait for it', async () => {
  const pace = new CallerPace()
  const begun: string[] = []
  const ask = async (caller: string, pointsPerMinute: number | null): Promise<void> => {
    await pace.wait(caller, pointsPerMinute)
    begun.push(caller)
  }
  const all = Array.from({ length: 21 }, () => ask('hasty', 1_200))
  const others = [ask('other', 1_200), ask('unlimited', null)]
  await Promise.all([...all, ...others])
  const eleventh = begun.flatMap((caller, index) => (caller === 'hasty' ? [index] : []))[10] ?? 0
  for (const caller of ['other', 'unlimited']) assert.ok(begun.indexOf(caller) < eleventh)
  assert.equal(begun.filter((caller) => caller === 'hasty').length, 21)
})
