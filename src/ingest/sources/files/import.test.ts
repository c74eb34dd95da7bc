import assert from 'node:assert/strict'
import buffer from 'node:buffer'
import { syncBuiltinESMExports } from 'node:module'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { collection, noteLexicon, noteReader, tid } from '../../../../test/network/follow.ts'
import { openTestStore, type TestStore } from '../../../../test/support/store/store.ts'
import { exportLines } from '../../../cli/commands/records/export.ts'
import { retryRejections } from '../../retry.ts'
import { createBlockReader } from './block-reader.ts'
import { importRecords, type ImportResult } from './import.ts'
import { type LineInput, maxLineBytes, readBlocks } from './lines.ts'

const reading = noteReader()

test('bytes are checked for a block of lines at once, and for each line only if some are wrong', (t) => {
  const check = t.mock.method(buffer, 'isUtf8')
  syncBuiltinESMExports()
  try {
    const read = createBlockReader(reading)
    const checks = (bytes: Buffer): number => {
      check.mock.resetCalls()
      read({ bytes: new Uint8Array(bytes), source: 'test', firstLine: 1 })
      return check.mock.callCount()
    }
    const lines = Buffer.from([1, 2, 3].map((n) => note(n)).join('\n'))
    assert.equal(checks(lines), 1)
    assert.equal(checks(Buffer.concat([lines, Buffer.from('\n\xff', 'latin1')])), 5)
  } finally {
    check.mock.restore()
    syncBuiltinESMExports()
  }
})

test('records are stored, and what is not a record is counted by reason and kept', async () => {
  await using store = await openMemory()
  const lines = [
    note(1),
    '',
    '{"uri":',
    note(2).replace('"A text"', '7'),
    note(3).replace(collection, 'org.example.other'),
    note(4).replace('did:plc:', 'handle.'),
    note(5),
  ]
  const result = await importText(store, lines.join('\n'))
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
  const kept = await store.rows('select source, reason from rejection order by source')
  assert.deepEqual(
    kept.map(({ source, reason }) => [source, reason]),
    [
      ['test.jsonl:3', 'malformed'],
      ['test.jsonl:4', 'invalid-record'],
      ['test.jsonl:5', 'unknown-collection'],
      ['test.jsonl:6', 'bad-uri'],
    ],
  )
})

test('importing the same lines twice changes nothing', async () => {
  await using store = await openMemory()
  const text = `${note(1)}\n${note(2)}\nno json\n`
  await importText(store, text)
  const before = await exportText(store)
  const again = await importText(store, text)
  assert.deepEqual([again.stored, again.updated, again.unchanged], [0, 0, 2])
  assert.equal(await exportText(store), before)
})

test('progress counts the bytes of all inputs', async () => {
  await using store = await openMemory()
  const lines = [1, 2, 3].map((number) => Buffer.from(note(number)))
  const seen: number[] = []
  await importRecords(
    store.database.write,
    lines.map((bytes) => inputOf(bytes, null)),
    {
      ...reading,
      workers: 1,
      onProgress: ({ consumed }) => seen.push(consumed),
    },
  )
  const [{ length }] = lines as [Buffer]
  assert.deepEqual(seen, [length, 2 * length, 3 * length])
})

test('byte order marks, CRLF, blank lines and a missing last newline are tolerated', async () => {
  await using store = await openMemory()
  const result = await importText(store, `\uFEFF${note(1)}\r\n\r\n  \r\n\uFEFF${note(2)}`)
  assert.deepEqual([result.read, result.stored], [2, 2])
})

test('lines that are not UTF-8 or over two megabytes are refused, and their neighbours are not', async () => {
  await using store = await openMemory()
  const lines = [note(1), note(2, 'caf?'), note(3, 'café'), note(4, 'x'.repeat(2_100_000)), note(5)]
  const bytes = Buffer.from(lines.join('\n'))
  bytes[bytes.indexOf('?')] = 0xe9
  const result = await importBytes(store, bytes)
  assert.deepEqual([result.stored, result.refused], [3, { malformed: 1, 'too-large': 1 }])
  assert.deepEqual(await store.column('select cut from rejection order by reason'), [0, 1])
  assert.match(await exportText(store), /café/)
})

