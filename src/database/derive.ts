/** Derives the values of a record for stored columns and array indexes, in order. Pure, so that workers can run it. */
import { foldText } from '../util/text/fold.ts'
import { urlHash } from '../util/text/normalize-url.ts'
import { parseRecordInstant } from '../util/instant.ts'
import type { ColumnValue, RecordPut } from './changes.ts'
import { type ArrayIndex, type Column, storedColumns, type Table, type WordIndex } from './layout/tables.ts'
import { isObject, valueAt } from '../util/is-object.ts'

type DerivedRow = Pick<RecordPut, 'columns' | 'arrays'>

/** Values of a shape that the lexicon does not allow count as missing; `refBase` is the base URI as text. */
export function deriveRow(table: Table, value: object): DerivedRow {
  return {
    columns: storedColumns(table).map(({ kind, path }) => {
      if (kind === 'names') return namesIn(valueAt(value, path.slice(0, -1)), path.at(-1) ?? '')
      // A record may have a property of that name; its story is derived from others.
      if (path[0] === table.collection.stories?.field) return null
      const found = columnValue[kind](valueAt(value, path))
      const isTooLong = kind === 'text' && Buffer.byteLength(String(found ?? '')) > longestCategory
      return isTooLong ? null : found
    }),
    arrays: table.arrays.map((array) => elements(array, value)),
  }
}

/** Positions of the stored columns of kind `refBase`, whose text an engine replaces by an id. */
export function refBasesOf(table: Table): readonly number[] {
  return storedColumns(table).flatMap(({ kind }, index) => (kind === 'refBase' ? [index] : []))
}

/** Repository collections that a record refers to. */
export function* referredRepoCollections(table: Table, { columns, arrays }: DerivedRow): Generator<string> {
  for (const [index, { kind }] of storedColumns(table).entries()) {
    const uri = columns[index]
    if (kind === 'refBase' && typeof uri === 'string') yield uri
  }
  for (const [index, { kind }] of table.arrays.entries())
    if (kind === 'reference') for (const [uri] of arrays[index] ?? []) yield uri as string
}

/**
 * Bytes that fit into an index of every engine together with its other columns. Longer values cannot be categorical,
 * and longer URIs cannot name records: they stay in the record, but no index finds them.
 */
const longestCategory = 1000
const longestRepoCollection = 2400
const longestKey = 1000

/** Splits a URI after its last slash; records of one repository and collection share the first part. */
export function splitUri(uri: string): readonly [base: string, key: string] {
  const end = uri.lastIndexOf('/') + 1
  return [uri.slice(0, end), uri.slice(end)]
}

/** Null when a long text folds by ASCII lower case alone, which avoids storing most long Latin texts twice. */
export function foldedOrNull(text: string): string | null {
  const folded = foldText(text)
  const inAsciiLower = (): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
  return text.length > longestTwice && folded === inAsciiLower() ? null : folded
}

/** Characters up to which a text is stored in folded form too, instead of being folded whenever it is searched. */
const longestTwice = 1000

/** The texts of a record whose words are indexed, and how much a word counts in each. */
export function wordTexts({ fields }: WordIndex, value: object) {
  const texts = fields.map(({ text }) => columnValue.text(valueAt(value, text.path)) as string | null)
  return [texts, fields.map(({ weight }) => weight)] as const
}

const ofText = (derive: (text: string) => ColumnValue) => (value: unknown) =>
  typeof value === 'string' ? derive(value) : null

/** From values of any shape. */
const columnValue: Readonly<Record<Exclude<Column['kind'], 'names'>, (value: unknown) => ColumnValue>> = {
  text: ofText((text) => text),
  folded: ofText(foldedOrNull),
  integer: (value) => (typeof value === 'number' ? value : null),
  boolean: (value) => (typeof value === 'boolean' ? Number(value) : null),
  instant: ofText(parseRecordInstant),
  urlHash: ofText(urlHash),
  refBase: (value) => referenceOf(value)?.[0] ?? null,
  refKey: (value) => referenceOf(value)?.[1] ?? null,
}

function namesIn(array: unknown, property: string): string | null {
  if (!Array.isArray(array) || array.length === 0) return null
  const names = array.map((element) => columnValue.text(valueAt(element, [property])))
  return JSON.stringify([...new Set(names)])
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
  const value = columnValue[kind](element)
  return value === null ? null : [value]
}

/** All values at a path, descending into arrays. */
function spread(value: unknown, path: readonly string[], at = 0): readonly unknown[] {
  const property = path[at]
  if (Array.isArray(value))
    return property === undefined && !value.some(Array.isArray)
      ? value.filter((element) => element !== null)
      : value.flatMap((element) => spread(element, path, at))
  if (property === undefined) return value === undefined || value === null ? [] : [value]
  return isObject(value) && Object.hasOwn(value, property) ? spread(value[property], path, at + 1) : []
}
