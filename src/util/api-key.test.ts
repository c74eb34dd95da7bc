import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../test/support/random/values/any-text.ts'
import { createKey, hashKey, keyLength, readKey } from './api-key.ts'

const secrets = fc.uint8Array({ minLength: 20, maxLength: 20 })
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('every key has one length and one form, and is read as itself', () => {
  fc.assert(
    fc.property(secrets, (secret) => {
      const key = createKey(secret)
      assert.match(key, /^lgk_[0-9A-Za-z]{33}$/)
      assert.equal(key.length, keyLength)
      assert.equal(readKey(key), key)
    }),
  )
})

test('the smallest and the largest secrets have keys too', () => {
  // Worked out by other means.
  assert.equal(createKey(new Uint8Array(20)), 'lgk_0000000000000000000000000000qKnlM')
  assert.equal(createKey(new Uint8Array(20).fill(255)), 'lgk_aWgEPTl1tmebfsQzFP4bxwgy80V17mVmj')
})

test('different secrets have different keys, and different hashes', () => {
  fc.assert(
    fc.property(secrets, secrets, (one, other) => {
      const same = Buffer.compare(one, other) === 0
      assert.equal(createKey(one) === createKey(other), same)
      assert.equal(hashKey(createKey(one)) === hashKey(createKey(other)), same)
    }),
  )
})

test('keys that nobody chose are all different', () => {
  assert.equal(new Set(Array.from({ length: 1000 }, () => createKey())).size, 1000)
})

test('white space around a key does not matter', () => {
  const space = fc
    .array(fc.constantFrom(' ', '\t', '\n', '\r\n', '\u00a0', '\ufeff'), { maxLength: 4 })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(secrets, space, space, (secret, before, after) => {
      const key = createKey(secret)
      assert.equal(readKey(before + key + after), key)
    }),
  )
})

test('a key with one wrong character is none', () => {
  const at = fc.nat(keyLength - 5)
  fc.assert(
    fc.property(secrets, at, fc.constantFrom(...alphabet), (secret, index, character) => {
      const key = createKey(secret)
      const wrong = key.slice(0, 4 + index) + character + key.slice(5 + index)
      assert.equal(readKey(wrong), wrong === key ? key : null)
    }),
    { numRuns: 1000 },
  )
})

test('a key with two neighbours swapped, or in another case, or cut, or continued is none', () => {
  fc.assert(
    fc.property(secrets, fc.integer({ min: 4, max: keyLength - 2 }), (secret, at) => {
      const key = createKey(secret)
      const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2)
      assert.equal(readKey(swapped), swapped === key ? key : null)
      assert.equal(readKey(key.slice(0, at)), null)
      assert.equal(readKey(key.slice(4)), null)
      assert.equal(readKey(`${key}0`), null)
      assert.equal(readKey(`${key} ${key}`), null)
      assert.equal(readKey(key.replace('lgk', 'LGK')), null)
    }),
  )
})

test('no other text is a key', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: anyCodePoint })), (text) => {
      assert.equal(readKey(text), null)
    }),
  )
  for (const text of ['', 'undefined', 'lgk_', `lgk_${'0'.repeat(33)}`, `lgk_${'٣'.repeat(33)}`])
    assert.equal(readKey(text), null)
})

test('what is kept of a key is its SHA-256', () => {
  assert.equal(hashKey('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
