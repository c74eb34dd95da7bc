import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../../test/support/random/values/any-text.ts'
import { answerText, cutText, plainText } from './plain-text.ts'

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

const odd = '\u202e \u2066 \u200b \u200d \u200c \ufe0f \u0000 \u001b \r \n \u{e0061} न क ् م 👩 1 a'.split(' ')
const nasty = fc.constantFrom(...odd, ' ', '\ud83d', '\udc69')
const anyText = fc.oneof(
  fc.string({ unit: anyCodePoint, maxLength: 200 }),
  fc.array(nasty, { maxLength: 40 }).map((parts) => parts.join('')),
)

test('no text keeps controls, bidirectional controls or tags, and cleaning again changes nothing', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const plain = plainText(text)
      assert.doesNotMatch(plain, unseen)
      assert.ok(plain.isWellFormed())
    }),
    { numRuns: 500 },
  )
})

test('an answer has invisible characters as escapes, and parsed the same texts', () => {
  assert.equal(
    answerText({ 'a\u202e': ['b\u0007', 'c\u200b', `d${String.fromCodePoint(0xe0041)}`, 'e\n', 1, null] }),
    String.raw`{"a\u202e":["b\u0007","c\u200b","d\udb40\udc41","e\n",1,null]}`,
  )
  for (const text of kept) assert.equal(answerText(text), JSON.stringify(text))
  fc.assert(
    fc.property(anyText, (text) => {
      const written = answerText({ [text]: text })
      assert.doesNotMatch(written, unseen)
      assert.deepEqual(JSON.parse(written), { [text]: text })
    }),
    { numRuns: 500 },
  )
})

test('a text is cut between characters, and escapes count as they are written', () => {
  assert.equal(cutText('abcdef', 6), 'abcdef')
  assert.equal(cutText('abcdefg', 6), 'abcde…')
  assert.equal(cutText('abcd😀fg', 6), 'abcd…')
  assert.equal(cutText('ab\u200b', 8), 'ab\u200b')
  assert.equal(cutText('ab\u200b\u200bcd', 13), 'ab…')
  assert.equal(cutText('abc\u200bdef', 6), 'ab…')
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 250 }), (text, longest) => {
      const cut = cutText(text, longest)
      assert.ok(cut === text || (cut.endsWith('…') && text.startsWith(cut.slice(0, -1))))
      const escaped = cut.replaceAll(/\p{Cs}/gu, '').replaceAll(/[\n\t"\\]/g, 'x')
      assert.ok(answerText(escaped).length - 2 <= longest + 6, answerText(cut))
    }),
    { numRuns: 500 },
  )
})
