import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WordIndex } from '../../database/layout/tables.ts'
import type { WordMatch } from '../../sql/dialect.ts'
import { absent, type Condition } from '../plan/conditions.ts'
import { estimateWords, joinWords } from './match-words.ts'

const index = { name: 'words' } as WordIndex
const term = (text: string, prefix = false): WordMatch => ({
  kind: 'term',
  words: text.split(' '),
  prefix,
  fields: null,
})
const words = (match: WordMatch): Condition => ({ kind: 'words', index, match, lookup: 'set' })

test('conditions on words that must all hold become one query, with what they exclude', () => {
  const other = absent(['a'], true, true)
  const all: WordMatch = { kind: 'all', of: [term('b'), term('c')], except: [term('d')] }
  const where: Condition = {
    kind: 'all',
    of: [other, words(term('a')), words(all), { kind: 'not', of: words(term('e')) }],
  }
  const of = [term('a'), term('b'), term('c')]
  const joined: WordMatch = { kind: 'all', of, except: [term('d'), term('e')] }
  assert.deepEqual(joinWords(where), { kind: 'all', of: [words(joined), other] })
})

test('one condition on words stays as it is, and so does an exclusion alone', () => {
  for (const where of [words(term('a')), { kind: 'not', of: words(term('a')) } as const])
    assert.equal(joinWords(where), where)
})

test('alternatives and words of other indexes are not joined', () => {
  const apart: Condition = { kind: 'words', index: { ...index }, match: term('b'), lookup: 'set' }
  const where: Condition = {
    kind: 'all',
    of: [words(term('a')), apart, { kind: 'any', of: [words(term('c')), apart] }],
  }
  assert.equal(joinWords(where), where)
})

test('words together are estimated between independence and the rarest', () => {
  const counts: Readonly<Record<string, number>> = { a: 100_000, b: 10_000 }
  const records = (word: string): number | null => counts[word] ?? null
  const estimate = (match: WordMatch) => estimateWords(match, 1_000_000, records)
  assert.equal(estimate(term('a')), 100_000)
  const both = estimate({ kind: 'all', of: [term('a'), term('b')], except: [] }) ?? 0
  assert.ok(both > 1_000 && both < 10_000)
  assert.equal(estimate(term('b a')), both)
  assert.equal(estimate({ kind: 'any', of: [term('a'), term('b')] }), 110_000)
  assert.equal(estimate({ kind: 'any', of: [term('rare'), term('b')] }), 10_000)
  assert.equal(estimate({ kind: 'all', of: [term('a'), term('rare')], except: [] }), null)
})

test('only the last word of a phrase may be a prefix', () => {
  const counts = (word: string, isPrefix: boolean) => (isPrefix ? 50_000 : word === 'a' ? 100 : null)
  const estimate = estimateWords(term('a b', true), 1_000_000, counts) ?? 0
  assert.ok(estimate > 0 && estimate < 100, String(estimate))
})
