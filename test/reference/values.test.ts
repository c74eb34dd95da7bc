import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareText, fold, parseInstant, printInstant } from './values.ts'

test('folding drops case, accents and compatibility forms, and keeps the marks of other scripts', () => {
  const folded = {
    Ångström: 'angstrom',
    İI: 'ii',
    ΟΔΟΣ: 'οδοσ',
    οδός: 'οδοσ',
    'ﬁ①Ⅳ': 'fi1iv',
    straße: 'straße',
  }
  for (const [text, expected] of Object.entries(folded)) assert.equal(fold(text), expected)
  assert.equal(fold('ｶﾞ'), 'ガ')
  assert.equal(fold('か\u3099'), 'が')
  assert.equal(fold('\u1112\u1161\u11ab'), '한')
  assert.equal(fold('हिन्दी'), 'हिन्दी')
  assert.equal(fold('\u0301\u0302'), '')
})

test('text is ordered by code point, not by UTF-16 unit', () => {
  const sorted = ['😀', '\ufffd', 'é', 'z', 'Z', '', '10', '4'].sort(compareText)
  assert.deepEqual(sorted, ['', '10', '4', 'Z', 'z', 'é', '\ufffd', '😀'])
})

test('instants keep microseconds, cut the rest, and reach from year 1 to 9999', () => {
  assert.equal(parseInstant('1970-01-01T00:00:00.0000019Z'), 1n)
  assert.equal(parseInstant('1969-12-31T23:59:59.9999999Z'), -1n)
  assert.equal(parseInstant('1970-01-01T01:00:00+01:00'), 0n)
  assert.equal(parseInstant('0001-01-01'), -62_135_596_800_000_000n)
  assert.equal(parseInstant('9999-12-31T23:59:59.999999Z'), 253_402_300_799_999_999n)
  assert.throws(() => parseInstant('yesterday'), /no datetime/)
})

test('instants print three digits, or six when three are not enough', () => {
  assert.equal(printInstant(0n), '1970-01-01T00:00:00.000Z')
  assert.equal(printInstant(-1n), '1969-12-31T23:59:59.999999Z')
})
