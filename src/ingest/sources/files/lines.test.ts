import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type LineInput, maxLineBytes, readBlocks } from './lines.ts'

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
