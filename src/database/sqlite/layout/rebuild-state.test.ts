import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAtWork } from './rebuild-state.ts'

test('a rebuild counts as abandoned after half a minute of silence, by whichever clock', () => {
  const heardAt = 1_770_000_000_000_000n
  const silences = [0n, 29_999_999n, 30_000_000n, -29_999_999n, -30_000_000n]
  assert.deepEqual(
    silences.map((silence) => isAtWork({ derivation: 'd', heardAt }, heardAt + silence)),
    [true, true, false, true, false],
  )
})
