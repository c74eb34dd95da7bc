import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryDelay } from './retries.ts'

test('the pauses between attempts double and end at about an hour', () => {
  for (let failures = 1; failures < 40; failures++) {
    const expected = Math.min(5_000 * 2 ** (failures - 1), 3_600_000)
    const delay = retryDelay(5_000, failures)
    assert.ok(delay >= expected * 0.75 && delay <= expected * 1.25, `${failures}: ${delay}`)
  }
})
