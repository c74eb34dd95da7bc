import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQueue } from './agent-routes.ts'

test('one piece of work begins in a turn of the event loop, in the order of asking', async () => {
  const next = createQueue()
  let turn = 0
  let isOver = false
  const count = (): void => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const begun: { readonly piece: number; readonly turn: number }[] = []
  await Promise.all(
    Array.from({ length: 9 }, async (_, piece) => {
      await next()
      begun.push({ piece, turn })
    }),
  )
  isOver = true
  assert.deepEqual(
    begun.map(({ piece }) => piece),
    begun.map((_, index) => index),
  )
  assert.equal(new Set(begun.map((each) => each.turn)).size, begun.length)
})

test('a single piece of work begins in the next turn', async () => {
  const next = createQueue()
  await next()
  let isNext = false
  setImmediate(() => setImmediate(() => (isNext = true)))
  await next()
  assert.equal(isNext, false)
})
