import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import fc from 'fast-check'
import { rounds, seed } from '../../test/support/rounds.ts'
import { Channel, grouped, inOrder, untilAborted } from './channel.ts'

test('a sender waits while the channel is full', async () => {
  const channel = new Channel<number>(2)
  await channel.send(1)
  let sent = false
  const sendSecond = async (): Promise<void> => {
    await channel.send(2)
    sent = true
  }
  const second = sendSecond()
  await nextTurn()
  assert.equal(sent, false)
  assert.deepEqual(await channel.take(), [1, 2])
  await second
  assert.equal(sent, true)
})

test('what was sent before the end can be taken, and then the error comes', async () => {
  const channel = new Channel<number>(10)
  await channel.send(1)
  channel.end(new Error('gone'))
  await channel.send(2)
  assert.deepEqual(await channel.take(), [1])
  await assert.rejects(channel.take(), /gone/)
})

test('a reader that waits is woken by the end', async () => {
  const channel = new Channel<number>(10)
  const taken = channel.take()
  channel.end()
  assert.equal(await taken, null)
})

test('work on several inputs keeps their order, and never more than the limit is under way', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(5), { maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      async (turns, limit) => {
        let underWay = 0
        let most = 0
        const work = async (input: { index: number; turns: number }): Promise<number> => {
          underWay += 1
          most = Math.max(most, underWay)
          for (let turn = 0; turn < input.turns; turn += 1) await nextTurn()
          underWay -= 1
          return input.index
        }
        async function* inputs() {
          for (const [index, count] of turns.entries()) yield { index, turns: count }
        }
        const results = await Array.fromAsync(inOrder(inputs(), work, limit))
        assert.deepEqual(results, [...turns.keys()])
        assert.ok(most <= 2 * limit + 1, `${most} at once with a limit of ${limit}`)
        // An input that takes no turn may be done before the next begins.
        if (!turns.includes(0)) assert.ok(most >= Math.min(limit, turns.length), `only ${most} of ${limit}`)
      },
    ),
    { seed, numRuns: rounds(30) },
  )
})

test('a failure of the work comes in its turn, and one of the input after all that came before', async () => {
  async function* inputs() {
    yield 1
    yield 2
    throw new Error('input')
  }
  const seen: number[] = []
  const work = async (input: number): Promise<number> => input
  await assert.rejects(async () => {
    for await (const result of inOrder(inputs(), work, 5)) seen.push(result)
  }, /input/)
  assert.deepEqual(seen, [1, 2])
})

test('groups are as large as what is waiting, and nothing is left out or turned round', async () => {
  async function* inputs() {
    for (let index = 0; index < 100; index += 1) {
      if (index % 10 === 0) await nextTurn()
      yield index
    }
  }
  const groups: (readonly number[])[] = []
  for await (const group of grouped(inputs(), 7)) {
    groups.push(group)
    await nextTurn()
  }
  assert.deepEqual(groups.flat(), [...Array(100).keys()])
  assert.ok(groups.every(({ length }) => length <= 7 + 1))
  assert.ok(groups.some(({ length }) => length > 1))
})

test('a reader that stops need not wait for a value that does not come', async () => {
  let ended = false
  async function* values(signal: AbortSignal): AsyncGenerator<number> {
    try {
      yield 1
      yield 2
      if (!signal.aborted) await once(signal, 'abort')
    } finally {
      ended = true
    }
  }
  for await (const value of untilAborted(new AbortController().signal, values)) if (value === 2) break
  assert.equal(ended, true)
  const outer = new AbortController()
  const found: number[] = []
  for await (const value of untilAborted(outer.signal, values)) {
    found.push(value)
    if (value === 2) outer.abort()
  }
  assert.deepEqual(found, [1, 2])
})
