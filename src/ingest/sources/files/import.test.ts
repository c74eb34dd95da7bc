import assert from 'node:assert/strict'
import buffer from 'node:buffer'
import { syncBuiltinESMExports } from 'node:module'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Database } from '../../../database/database.ts'
import { openDatabase } from '../../../database/open.ts'
import { buildTables, type Table } from '../../../database/layout/tables.ts'
import { loadLexicons } from '../../../lexicon/load.ts'
import type { LexiconSet } from '../../../lexicon/lexicon-set.ts'
import { buildModel } from '../../../schema/model/build-model.ts'
import { exportLines } from '../../export.ts'
import { tid } from '../../../../test/network/follow.ts'
import { createBlockReader } from './block-reader.ts'
import { importRecords, type ImportResult } from './import.ts'
import type { LineInput } from './lines.ts'

const { lexicons, tables } = await loadNews()

test('bytes are checked for a block of lines at once, and for each line only if some are wrong', (t) => {
  const check = t.mock.method(buffer, 'isUtf8')
  syncBuiltinESMExports()
  try {
    const read = createBlockReader({ lexicons, tables })
    const checks = (bytes: Buffer): number => {
      check.mock.resetCalls()
      read({ bytes: new Uint8Array(bytes), source: 'test', firstLine: 1 })
      return check.mock.callCount()
    }
    const lines = Buffer.from([1, 2, 3].map((n) => article(n)).join('\n'))
    assert.equal(checks(lines), 1)
    assert.equal(checks(Buffer.concat([lines, Buffer.from('\n\xff', 'latin1')])), 5)
  } finally {
    check.mock.restore()
    syncBuiltinESMExports()
  }
})

test('records are stored, and what is not a record is counted by reason and kept', async () => {
  await using database = await openMemory()
  const lines = [
    article(1),
    '',
    '{"uri":',
    article(2).replace('"title"', '"titel"'),
    article(3).replace('tech.service.news.article', 'org.example.other'),
    article(4).replace('did:plc:', 'handle.'),
    article(5),
  ]
  const result = await importText(database, lines.join('\n'))
  assert.deepEqual(result, {
    read: 6,
    stored: 2,
    updated: 0,
    unchanged: 0,
    older: 0,
    withheld: 0,
    purged: 0,
    expired: 0,
    refused: { malformed: 1, 'invalid-record': 1, 'unknown-collection': 1, 'bad-uri': 1 },
  })
  const kept = database.read.readRows({
    text: 'select source, reason from rejection order by source',
    values: [],
  })
  assert.deepEqual(await Array.fromAsync(kept, (row) => [row.source, row.reason]), [
    ['test.jsonl:3', 'malformed'],
    ['test.jsonl:4', 'invalid-record'],
    ['test.jsonl:5', 'unknown-collection'],
    ['test.jsonl:6', 'bad-uri'],
  ])
})

test('importing the same lines twice changes nothing', async () => {
  await using database = await openMemory()
  const text = `${article(1)}\n${article(2)}\nno json\n`
  await importText(database, text)
  const before = await exportText(database)
  const again = await importText(database, text)
  assert.deepEqual([again.stored, again.updated, again.unchanged], [0, 0, 2])
  assert.equal(await exportText(database), before)
})

test('progress counts the bytes of all inputs', async () => {
  await using database = await openMemory()
  const lines = [1, 2, 3].map((number) => Buffer.from(article(number)))
  const seen: number[] = []
  await importRecords(
    database.write,
    lines.map((bytes) => inputOf(bytes, null)),
    {
      lexicons,
      tables,
      workers: 1,
      onProgress: ({ consumed }) => seen.push(consumed),
    },
  )
  const [{ length }] = lines as [Buffer]
  assert.deepEqual(seen, [length, 2 * length, 3 * length])
})

