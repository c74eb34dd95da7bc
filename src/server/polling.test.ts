import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Polling } from './polling.ts'

/** Turns of an event loop, and milliseconds of a clock that stands until it is set. */
function polling() {
  const clock = { now: 0 }
  let next: (() => void) | null = null
  return {
    clock,
    polling: new Polling(
      () => clock.now,
      (poll) => (next = poll),
    ),
    /** Whether the event loop has something to come back for at once. */
    isAwake: () => next !== null,
    turn: () => {
      const poll = next
      next = null
      poll?.()
    },
  }
}

describe('looking for the next question', () => {
  const [one, other] = [{}, {}]

  it('begins when a caller asks again at once, and ends when nothing comes', () => {
    const { clock, polling: it, isAwake, turn } = polling()
    it.answered(one, 0)
    assert.equal(isAwake(), false)
    clock.now = 0.3
    it.answered(one, 0.1)
    assert.equal(isAwake(), true)
    for (let count = 0; count < 10; count += 1) turn()
    assert.equal(isAwake(), true)
    clock.now = 0.5
    turn()
    assert.equal(isAwake(), false)
  })

  it('goes on while questions come', () => {
    const { clock, polling: it, isAwake, turn } = polling()
    it.answered(one, 0)
    for (let question = 1; question < 20; question += 1) {
      clock.now = question
      it.answered(one, question - 0.9)
      turn()
      assert.equal(isAwake(), true)
    }
    clock.now = 20
    turn()
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
