/** What a file contains and how it is written: plain data that passes between processes. */

export const fileFormats = ['csv', 'ndjson', 'parquet'] as const
export type FileFormat = (typeof fileFormats)[number]

export const mediaTypes: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
}

/** `json`: arrays, and values of unknown shape. `instant`: RFC 3339 as the record has it. */
export type ColumnType = 'text' | 'integer' | 'float' | 'boolean' | 'instant' | 'json'

export interface FileColumn {
  readonly name: string
  readonly type: ColumnType
  /** Members and places in lists from the row's JSON object down to the value, which is missing if one of them is. */
  readonly path: readonly (string | number)[]
}

/** The format of a file and its options; its rows do not matter here. */
export interface FileForm {
  readonly format: FileFormat
  /** Whether a CSV file begins with a byte order mark. */
  readonly bom: boolean
  readonly gzip: boolean
  /** What the file is called, without its ending; absent for the name of its collection. */
  readonly name?: string
}

export interface FileSpec extends FileForm {
  readonly columns: readonly FileColumn[]
  /** The query, for the metadata of a Parquet file. */
  readonly query: string
}

export type Row = Readonly<Record<string, unknown>>

/** Writes rows in one format. Each function returns the bytes, or text, that are complete by then; empty if none. */
export interface RowWriter {
  begin?(): string | Uint8Array
  row(row: Row): string | Uint8Array
  end?(): string | Uint8Array
}
