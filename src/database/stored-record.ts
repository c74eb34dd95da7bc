/** Validates a stored record against the lexicons in force: it is stored again, or becomes a rejection. */
import { formatCid, parseCid } from '../lexicon/records/cid.ts'
import { formatInstant } from '../util/instant.ts'
import type { Change, ColumnValue, RecordCheck } from './changes.ts'
import { deriveRow } from './derive.ts'
import { rebuildSource } from './write/rejections.ts'
import type { NewRow } from './write/record-table.ts'
import type { Table } from './layout/tables.ts'

type Kept = Extract<Change, { kind: 'put' }> & Pick<NewRow, 'indexedAt' | 'changedAt'>

/** `row` has did, rkey, cid (bytes or text), rev, indexed_at, changed_at and json; integers as bigint. */
export function storedRecord(
  table: Table,
  row: Readonly<Record<string, ColumnValue>>,
  check: RecordCheck,
): Kept | Extract<Change, { kind: 'reject' }> {
  const { nsid: collection } = table.collection
  const [did, rkey, json] = [String(row.did), String(row.rkey), String(row.json)]
  const uri = `at://${did}/${collection}/${rkey}`
  const rev = row.rev as string | null
  const cid = typeof row.cid === 'string' ? parseCid(row.cid) : (row.cid as Uint8Array)
  if (cid === null) throw new Error(`The record ${uri} has no valid CID: ${String(row.cid)}.`)
  const fault = check(uri, json)
  if (fault !== null) {
    // Formatted as a line of an import, so that the record can return when the lexicons do.
    const line = {
      uri,
      cid: formatCid(cid),
      ...(rev !== null && { rev }),
      indexedAt: formatInstant(row.indexed_at as bigint),
      changedAt: formatInstant(row.changed_at as bigint),
      value: JSON.parse(json) as unknown,
    }
    return {
      kind: 'reject',
      source: rebuildSource,
      uri,
      ...fault,
      record: JSON.stringify(line),
      ...(rev !== null && { rev }),
    }
  }
  return {
    kind: 'put',
    collection,
    did,
    rkey,
    cid,
    rev,
    indexedAt: row.indexed_at as bigint,
    changedAt: row.changed_at as bigint,
    json,
    ...deriveRow(table, JSON.parse(json)),
  }
}

/** The row of a record that is stored again. `id`: null for the next. */
export function rowOf(record: Kept, base: bigint, id: bigint | null = null): NewRow {
  return { ...record, id, base, record }
}
