import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Polling } from './polling.ts'

/** Milliseconds of a clock that stands until it is set. */
function polling() {
  const clock = { now: 0 }
  const before = pending()
  return {
    clock,
    polling: new Polling(() => clock.now),
    /** Whether the event loop has something to come back for at once. */
    isAwake: () => pending() > before,
  }
}

function pending(): number {
  return process.getActiveResourcesInfo().filter((it) => it === 'Immediate').length
}

describe('looking for the next question', () => {
  const [one, other] = [{}, {}]

  it('begins when a caller asks again at once, and ends when nothing comes', async () => {
    const { clock, polling: it, isAwake } = polling()
    it.answered(one, 0)
    assert.equal(isAwake(), false)
    clock.now = 0.3
    it.answered(one, 0.1)
    assert.equal(isAwake(), true)
    for (let turn = 0; turn < 10; turn += 1) await setImmediate()
    assert.equal(isAwake(), true)
    clock.now = 0.5
    await setImmediate()
    assert.equal(isAwake(), false)
  })

  it('goes on while questions come', async () => {
    const { clock, polling: it, isAwake } = polling()
    it.answered(one, 0)
    for (let question = 1; question < 20; question += 1) {
      clock.now = question
      it.answered(one, question - 0.9)
      await setImmediate()
      assert.equal(isAwake(), true)
    }
    clock.now = 20
    await setImmediate()
    assert.equal(isAwake(), false)
  })

  it('does not begin when the next question takes its time, or is another caller’s', () => {
    const { clock, polling: it, isAwake } = polling()
    it.answered(one, 0)
    clock.now = 1
    it.answered(one, 0.9)
    it.answered(other, 1)
    it.answered(one, 1)
    assert.equal(isAwake(), false)
  })
})
