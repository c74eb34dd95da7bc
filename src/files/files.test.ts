/** Files read back as the rows that were written, by readers of their own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { rounds, seed } from '../../test/support/rounds.ts'
import { type ColumnType, type FileSpec, fileFormats, type Row } from './file-spec.ts'
import { writeFile } from './write-file.ts'

const types: readonly ColumnType[] = ['text', 'integer', 'float', 'boolean', 'instant', 'json']
const signs = ['=', '+', '-', '@', ';', '\t', '\r', '\n', '＝', '＋', '－', '＠']
const text = fc.oneof(
  fc.constantFrom('a\r\nb', ' a', 'a ', ...' -2+3 -1.2.3 " a,b -1 -4.50 1e5 007 \' null \uFEFF'.split(' ')),
  fc
    .tuple(fc.constantFrom('', "'", "''"), fc.constantFrom(...signs), fc.string({ maxLength: 3 }))
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 10 }).map((each) => each.toWellFormed()),
)
const values: Readonly<Record<ColumnType, fc.Arbitrary<unknown>>> = {
  text,
  integer: fc.oneof(
    fc.maxSafeInteger(),
    fc.constantFrom(0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
  ),
  float: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((each) => !Object.is(each, -0)),
  boolean: fc.boolean(),
  instant: fc.constantFrom('2026-11-01T00:00:00Z', '2026-11-01T00:00:00.000001+01:00'),
  json: fc.oneof(
    fc.array(text, { maxLength: 3 }),
    fc.dictionary(text, text, { maxKeys: 2, noNullPrototype: true }),
    text,
  ),
}
const row = fc.record(Object.fromEntries(types.map((type) => [type, fc.option(values[type])])))

/** A value below another, with the name of a column that needs quotes. */
function specOf(format: FileSpec['format'], more: Partial<FileSpec> = {}): FileSpec {
  const columns = types.map((type) => ({ name: `a "${type}"`, type, path: ['value', type] }))
  return { format, columns, bom: false, gzip: false, query: '', ...more }
}

async function written(spec: FileSpec, rows: readonly Row[]): Promise<Buffer> {
  let counted = -1
  const lines = rows.map((each) => JSON.stringify({ value: each }))
  // In two batches, as from a database.
  const batches = [lines.slice(0, 1), lines.slice(1)]
  const bytes = Buffer.concat(await Array.fromAsync(writeFile(spec, batches, (count) => (counted = count))))
  assert.equal(counted, rows.length)
  return bytes
}

/** Cells by RFC 4180; null for one that is empty and not quoted. */
function readCsv(csv: string): readonly (readonly (string | null)[])[] {
  const lines: (string | null)[][] = [[]]
  let rest = csv
  while (rest !== '') {
    const [whole, quoted, plain = '', end = ''] =
      /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest) ?? assert.fail(rest)
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? (plain === '' ? null : plain))
    rest = rest.slice(whole.length)
    if (end !== ',' && rest !== '') lines.push([])
  }
  return lines
}

/** What is written for a value: a text that a spreadsheet would run has an apostrophe before it, and no other. */
function assertCell(cell: string | null, value: unknown, type: ColumnType): void {
  if (value === null) return assert.equal(cell, null)
  if (type === 'json') return assert.deepEqual(JSON.parse(cell ?? ''), value)
  if (type !== 'text') return assert.equal(cell, String(value))
  const isNumber = /^-?\d+(\.\d+)?$/.test(String(value))
  const isFormula = signs.includes(String(value).replace(/^'+/, '')[0] ?? '') && !isNumber
  assert.equal(cell, isFormula ? `'${String(value)}` : value)
}

test('rows of CSV and of lines of JSON read back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 5 }), async (rows) => {
      const [head, ...cells] = readCsv((await written(specOf('csv'), rows)).toString())
      const names = specOf('csv').columns.map(({ name }) => name)
      assert.deepEqual([head, cells.length], [names, rows.length])
      for (const [at, each] of rows.entries())
        for (const [column, type] of types.entries())
          assertCell(cells[at]?.[column] ?? null, each[type], type)
      const lines = (await written(specOf('ndjson'), rows)).toString().split('\n')
      assert.equal(lines.pop(), '')
      const found = lines.map((line) => Object.entries(JSON.parse(line)))
      const wanted = rows.map((each) => types.map((type, at) => [names[at], each[type]]))
      assert.deepEqual(found, wanted)
    }),
    { numRuns: rounds(50), seed },
  )
})

test('a file begins with a byte order mark, or is compressed, where that is wanted', async () => {
  const rows = Array.from({ length: 5_000 }, (_, at) => ({ integer: at, text: 'x'.repeat(30) }))
  const plain = await written(specOf('csv'), rows)
  assert.equal((await written(specOf('csv', { bom: true }), [])).toString()[0], '\uFEFF')
  assert.notEqual(plain.toString()[0], '\uFEFF')
  assert.equal(readCsv(plain.toString()).length, rows.length + 1)
  assert.deepEqual(gunzipSync(await written(specOf('csv', { gzip: true }), rows)), plain)
})

test('a value below one that is missing is missing in every format', async () => {
  for (const format of fileFormats) await written(specOf(format), [{}])
  assert.equal((await written(specOf('csv'), [{}])).toString().split('\r\n')[1], ',,,,,')
})
