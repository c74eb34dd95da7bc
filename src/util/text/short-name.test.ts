import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortName } from './short-name.ts'

test('a name that fits stays as it is', () => {
  assert.equal(shortName('a'.repeat(63)), 'a'.repeat(63))
})

test('longer names that begin alike stay different, and are no longer than allowed', () => {
  const [one, other] = [shortName(`${'é'.repeat(60)}a`), shortName(`${'é'.repeat(60)}b`)]
  assert.notEqual(one, other)
  for (const name of [one, other]) assert.ok(Buffer.byteLength(name) <= 63 && !name.includes('\uFFFD'), name)
})
