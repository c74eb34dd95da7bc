/**
 * Parquet with typed columns: integers of 64 bits, moments in UTC with microseconds, arrays as JSON text. A row group is
 * written as soon as it is full, so that memory does not grow with the rows.
 */
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { parseInstant } from '../util/instant.ts'
import { valueAt } from '../util/is-object.ts'
import type { ColumnType, FileSpec, RowWriter } from './file-spec.ts'

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

/** Maximum rows of a row group, and characters from which it is full. */
const groupRows = 10_000
const groupCharacters = 4_000_000

export function createParquetWriter({ columns, query }: Pick<FileSpec, 'columns' | 'query'>): RowWriter {
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL' as const, ...elements[type] })),
    ],
    createdBy: 'lexigraph',
  })
  let group: unknown[][] = columns.map(() => [])
  let [rows, total, characters] = [0, 0, 0]

  const take = (): Uint8Array => {
    const taken = bytes.getBytes().slice()
    bytes.index = 0
    return taken
  }
  const writeGroup = (): Uint8Array => {
    // Indexes would be kept in memory until the end.
    const columnData = columns.map(({ name }, index) => ({
      name,
      data: group[index] ?? [],
      offsetIndex: false,
    }))
    void writer.write({ columnData, rowGroupSize: groupRows })
    group = columns.map(() => [])
    total += rows
    rows = 0
    characters = 0
    return take()
  }
  return {
    begin: take,
    row(row) {
      for (const [index, { path, type }] of columns.entries()) {
        const value = stored(valueAt(row, path) ?? null, type)
        group[index]?.push(value)
        if (typeof value === 'string') characters += value.length
      }
      rows += 1
      return rows === groupRows || characters >= groupCharacters ? writeGroup() : ''
    },
    end() {
      const last = rows > 0 ? writeGroup() : new Uint8Array()
      writer.kvMetadata = [
        { key: 'lexigraph.query', value: query },
        { key: 'lexigraph.rows', value: String(total) },
      ]
      void writer.finish()
      return Buffer.concat([last, take()])
    },
  }
}

const elements = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  float: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  instant: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
} as const satisfies Record<ColumnType, Partial<SchemaElement>>

function stored(value: unknown, type: ColumnType): unknown {
  if (value === null) return null
  if (type === 'integer') return BigInt(value as number)
  if (type === 'instant') return parseInstant(String(value))
  return type === 'json' ? JSON.stringify(value) : value
}
