/** Reads files with DuckDB, which knows nothing of how they were written. */
import { DuckDBInstance } from '@duckdb/node-api'

export type Cells = Readonly<Record<string, string | null>>

/** Rows of a query whose columns are texts. */
export async function askDuckDb(query: string): Promise<readonly Cells[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(query)).getRowObjectsJson() as readonly Cells[]
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** A CSV file by RFC 4180; a quoted empty cell is an empty text, any other empty cell is missing. */
export function fromCsv(file: string, columns: readonly string[]): string {
  const types = columns.map((name) => `'${name}': 'VARCHAR'`).join(', ')
  return `read_csv('${file}', auto_detect = false, delim = ',', quote = '"', escape = '"', header = true,
    columns = {${types}}, nullstr = '', allow_quoted_nulls = false, strict_mode = true, parallel = false)`
}

export function fromParquet(file: string): string {
  return `read_parquet('${file}')`
}

/** As readers take back what was done to formulas. */
function plain(cell: string | null): string | null {
  return cell !== null && /^'+[=+\-@;\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell
}

export function withPlainCells(row: Cells): Cells {
  return Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, plain(cell)]))
}