test('of two lines for one record the later wins, across blocks and threads', async () => {
  await using store = await openMemory()
  const filler = Array.from({ length: 3000 }, (_, index) => note(100 + index))
  const lines = [note(1, 'first'), ...filler, note(1, 'second'), ...filler, note(1, 'third')]
  await importBytes(store, gzipSync(lines.join('\n')), { workers: 3 })
  const exported = await exportText(store)
  assert.match(exported, /third/)
  assert.doesNotMatch(exported, /first|second/)
})

test('a damaged input ends the import and says how far it came', async () => {
  await using store = await openMemory()
  const packed = gzipSync(Array.from({ length: 500 }, (_, index) => note(index)).join('\n'))
  await assert.rejects(importBytes(store, packed.subarray(0, packed.length / 2)), {
    name: 'InputError',
    message: /^test\.jsonl ends in the middle of its gzip data: .* \d+ records were read before that\.$/,
  })
  const after = await importBytes(store, packed)
  assert.equal(after.stored, 500)
})

test('a line with a revision from the future is refused, and stored by a retry when it no longer is one', async () => {
  await using store = await openMemory()
  const rev = tid((Date.now() + 600_000) * 1_000)
  const line = (number: number) => Buffer.from(JSON.stringify({ ...JSON.parse(note(number)), rev }))
  const imported = await importBytes(store, line(1))
  assert.deepEqual([imported.stored, imported.refused], [0, { 'future-revision': 1 }])
  assert.equal((await retryRejections(store.database, reading)).stored, 0)
  // By a clock that is ten minutes later.
  assert.equal((await retryRejections(store.database, { ...reading, maxClockSkew: 900 })).stored, 1)
  assert.equal((await importBytes(store, line(2), { maxClockSkew: 900 })).stored, 1)
})

function openMemory(): Promise<TestStore> {
  return openTestStore({ path: 'sqlite::memory:', lexicons: [noteLexicon] })
}

function importText(store: TestStore, text: string): Promise<ImportResult> {
  return importBytes(store, Buffer.from(text))
}

function importBytes({ database }: TestStore, bytes: Uint8Array, given: object = {}): Promise<ImportResult> {
  return importRecords(database.write, [inputOf(bytes, bytes.length)], { ...reading, workers: 1, ...given })
}

function inputOf(bytes: Uint8Array, size: number | null): LineInput {
  return { name: 'test.jsonl', size, open: () => Readable.from([bytes]) }
}

async function exportText({ database }: TestStore): Promise<string> {
  return (await Array.fromAsync(exportLines(database.read, reading.tables))).join('')
}

function note(number: number, text = 'A text'): string {
  const uri = `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${collection}/${tid(1_790_000_000_000_000 + number)}`
  return JSON.stringify({ uri, indexedAt: '2026-11-16T12:00:00Z', value: { $type: collection, text } })
}

test('blocks end where lines end, and nothing is lost between them', async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `${index} ${'é'.repeat(index % 60)}`)
  const blocks = await collect(input(Buffer.from(lines.join('\n')), 4_099))
  assert.ok(blocks.length > 2)
  assert.ok(blocks.slice(0, -1).every((block) => block.endsWith('\n')))
  assert.equal(blocks.join(''), lines.join('\n'))
  // Chunks that begin with the end of a line and have no other.
  const text = 'x'.repeat(100_000) + `\n${'y'.repeat(99_999)}`.repeat(30)
  const others = await collect(input(Buffer.from(text), 100_000))
  assert.ok(others.length > 2)
  assert.equal(others.join(''), text)
})

test('blocks know the number of their first line and how much was read', async () => {
  const text = 'line of text\n'.repeat(100_000)
  const blocks = await Array.fromAsync(readBlocks(input(Buffer.from(text), 100_000)))
  const lines = blocks.map(({ bytes }) => Buffer.from(bytes).toString().split('\n').length - 1)
  assert.deepEqual(
    blocks.map(({ firstLine }) => firstLine),
    lines.map((_, index) => 1 + lines.slice(0, index).reduce((sum, count) => sum + count, 0)),
  )
  assert.equal(blocks.at(-1)?.consumed, text.length)
})

