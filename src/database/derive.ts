/** A record's derived values, in the order of its table's stored columns and array indexes. Pure, so that workers can do it. */
import { foldText } from '../util/text/fold.ts'
import { parseRecordInstant } from '../util/instant.ts'
import type { ColumnValue } from './database.ts'
import { type ArrayIndex, type Column, storedColumns, type Table } from './layout/tables.ts'
import { isObject } from '../util/is-object.ts'

export interface DerivedRow {
  readonly columns: readonly ColumnValue[]
  readonly arrays: readonly (readonly (readonly ColumnValue[])[])[]
}

/** Every record needs them, so that each table's are listed once. */
const storedOf = new WeakMap<Table, readonly Column[]>()

function stored(table: Table): readonly Column[] {
  const columns = storedOf.get(table) ?? storedColumns(table)
  storedOf.set(table, columns)
  return columns
}

/** Values of a shape the lexicon does not allow count as missing; `refBase` is the base as text. */
export function deriveRow(table: Table, value: object): DerivedRow {
  return {
    columns: stored(table).map(({ kind, path }) => {
      const found = columnValue(kind, valueAt(value, path))
      return kind === 'text' && isTooLong(found) ? null : found
    }),
    arrays: table.arrays.map((array) => elements(array, value)),
  }
}

/**
 * Bytes that an index of every engine takes beside what else is in it. A longer value is none of a list, and a longer
 * URI is that of no record: either is kept in the record, but nothing is found by it.
 */
const longestCategory = 1000
const longestRepoCollection = 2400
const longestKey = 1000

function isTooLong(text: ColumnValue): boolean {
  return typeof text === 'string' && Buffer.byteLength(text) > longestCategory
}

/** A URI cut after its last slash, so that records of one collection and repository share the first part. */
export function splitUri(uri: string): readonly [base: string, key: string] {
  const end = uri.lastIndexOf('/') + 1
  return [uri.slice(0, end), uri.slice(end)]
}

/** Null when the text is long and ASCII lower case is the whole of folding, which saves storing most long Latin text twice. */
export function foldedOrNull(text: string): string | null {
  const isShort = text.length <= longestTwice
  if (!isShort && !notAscii.test(text)) return null
  const folded = foldText(text)
  return !isShort && isAsciiLower(folded, text) ? null : folded
}

/** Characters of a text that is folded once, when it is stored, and not each time it is looked through. */
const longestTwice = 1000

const notAscii = /[^\0-\x7f]/

/** Whether one text is the other with its ASCII letters in lower case. */
function isAsciiLower(lower: string, text: string): boolean {
  if (lower.length !== text.length) return false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isUpper = code >= 0x41 && code <= 0x5a
    if (lower.charCodeAt(at) !== (isUpper ? code + 0x20 : code)) return false
  }
  return true
}

function columnValue(kind: Column['kind'], value: unknown): ColumnValue {
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? value : null
    case 'folded':
      return typeof value === 'string' ? foldedOrNull(value) : null
    case 'integer':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? Number(value) : null
    case 'instant':
      return typeof value === 'string' ? parseRecordInstant(value) : null
    case 'refBase':
      return referenceOf(value)?.[0] ?? null
    case 'refKey':
      return referenceOf(value)?.[1] ?? null
  }
}

function referenceOf(value: unknown): readonly [string, string] | null {
  const uri = isObject(value) ? value.uri : value
  if (typeof uri !== 'string') return null
  const [base, key] = splitUri(uri)
  return base.length > longestRepoCollection || key.length > longestKey ? null : [base, key]
}

function elements(array: ArrayIndex, value: object): readonly (readonly ColumnValue[])[] {
  const rows: (readonly ColumnValue[])[] = []
  for (const element of spread(value, array.path)) {
    const row = elementRow(array, element)
    if (row !== null) rows.push(row)
  }
  if (rows.length < 2) return rows
  return [...new Map(rows.map((row) => [row.join('\0'), row])).values()]
}

function elementRow({ kind }: ArrayIndex, element: unknown): readonly ColumnValue[] | null {
  if (kind === 'reference') return referenceOf(element)
  const value = columnValue(kind, element)
  return value === null ? null : [value]
}

/** What a record has at a path outside arrays. */
export function valueAt(value: object, path: readonly string[]): unknown {
  let at: unknown = value
  for (const property of path) at = isObject(at) && Object.hasOwn(at, property) ? at[property] : undefined
  return at
}

/** All values at a path, passing through arrays. */
function spread(value: unknown, path: readonly string[], at = 0): readonly unknown[] {
  const property = path[at]
  if (Array.isArray(value))
    return property === undefined && !value.some(isNested)
      ? value.filter((element) => element !== null)
      : value.flatMap((element) => spread(element, path, at))
  if (property === undefined) return value === undefined || value === null ? [] : [value]
  return isObject(value) && Object.hasOwn(value, property) ? spread(value[property], path, at + 1) : []
}

function isNested(element: unknown): boolean {
  return Array.isArray(element)
}
