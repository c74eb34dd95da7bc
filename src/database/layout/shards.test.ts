import assert from 'node:assert/strict'
import { test } from 'node:test'
import { author, book, reviewLexicons, reviewReferences } from '../../../test/support/records/reviews.ts'
import { understand } from '../../../test/support/records/understand.ts'
import { countsSmall, smallCollections } from './shards.ts'

test('small collections have a tenth of all records at most, and no more than one node reads at once', () => {
  const small = (...counts: readonly number[]) => [
    ...smallCollections(new Map(counts.map((n, at) => [String(at), n]))),
  ]
  assert.deepEqual(small(), [])
  assert.deepEqual(small(0, 100), [])
  assert.deepEqual(small(10, 90), ['0'])
  assert.deepEqual(small(11, 89), [])
  assert.deepEqual(small(1_000_000, 20_000, 20_001), ['1'])
})

test('counts of references lie as the collections do that these may lead to', () => {
  const { tables } = understand(reviewLexicons, reviewReferences)
  const copied = (...small: readonly string[]) =>
    tables.flatMap((table) =>
      table.counts
        .filter((counts) => counts.kind === 'reference' && countsSmall(table, counts, new Set(small)))
        .map(({ name }) => name.replace('org.example.', '')),
    )
  assert.deepEqual(copied(), [])
  // It is not declared where `any` leads to.
  const anywhere = 'book/.any:base:count'
  assert.deepEqual(copied(book).toSorted(), [
    'author/.book:base:count',
    anywhere,
    'book/.prior:base:count',
    'review/.book:base:count',
  ])
  assert.deepEqual(copied(author).toSorted(), [
    'author/.mentor:base:count',
    anywhere,
    'book/.author:base:count',
    'book/.either:base:count',
    'review/.by:base:count',
  ])
})
