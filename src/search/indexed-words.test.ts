import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountOf, amounts, indexedWords, markedAmounts, markOf, mostBytes } from './indexed-words.ts'

test('the words of each text are in order, and a missing text has none', () => {
  const { fields, length } = indexedWords(['B a b', null, ''], [1, 1, 1])
  assert.deepEqual(fields, [['b', 'a', 'b'], [], []])
  assert.equal(length, 3)
})

test('the number of words counts those of a weighty text several times', () => {
  assert.equal(indexedWords(['a b', 'c'], [3, 1]).length, 7)
})

test('a word that counts once has no mark', () => {
  assert.deepEqual(indexedWords(['a b', 'c'], [1, 1]).marks, [])
})

test('a mark says how much a word counts in all texts together, rounded down', () => {
  assert.deepEqual(indexedWords(['storm', 'storm flood storm'], [3, 1]).marks, ['storm~4'])
  assert.deepEqual(indexedWords(['a a a a a', 'b'], [1, 3]).marks, ['a~4', 'b~3'])
  assert.deepEqual(indexedWords(['c++ 1.5 c++ 1.5'], [1]).marks, ['c++~2', '1.5~2'])
})

test('an amount is the highest step that is not above it', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 8, 9, 13, 14, 1_000].map(amountOf), [1, 2, 3, 4, 4, 6, 6, 9, 9, 14, 14])
  assert.deepEqual(
    [...markedAmounts],
    amounts.filter((amount) => amount > 1),
  )
})

test('a mark is not a word', () => {
  assert.equal(markOf('storm', 3), 'storm~3')
  assert.deepEqual(indexedWords(['storm~3'], [1]).fields, [['storm', '3']])
})

test('words beyond the limit of bytes are left out, of all texts', () => {
  const word = 'ж'.repeat(50)
  const whole = Array.from({ length: mostBytes / 100 }, () => word).join(' ')
  assert.deepEqual(
    indexedWords([whole], [1]).fields.map((words) => words.length),
    [mostBytes / 100],
  )
  const { fields, marks, length } = indexedWords(['a', `${whole} b c`, 'd'], [3, 1, 1])
  assert.deepEqual(
    fields.map((words) => words.length),
    [1, mostBytes / 100 - 1, 0],
  )
  assert.deepEqual(marks, ['a~3', `${word}~14`])
  assert.equal(length, 3 + mostBytes / 100 - 1)
})