test('gzip is recognised by its first bytes, and several members are one text', async () => {
  const packed = Buffer.concat([gzipSync('one\ntwo'), gzipSync('\nthree\n')])
  assert.deepEqual(await collect(input(packed, 1)), ['one\ntwo\nthree\n'])
})

test('an empty input has no block', async () => {
  assert.deepEqual(await collect(input(Buffer.from(''), 1)), [])
  assert.deepEqual(await collect(input(gzipSync(''), 1)), [])
})

test('a line that is too long keeps one byte more than allowed, and the next line is whole', async () => {
  const long = 'x'.repeat(2 * maxLineBytes)
  const blocks = await collect(input(Buffer.from(`before\n${long}\nafter\n${long}`), 65_536))
  const kept = blocks.join('').split('\n')
  assert.deepEqual([kept[0], kept[2], kept.length], ['before', 'after', 4])
  assert.ok(kept[1] !== undefined && kept[1].length > maxLineBytes && kept[1].length < maxLineBytes + 65_536)
  assert.equal(kept[3]?.length, maxLineBytes + 1)
})

test('gzip that is cut, damaged or followed by something else is an error that names the file', async () => {
  const packed = gzipSync('text '.repeat(1000))
  const damaged = Buffer.from(packed)
  damaged[damaged.length - 6] = 1 ^ (damaged[damaged.length - 6] ?? 0)
  for (const [bytes, how] of [
    [packed.subarray(0, -9), 'ends in the middle of its gzip data'],
    [damaged, 'is damaged gzip data'],
    [Buffer.concat([gzipSync('a\n'), Buffer.from('{"plain": true}\n')]), 'is damaged gzip data'],
  ] as const) {
    const message = `test.jsonl ${how}: copy or compress it again.`
    await assert.rejects(collect(input(bytes, 1000)), { name: 'InputError', message })
  }
})

test('a JSON array or an object over many lines is refused as a whole, with how to turn it into lines', async () => {
  const message =
    "test.jsonl has a JSON array, but records are read one per line. Convert it with `jq -c '.[]'`."
  for (const text of [
    '[{"uri": "a"}]',
    ' \n\t[\n{"uri": "a"},\n{}]\n',
    '\ufeff[]',
    `[${'1,'.repeat(300_000)}1]`,
  ]) {
    await assert.rejects(collect(input(Buffer.from(text), 65_536)), { name: 'InputError', message }, text)
    await assert.rejects(collect(input(gzipSync(text), 65_536)), { name: 'InputError', message }, text)
  }
  const object = message.replace('array', 'object over many lines').replace("'.[]'", '.')
  for (const text of [
    '{\n  "uri": "a"\n}',
    '\ufeff{ \r\n"uri": "a"}',
    '{"value": {\n "a": 1}}',
    '{"uri": "a",\n "b": 1}',
  ])
    await assert.rejects(
      collect(input(Buffer.from(text), 65_536)),
      { name: 'InputError', message: object },
      text,
    )
  // Of many lines one that is broken is refused by itself.
  for (const text of ['{\n{"uri": "a"}\n', '{"uri": "a"}\n"b"\n'])
    assert.deepEqual(await collect(input(Buffer.from(text), 65_536)), [text])
  assert.deepEqual(await collect(input(Buffer.from('{}\n[]\n'), 1)), ['{}\n[]\n'])
})

test('an input that fails is an error that names it', async () => {
  const failing = Readable.from(
    (async function* () {
      yield Buffer.from('one\n')
      throw new Error('the disk is gone')
    })(),
  )
  await assert.rejects(collect({ name: 'test.jsonl', size: null, open: () => failing }), {
    message: 'test.jsonl cannot be read: the disk is gone.',
  })
})

function input(bytes: Buffer, chunkSize: number): LineInput {
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, index) =>
    bytes.subarray(index * chunkSize, (index + 1) * chunkSize),
  )
  return { name: 'test.jsonl', size: null, open: () => Readable.from(chunks) }
}

async function collect(from: LineInput): Promise<string[]> {
  const blocks = await Array.fromAsync(readBlocks(from))
  return blocks.map((block) => Buffer.from(block.bytes).toString())
}
