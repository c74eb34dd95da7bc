/** Writes a file piece by piece from rows of JSON text, in memory that does not grow with the rows. */
import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import { valueAt } from '../util/is-object.ts'
import type { FileColumn, FileSpec, Row, RowWriter } from './file-spec.ts'

/** Characters that are gathered before they are passed on. */
const pieceLength = 65_536

/** Higher levels take several times as long and save a tenth. */
const gzipLevel = constants.Z_BEST_SPEED

/** `onRows` receives the number of rows when all of them are written. */
export function writeFile(
  spec: FileSpec,
  batches: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  onRows: (rows: number) => void,
): AsyncIterable<Uint8Array> {
  const pieces = writePieces(spec, batches, onRows)
  if (!spec.gzip) return pieces
  // Every piece is large, so that two of them are enough of a queue.
  const zipped = createGzip({ level: gzipLevel })
  pipeline(Readable.from(pieces, { highWaterMark: 2 }), zipped, () => undefined)
  return zipped
}

async function* writePieces(
  spec: FileSpec,
  batches: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  onRows: (rows: number) => void,
): AsyncGenerator<Uint8Array> {
  const writer = await writers[spec.format](spec)
  let rows = 0
  let text = ''
  /** What leaves now: bytes, or text of at least so many characters. */
  const leaving = (written: string | Uint8Array = '', least = 1): readonly Uint8Array[] => {
    if (typeof written !== 'string') return written.length === 0 ? [] : [written]
    text += written
    if (text.length < least) return []
    const piece = Buffer.from(text)
    text = ''
    return [piece]
  }
  yield* leaving(writer.begin?.(), pieceLength)
  for await (const batch of batches) {
    rows += batch.length
    for (const json of batch)
      for (const piece of leaving(writer.row(JSON.parse(json) as Row), pieceLength)) yield piece
    // The first rows leave at once; a batch ends when the database has no more rows at hand.
    yield* leaving()
  }
  yield* leaving(writer.end?.())
  onRows(rows)
}

const writers: Readonly<Record<FileSpec['format'], (spec: FileSpec) => RowWriter | Promise<RowWriter>>> = {
  csv: createCsvWriter,
  ndjson: createNdjsonWriter,
  parquet: async (spec) => (await import('./parquet.ts')).createParquetWriter(spec),
}

/** One JSON object per line, whose members are the columns. */
function createNdjsonWriter({ columns }: Pick<FileSpec, 'columns'>): RowWriter {
  const members = columns.map(({ name, path }, index) => ({
    path,
    start: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
  }))
  return {
    row: (row) => {
      let line = ''
      for (const { path, start } of members) line += start + JSON.stringify(valueAt(row, path) ?? null)
      return `${line}}\n`
    },
  }
}

/**
 * CSV by RFC 4180: a header, CRLF, quotes where they are needed. A missing value is an empty cell, an empty text is
 * `""`. Texts that a spreadsheet would run as formulas begin with an apostrophe.
 */
function createCsvWriter({ columns, bom }: Pick<FileSpec, 'columns' | 'bom'>): RowWriter {
  const line = (cells: readonly string[]): string => `${cells.join(',')}\r\n`
  return {
    begin: () => (bom ? '\uFEFF' : '') + line(columns.map(({ name }) => quoted(name))),
    row: (row) => line(columns.map((column) => cell(valueAt(row, column.path) ?? null, column))),
  }
}

function cell(value: unknown, { type }: FileColumn): string {
  if (value === null) return ''
  if (typeof value === 'string') return quoted(type === 'json' ? JSON.stringify(value) : neutralised(value))
  return typeof value === 'object' ? quoted(JSON.stringify(value)) : String(value)
}

/**
 * What spreadsheets take for a formula, full-width signs included, or for the end of a cell
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 * A text that already begins with apostrophes before such a sign gets one more, so that removing one restores any text.
 */
const formula = /^'*[=+\-@;\t\r\n＝＋－＠]/
const number = /^-?\d+(\.\d+)?$/

/** Numbers stay as they are. */
function neutralised(text: string): string {
  return formula.test(text) && !number.test(text) ? `'${text}` : text
}

const special = /[",\r\n]|^$|^\s|\s$/

function quoted(text: string): string {
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
