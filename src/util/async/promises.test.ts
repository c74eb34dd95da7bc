import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { stopClock } from '../../../test/support/mock-clock.ts'
import { within } from './promises.ts'

const late = (): Error => new Error('It is late.')

test('what does not come in time fails', async (t) => {
  stopClock(t)
  const failed = assert.rejects(within(60_000, new Promise(() => undefined), late), /It is late/)
  mock.timers.tick(60_000)
  await failed
})

test('what comes in time is given, and so is its failure', async () => {
  assert.equal(await within(60_000, Promise.resolve(1), late), 1)
  await assert.rejects(within(60_000, Promise.reject(new Error('broken')), late), /broken/)
})

test('time in which the process was held up does not count', async (t) => {
  stopClock(t)
  const turns = async (): Promise<string> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    return 'answered'
  }
  const answered = within(50, turns(), late)
  mock.timers.tick(500)
  assert.equal(await answered, 'answered')
})