test('byte order marks, CRLF, blank lines and a missing last newline are tolerated', async () => {
  await using database = await openMemory()
  const result = await importText(database, `\uFEFF${article(1)}\r\n\r\n  \r\n\uFEFF${article(2)}`)
  assert.deepEqual([result.read, result.stored], [2, 2])
})

test('a line that is not UTF-8 is refused, and its neighbours are not', async () => {
  await using database = await openMemory()
  const bytes = Buffer.from([article(1), article(2, 'caf?'), article(3, 'café')].join('\n'))
  bytes[bytes.indexOf('?')] = 0xe9
  const result = await importBytes(database, bytes)
  assert.deepEqual([result.stored, result.refused], [2, { malformed: 1 }])
  assert.match(await exportText(database), /café/)
})

test('a line over two megabytes is refused as too large', async () => {
  await using database = await openMemory()
  const result = await importText(
    database,
    [article(1), article(2, 'x'.repeat(2_100_000)), article(3)].join('\n'),
  )
  assert.deepEqual([result.stored, result.refused], [2, { 'too-large': 1 }])
})

test('of two lines for one record the later wins, across blocks and threads', async () => {
  await using database = await openMemory()
  const filler = Array.from({ length: 3000 }, (_, index) => article(100 + index))
  const lines = [article(1, 'first'), ...filler, article(1, 'second'), ...filler, article(1, 'third')]
  await importBytes(database, gzipSync(lines.join('\n')), 3)
  const exported = await exportText(database)
  assert.match(exported, /third/)
  assert.doesNotMatch(exported, /first|second/)
})

test('a damaged input ends the import and says how far it came', async () => {
  await using database = await openMemory()
  const packed = gzipSync(Array.from({ length: 500 }, (_, index) => article(index)).join('\n'))
  await assert.rejects(importBytes(database, packed.subarray(0, packed.length / 2)), {
    name: 'InputError',
    message: /^test\.jsonl ends in the middle of its gzip data: .* \d+ records were read before that\.$/,
  })
  const after = await importBytes(database, packed)
  assert.equal(after.stored, 500)
})

async function loadNews(): Promise<{ lexicons: LexiconSet; tables: readonly Table[] }> {
  const result = await loadLexicons(fileURLToPath(new URL('../../../../lexicons', import.meta.url)))
  assert.ok(result.ok)
  return { lexicons: result.lexicons, tables: buildTables(buildModel(result.lexicons)) }
}

function openMemory(): Promise<Database> {
  const { fingerprint } = lexicons
  return openDatabase('sqlite::memory:', {
    tables,
    fingerprint,
    check: () => null,
    now: () => 1_800_000_000_000_000n,
  })
}

function importText(database: Database, text: string): Promise<ImportResult> {
  return importBytes(database, Buffer.from(text))
}

function importBytes(database: Database, bytes: Uint8Array, workers = 1): Promise<ImportResult> {
  return importRecords(database.write, [inputOf(bytes, bytes.length)], { lexicons, tables, workers })
}

function inputOf(bytes: Uint8Array, size: number | null): LineInput {
  return { name: 'test.jsonl', size, open: () => Readable.from([bytes]) }
}

async function exportText(database: Database): Promise<string> {
  return (await Array.fromAsync(exportLines(database.read, tables))).join('')
}

function article(number: number, title = 'A title'): string {
  const rkey = tid(1_790_000_000_000_000 + number)
  const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
  return JSON.stringify({
    uri: `at://${did}/tech.service.news.article/${rkey}`,
    indexedAt: '2026-11-16T12:00:00Z',
    value: {
      $type: 'tech.service.news.article',
      title,
      url: `https://example.org/${rkey}`,
      source: {
        uri: `at://${did}/tech.service.news.source/example.org`,
        cid: 'bafyreibbxbsayjys2kzfs6csddmgyc5ihlx63qkqchqctktywhwqhjlbr4',
      },
      createdAt: '2026-11-16T12:00:00Z',
    },
  })
}
