/** Writes a file piece by piece from rows of JSON text, in memory that does not grow with the rows. */
import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import { createCsvWriter } from './csv.ts'
import type { FileSpec, Row, RowWriter } from './file-spec.ts'
import { createNdjsonWriter } from './ndjson.ts'

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
  const writer = await createWriter(spec)
  let rows = 0
  let text = ''
  const begin = writer.begin()
  if (typeof begin === 'string') text = begin
  else yield begin
  for await (const batch of batches) {
    for (const json of batch) {
      const written = writer.row(JSON.parse(json) as Row)
      rows += 1
      if (typeof written !== 'string') {
        if (written.length > 0) yield written
        continue
      }
      text += written
      if (text.length < pieceLength) continue
      yield Buffer.from(text)
      text = ''
    }
    // The first rows leave at once; a batch ends when the database has no more rows at hand.
    if (text.length > 0) yield Buffer.from(text)
    text = ''
  }
  const end = writer.end()
  if (typeof end === 'string') text += end
  if (text.length > 0) yield Buffer.from(text)
  if (typeof end !== 'string' && end.length > 0) yield end
  onRows(rows)
}

async function createWriter(spec: FileSpec): Promise<RowWriter> {
  switch (spec.format) {
    case 'csv':
      return createCsvWriter(spec)
    case 'ndjson':
      return createNdjsonWriter(spec)
    case 'parquet': {
      const { createParquetWriter } = await import('./parquet.ts')
      return createParquetWriter(spec)
    }
  }
}
