/** Encodes rows as JSON text, so that one parameter can carry many rows. */
import type { ColumnValue } from '../../changes.ts'

/** The values of the members are JSON already. */
export function jsonRow(members: Iterable<readonly [name: string, json: string]>): string {
  let row = ''
  for (const [name, json] of members) row += `${row === '' ? '{' : ','}"${name}":${json}`
  return `${row}}`
}

export function jsonRows(rows: readonly string[]): string {
  return `[${rows.join(',')}]`
}

/** Integers of any size stay exact. */
export function jsonValue(value: ColumnValue): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
