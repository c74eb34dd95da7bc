import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../errors.ts'
import { Turns } from './turns.ts'

const never = new AbortController().signal

test('there are as many places as were asked for, and each can be taken again', async () => {
  const turns = new Turns({ places: 2, mostWaiting: 10 })
  const first = await turns.take('a', never)
  await turns.take('a', never)
  const third = turns.take('a', never)
  assert.equal(turns.waiting, 1)
  first[Symbol.dispose]()
  await third
  assert.equal(turns.waiting, 0)
})

test('callers take turns, and those of one caller come in the order of asking', async () => {
  const order = await orderOf(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'])
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
})

test('who leaves while waiting fails with the reason, and is passed over', async () => {
  const turns = new Turns({ places: 1, mostWaiting: 10 })
  const held = await turns.take('a', never)
  const left = new AbortController()
  const leaving = turns.take('b', left.signal)
  const staying = turns.take('c', never)
  left.abort(new Error('gone'))
  await assert.rejects(leaving, /^Error: gone$/)
  assert.equal(turns.waiting, 1)
  held[Symbol.dispose]()
  await staying
})

test('who has left before asking gets no place', async () => {
  const turns = new Turns({ places: 1, mostWaiting: 10 })
  await assert.rejects(turns.take('a', AbortSignal.abort(new Error('gone'))), /^Error: gone$/)
  await turns.take('a', never)
})

test('a place that was given to somebody who leaves at that moment is not lost', async () => {
  const turns = new Turns({ places: 1, mostWaiting: 10 })
  const held = await turns.take('a', never)
  const left = new AbortController()
  const given = turns.take('b', left.signal)
  held[Symbol.dispose]()
  left.abort(new Error('too late'))
  const place = await given
  place[Symbol.dispose]()
  await turns.take('c', never)
})

test('giving a place back twice does not make two of it', async () => {
  const turns = new Turns({ places: 1, mostWaiting: 10 })
  const held = await turns.take('a', never)
  held[Symbol.dispose]()
  held[Symbol.dispose]()
  await turns.take('a', never)
  void turns.take('a', never)
  assert.equal(turns.waiting, 1)
})

test('no more may wait than is said', async () => {
  const turns = new Turns({ places: 1, mostWaiting: 2 })
  await turns.take('a', never)
  const waiting = [turns.take('a', never), turns.take('b', never)]
  await assert.rejects(turns.take('c', never), isUnavailable)
  turns[Symbol.dispose]()
  for (const one of waiting) await assert.rejects(one, isUnavailable)
})

test('after the end nobody gets a place, not even one that is given back', async () => {
  const turns = new Turns({ places: 1, mostWaiting: 2 })
  const held = await turns.take('a', never)
  turns[Symbol.dispose]()
  held[Symbol.dispose]()
  await assert.rejects(turns.take('a', never), isUnavailable)
})

/** The order in which those who ask one after the other, while the only place is held, get it. */
async function orderOf(names: readonly string[]): Promise<readonly string[]> {
  const turns = new Turns({ places: 1, mostWaiting: 100 })
  const held = await turns.take('first', never)
  const order: string[] = []
  const all = names.map((name) => pass(turns, name, order))
  held[Symbol.dispose]()
  await Promise.all(all)
  return order
}

/** The caller is the first letter. */
async function pass(turns: Turns, name: string, order: string[]): Promise<void> {
  using _place = await turns.take(name.slice(0, 1), never)
  order.push(name)
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'UNAVAILABLE' && error.details.retryAfter === 1
}
