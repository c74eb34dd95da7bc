import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { openNotes } from '../../../test/support/notes.ts'
import type { Table } from '../tables.ts'
import { createTextIndexes, createUnsetTextIndexes, optimizeText, padding, refreshCounts } from './ddl.ts'
import { TrigramIndex } from './trigram-index.ts'

type Text = readonly [row: number, text: string]

const notes = await openNotes(':memory:')
after(() => notes[Symbol.asyncDispose]())
const table = notes.tables.find(({ texts }) => texts.length > 0) as Table
const name = table.texts[0]?.name ?? ''

test('an index of random texts is what the engine makes of them, to the last byte', () => {
  for (const size of [1, 7, 400]) {
    const texts = Array.from({ length: size }, (_, at): Text => [at * 3 + 1, randomText(at)])
    assert.deepEqual(built(texts), engines(texts))
  }
})

test('so is one with lists over so many pages that the engine keeps lists of these, and lists of those', () => {
  const texts = Array.from(
    { length: 90_000 },
    (_, at): Text => [(at + 1) * 20_000, at % 7 === 0 ? 'aaab' : 'aaa'],
  )
  const index = built(texts)
  assert.deepEqual(index, engines(texts))
  const heights = index.pages.map(([id]) => (id >> 31n) & 31n)
  assert.ok(heights.includes(1n), 'a list of lists of pages')
})

test('an index that memory was too small for is merged by the engine', () => {
  const texts = Array.from({ length: 300 }, (_, at): Text => [at + 1, randomText(at)])
  assert.deepEqual(
    built(texts, ({ row }) => row % 100 === 0),
    engines(texts),
  )
})

test('characters that the engine passes over or replaces are no others here', () => {
  const texts = [
    '',
    'x',
    'a\0b\0c',
    '\ufffe\uffff\ufffd',
    '😀😀😀é\u0001',
    'AbCÄ',
    'x\ud800\udc00y\udfffz',
  ].map((text, at): Text => [at + 1, text])
  assert.deepEqual(built(texts), engines(texts.map(([row, text]) => [row, text.replace('AbC', 'abc')])))
})

test('nothing makes an index that is empty', () => {
  assert.deepEqual(built([]), engines([]))
})

interface Contents {
  readonly pages: readonly (readonly [id: bigint, block: string])[]
  readonly entries: unknown
  readonly counts: unknown
}

/** `isFull`: after which rows what is gathered is written. */
function built(
  texts: readonly Text[],
  isFull: (at: { readonly row: number }) => boolean = () => false,
): Contents {
  using database = new DatabaseSync(':memory:')
  database.enableDefensive(false)
  database.exec(createUnsetTextIndexes(table))
  const index = new TrigramIndex(database, name)
  for (const [row, text] of texts) {
    index.add(row, text)
    if (isFull({ row })) index.writeSegment()
  }
  index.complete()
  return contents(database)
}

function engines(texts: readonly Text[]): Contents {
  using database = new DatabaseSync(':memory:')
  database.exec(`${createTextIndexes(table)} begin`)
  const add = database.prepare(`insert into "${name}" (rowid, t) values (?, ?)`)
  for (const [row, text] of texts) add.run(row, text + padding)
  database.exec(`commit; ${optimizeText({ name })} ${refreshCounts({ name })}`)
  return contents(database)
}

/** All but the record of segments, which has the number and the level of the one there is. */
function contents(database: DatabaseSync): Contents {
  database.exec(`insert into "${name}" ("${name}") values ('integrity-check')`)
  const select = (text: string): unknown[] => {
    const statement = database.prepare(text)
    statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    return statement.all()
  }
  return {
    pages: select(
      `select id & ((1 << 37) - 1), hex(block) from "${name}_data" where id <> 10 order by id`,
    ) as Contents['pages'],
    entries: select(`select hex(term), pgno from "${name}_idx" order by pgno`),
    counts: select(`select term, records from "${name}/counts" order by term`),
  }
}

const letters = [...'aaaaabcdeßñЖ日本語한국😀', ...' e\u0301']

/** As long and as mixed as its number says. */
function randomText(seed: number): string {
  let state = seed + 1
  return Array.from({ length: (seed * 37) % 60 }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return letters[(state >> 8) % letters.length]
  }).join('')
}
