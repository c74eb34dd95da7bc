import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openThreads } from './threads.ts'

test('a request goes to the thread with the fewest that are open', async () => {
  const waits = new Int32Array(new SharedArrayBuffer(4)).fill(1)
  const module = new URL('../../../test/support/server/waiting-thread.ts', import.meta.url)
  await using threads = openThreads<string, number>(module, 2, waits)
  const waiting = threads.read('wait')
  const first = await threads.read('quick')
  const second = threads.read('quick')
  Atomics.store(waits, 0, 0)
  Atomics.notify(waits, 0)
  assert.notEqual(await waiting, first)
  assert.equal(await second, first)
})
