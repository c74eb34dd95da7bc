/**
 * The content of a database, table by table, in a form that is valid in every other database: URIs instead of ids, CIDs
 * and records as text. Rows start with their key and are sorted by it.
 */
import type { ColumnValue } from '../changes.ts'
import { deriveRow } from '../derive.ts'
import type { Table } from '../layout/tables.ts'

/** Text, integers as bigint, other numbers, or null. */
export type CopyRow = readonly ColumnValue[]

export interface CopyPart {
  /** The name of the table. */
  readonly name: string
  readonly columns: readonly string[]
  /** The number of leading columns that form the key. */
  readonly key: number
  /** The table of a collection; null for other tables. */
  readonly table: Table | null
}

type RecordRow = readonly [bigint, string, string, string, string | null, bigint, string]

/** A row of a collection as it is written, without ids. */
export function recordIn(table: Table, row: CopyRow) {
  const [indexedAt, rkey, did, cid, rev, changedAt, json] = row as RecordRow
  const record = { json, ...deriveRow(table, JSON.parse(json)) }
  return { did, rkey, cid, rev, indexedAt, changedAt, record }
}

/** The first three are the default order. */
const recordColumns = ['indexed_at', 'rkey', 'did', 'cid', 'rev', 'changed_at', 'record']

/** `base` is the first part of a URI, except in the table of that name. */
const kept: readonly (readonly [name: string, key: readonly string[], rest: readonly string[]])[] = [
  ['actor', ['did'], ['handle', 'handle_due', 'status', 'status_at', 'floor', 'move']],
  ['hidden', ['base'], []],
  ['parked', ['base', 'rkey'], ['cid', 'rev', 'indexed_at', 'changed_at', 'record']],
  ['tombstone', ['base', 'rkey'], ['rev']],
  ['expired', ['base', 'rkey'], ['rev', 'indexed_at']],
  ['rejection', ['key'], ['source', 'uri', 'reason', 'message', 'record', 'seen_at', 'rev', 'cut']],
  ['source', ['name'], ['cursor', 'state', 'detail', 'event_at', 'lag', 'rate', 'heard_at', 'public_name']],
  ['outcome', ['source', 'collection', 'outcome'], ['records']],
  ['job', ['kind', 'did'], ['host', 'reason', 'attempts', 'requested_at', 'due_at', 'latest_at', 'error']],
  ['fetched', ['did'], ['at']],
  ['listing', ['kind', 'target'], ['cursor', 'done']],
  [
    'api_key',
    ['id'],
    ['hash', 'name', 'tier', 'contact', 'created_at', 'expires_at', 'valid_until', 'revoked_at'],
  ],
  ['key_usage', ['key', 'day'], ['requests', 'points']],
  ['hiding', ['subject', 'hidden_at'], ['hidden_by', 'reason', 'shown_at', 'shown_by']],
  ['purge', ['subject', 'hidden_at'], ['purged_at', 'purged_by', 'reason', 'erased_at']],
]

/** Referenced tables come first. Ids that a SQLite file stores for rows of hidden accounts are not copied. */
export function partsOf(tables: readonly Table[]): readonly CopyPart[] {
  return [
    { name: 'base', columns: ['uri', 'did', 'collection'], key: 1, table: null },
    ...tables.map((table) => ({ name: table.name, columns: recordColumns, key: 3, table })),
    ...kept.map(([name, key, rest]) => ({
      name,
      columns: [...key, ...rest],
      key: key.length,
      table: null,
    })),
  ]
}

/** The index of the column with a JSON record, if any; refused records are text. */
export function jsonColumn({ name, table, columns }: CopyPart): number | null {
  return table !== null || name === 'parked' ? columns.indexOf('record') : null
}

export function titleOf({ name, table }: CopyPart): string {
  return table?.collection.nsid ?? name
}

/** Compares the keys of two rows of one part; 0 when they are equal. */
export function compareKeys({ key }: CopyPart, a: CopyRow, b: CopyRow): number {
  for (let index = 0; index < key; index += 1) {
    const [one, other] = [a[index], b[index]]
    if (one === other) continue
    if (typeof one === 'bigint' && typeof other === 'bigint') return one < other ? -1 : 1
    // By code points, as both engines do.
    return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
  }
  return 0
}

export function areSame(a: CopyRow, b: CopyRow): boolean {
  return a.every((value, index) => value === b[index])
}

/** The text of a row in the digest of its part. */
export function rowText(row: CopyRow): string {
  return `${JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}\n`
}
