/**
 * CSV by RFC 4180: a header, CRLF, quotes where they are needed. A missing value is an empty cell, an empty text is
 * `""`. Texts that a spreadsheet would run as formulas begin with an apostrophe.
 */
import { type FileColumn, type FileSpec, type RowWriter, valueOf } from './file-spec.ts'

export function createCsvWriter({ columns, bom }: Pick<FileSpec, 'columns' | 'bom'>): RowWriter {
  const line = (cells: readonly string[]): string => `${cells.join(',')}\r\n`
  return {
    begin: () => (bom ? '\uFEFF' : '') + line(columns.map(({ name }) => quoted(name))),
    row: (row) => line(columns.map((column) => cell(valueOf(row, column.path), column))),
    end: () => '',
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
