import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BeingRebuiltError, RebuiltElsewhereError, unavailable } from './refusals.ts'

test('callers learn when to ask again for what is not available, and are not told to restart it', () => {
  const rebuilt = new RebuiltElsewhereError()
  for (const { code, message, details } of [unavailable(null), rebuilt, new BeingRebuiltError(null)]) {
    assert.equal(code, 'UNAVAILABLE')
    assert.ok(Number(details['retryAfter']) > 0)
    assert.doesNotMatch(message, /restart/)
  }
  assert.match(rebuilt.message, /Try again in some seconds/)
})
