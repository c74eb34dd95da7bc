import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { WordIndex } from '../../layout/tables.ts'
import { estimateRecords } from './word-statistics.ts'

const index = { name: 'words' } as WordIndex

function estimateIn(database: DatabaseSync, word: string, isPrefix: boolean): number | null {
  return estimateRecords(index, word, isPrefix, (text, values) =>
    Number(Object.values(database.prepare(text).get(...values) ?? {})[0]),
  )
}

test('the pages of a word index tell roughly how many records have a word or a prefix', () => {
  using database = new DatabaseSync(':memory:')
  database.exec(`create virtual table words using fts5(f0, content='', tokenize="ascii")`)
  const insert = database.prepare('insert into words (rowid, f0) values (?, ?)')
  // Several segments, as after several writes.
  for (let round = 0; round < 3; round += 1) {
    database.exec('begin')
    for (let id = round * 10_000; id < (round + 1) * 10_000; id += 1)
      insert.run(id, ['all', id % 3 === 0 ? 'some' : '', id % 1_000 === 0 ? 'few' : '', `w${id}`].join(' '))
    database.exec('commit')
  }
  const estimate = (word: string, isPrefix = false) => estimateIn(database, word, isPrefix)
  const isAbout = (found: number | null, records: number): boolean =>
    found !== null && found > records / 3 && found < records * 3
  assert.ok(isAbout(estimate('all'), 30_000), String(estimate('all')))
  assert.ok(isAbout(estimate('some'), 10_000), String(estimate('some')))
  assert.ok(isAbout(estimate('w', true), 30_000), String(estimate('w', true)))
  assert.ok(isAbout(estimate('a', true), 30_000), String(estimate('a', true)))
  for (const word of ['few', 'w5', 'none', 'zebra', '0', '']) assert.equal(estimate(word), null, word)
})

test('an index without any entries has no pages', () => {
  using database = new DatabaseSync(':memory:')
  database.exec(`create virtual table words using fts5(f0, content='', tokenize="ascii")`)
  assert.equal(estimateIn(database, 'word', false), null)
  assert.equal(estimateIn(database, 'w', true), null)
})
