/** The values of a chart as a file: CSV, lines of JSON or Parquet. */
import { type ColumnType, type FileFormat, type Row } from '../../files/file-spec.ts'
import { writeFile } from '../../files/write-file.ts'

export interface ChartTable {
  /** By the name of the column, which rows have as a member. */
  readonly columns: Readonly<Record<string, ColumnType>>
  readonly rows: readonly Row[]
}

/** `address`: of the chart, for the metadata of a Parquet file. */
export async function tableFile(
  { columns, rows }: ChartTable,
  format: FileFormat,
  address: string,
): Promise<Uint8Array> {
  const spec = {
    format,
    columns: Object.entries(columns).map(([name, type]) => ({ name, type, path: [name] })),
    bom: false,
    gzip: false,
    query: address,
  }
  const lines = rows.map((row) => JSON.stringify(row))
  return Buffer.concat(await Array.fromAsync(writeFile(spec, [lines], () => undefined)))
}
