import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../../test/support/any-text.ts'
import { plainText, plainValue } from './plain-text.ts'

const kept = [
  'Überraschung in Ōsaka, ÷2\tnext\nline',
  'می‌خواهم',
  'क्‍ष and क्‌ष',
  'শ্রদ্ধা র‍্যাব',
  '👩‍👩‍👧 ❤️ 1️⃣ 🏳️‍🌈',
  '震惊速递 · Harbour & Hill',
]
for (const text of kept) test(`"${text}" stays as it is`, () => assert.equal(plainText(text), text))

const removed: readonly (readonly [what: string, given: string, plain: string])[] = [
  ['controls', 'a\u0000b\u001b[31mc\u007f\u0085d', 'ab[31mc\nd'],
  ['carriage returns', 'a\r\nb\rc', 'a\nb\nc'],
  ['bidirectional controls', '\u202eabc\u202c \u2066x\u2069 \u200e\u200f\u061c', 'abc x '],
  ['characters without width', 'i\u200bg\u200dn\u2060o\ufeffre\u00ad', 'ignore'],
  ['tags', `x${String.fromCodePoint(0xe0041, 0xe0042, 0xe007f)}y`, 'xy'],
  ['selectors in a row', `a\ufe0f${String.fromCodePoint(0xe0100, 0xe01ef)}b`, 'ab'],
  ['fillers', 'a\u3164\u115f\uffa0b', 'ab'],
  ['line separators', 'a\u2028b\u2029c', 'a\nb\nc'],
  ['halves of pairs', 'a\ud800b', 'a\ufffdb'],
]
for (const [what, given, plain] of removed)
  test(`of a text, ${what} are removed`, () => assert.equal(plainText(given), plain))

const unseen =
  /[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\p{Cs}]|[\u{e0000}-\u{e0fff}]/u

test('no text keeps controls, bidirectional controls or tags, and cleaning again changes nothing', () => {
  const odd = '\u202e \u2066 \u200b \u200d \u200c \ufe0f \u0000 \u001b \r \n \u{e0061} न क ् م 👩 1 a'.split(
    ' ',
  )
  const nasty = fc.constantFrom(...odd, ' ', '\ud83d', '\udc69')
  const texts = fc.oneof(
    fc.string({ unit: anyCodePoint, maxLength: 200 }),
    fc.array(nasty, { maxLength: 40 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const plain = plainText(text)
      assert.doesNotMatch(plain, unseen)
      assert.ok(plain.isWellFormed())
    }),
    { numRuns: 500 },
  )
})

test('all texts of a value are made plain, names too', () => {
  const value = { 'a\u202e': ['b\u0007', { c: 'd\u200b', e: 1, f: null, g: true }] }
  assert.deepEqual(plainValue(value), { a: ['b', { c: 'd', e: 1, f: null, g: true }] })
})
