/**
 * All that a database keeps, table by table, in a form that means the same in every other: URIs instead of ids, CIDs
 * and records as text. Rows are in order of a key that comes first in them.
 */
import type { ColumnValue } from '../changes.ts'
import type { Table } from '../layout/tables.ts'

/** Text, integers as bigint, other numbers; null where there is nothing. */
export type Row = readonly ColumnValue[]

export interface CopyPart {
  /** Of the table. */
  readonly name: string
  readonly columns: readonly string[]
  /** How many columns, from the first, tell its rows apart. */
  readonly key: number
  /** Of a collection. */
  readonly table: Table | null
}

/** A row of a collection; the first three are its default order. */
export type RecordRow = readonly [
  indexedAt: bigint,
  rkey: string,
  did: string,
  cid: string,
  rev: string | null,
  changedAt: bigint,
  json: string,
]

const recordColumns = ['indexed_at', 'rkey', 'did', 'cid', 'rev', 'changed_at', 'record']

/** `base` everywhere but in the table of that name is the first part of a URI. */
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

/** First what others refer to. Ids that a file gave to rows of hidden accounts stay behind. */
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

/** Where its rows have a record, if they do; what was refused is kept as text. */
export function jsonColumn({ name, table, columns }: CopyPart): number | null {
  return table !== null || name === 'parked' ? columns.indexOf('record') : null
}

/** What people call it. */
export function titleOf({ name, table }: CopyPart): string {
  return table?.collection.nsid ?? name
}

/** Of two rows of one part; the same when 0. */
export function compareKeys({ key }: CopyPart, a: Row, b: Row): number {
  for (let index = 0; index < key; index += 1) {
    const [one, other] = [a[index], b[index]]
    if (one === other) continue
    if (typeof one === 'bigint' && typeof other === 'bigint') return one < other ? -1 : 1
    return compareTexts(String(one), String(other))
  }
  return 0
}

export function areSame(a: Row, b: Row): boolean {
  return a.every((value, index) => value === b[index])
}

/** What a row adds to the digest of its part. */
export function rowText(row: Row): string {
  return `${JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}\n`
}

const ascii = /^[\0-\x7f]*$/

/** By code points, as both engines do. */
function compareTexts(a: string, b: string): number {
  return ascii.test(a) && ascii.test(b) ? (a < b ? -1 : 1) : Buffer.compare(Buffer.from(a), Buffer.from(b))
}
