import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pace } from './pace.ts'

test('of one caller two begin in a turn of the event loop, and others need not wait for the rest', async () => {
  const pace = new Pace()
  const begun: string[] = []
  const ask = async (caller: string): Promise<void> => {
    const turn = pace.wait(caller)
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
  const pace = new Pace()
  const begun: number[] = []
  const ask = async (number: number): Promise<void> => {
    const turn = pace.wait('a')
    if (turn !== undefined) await turn
    begun.push(number)
  }
  const first = [0, 1, 2, 3, 4].map(ask)
  await new Promise((resolve) => setImmediate(resolve))
  await Promise.all([...first, ask(5), ask(6)])
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6])
})
