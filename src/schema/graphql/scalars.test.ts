import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BigInt53 } from './scalars.ts'

test('an integer in quotes is refused as text, one out of range as such', () => {
  assert.throws(() => BigInt53.coerceInputValue('5'), /^"5" is text: BigInt wants an integer/)
  assert.throws(() => BigInt53.coerceInputValue(2 ** 53), /^9007199254740992 is no integer/)
})
