import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldSeparator } from '../word-query.ts'
import { wordVector } from './word-vector.ts'

test('a lexeme is a word behind the letter of its text, with its positions; marks have neither', () => {
  assert.deepEqual(wordVector(['a b', 'B c++ b'], [3, 1]), {
    vector: `'Aa':1 'Ab':2 'Bb':1,3 'Bc++':2 'a~3' 'b~4'`,
    lexemes: ['Aa', 'Ab', 'Bb', 'Bc++', 'a~3', 'b~4'],
    text: null,
    length: 9,
  })
})

test('a missing text has no lexemes', () => {
  assert.deepEqual(wordVector([null, 'a'], [1, 1]), {
    vector: `'Ba':1`,
    lexemes: ['Ba'],
    text: null,
    length: 1,
  })
})

test('the words are kept as text if one occurs more often than a lexeme has positions', () => {
  const often = (times: number) => wordVector(['b', 'a '.repeat(times)], [1, 1])
  assert.equal(often(255).text, null)
  assert.equal(often(256).text, ` b ${fieldSeparator} ${'a '.repeat(256)}`)
  assert.equal(often(256).vector, often(255).vector)
})
