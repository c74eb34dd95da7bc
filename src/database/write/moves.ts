/** Moves rows of accounts whose status has changed: into quarantine, back into their tables, or out of the database. */
import { type ColumnValue, type RecordCheck, type Rejection, repoCollectionUri } from '../changes.ts'
import type { AccountRepoCollection } from '../metadata/accounts.ts'
import { notHidden } from '../metadata/hidings.ts'
import { quote } from '../../sql/sql.ts'
import { ask, type Steps, jsonKeys, keyColumns, type RowKey, type StepRow } from '../metadata/steps.ts'
import { rowOf, storedRecord } from '../stored-record.ts'
import type { NewRow, RecordTable, RowId } from './record-table.ts'
import { referredRepoCollections } from '../derive.ts'
import type { Move, WriteTransaction } from './write-transaction.ts'
import { findRepoCollections, makeRepoCollections } from './write-transaction.ts'

export interface MovesOptions {
  readonly tables: ReadonlyMap<string, RecordTable>
  readonly check: RecordCheck
  /** Receives quarantined records that no longer fit the lexicons. */
  readonly onRefused: (transaction: WriteTransaction, rejections: readonly Rejection[]) => Steps<unknown>
}

/** Rows of one table that are about to be written. */
export interface RowsToMove {
  readonly table: RecordTable
  readonly quarantine: readonly RowId[]
  /** Rows to be brought back if they are quarantined. */
  readonly bringBack: readonly (RowKey & { readonly did: string })[]
}

/** A row of a table, or of `parked`, with the record as JSON. */
export type KeptRow = StepRow & RowKey & RowId

/** Moves the rows of records that are about to be written. */
export function* moveRows(
  transaction: WriteTransaction,
  { table, quarantine, bringBack }: RowsToMove,
  options: MovesOptions,
): Steps<void> {
  yield* table.quarantine(transaction, quarantine)
  if (bringBack.length === 0) return
  const keys = `select base, rkey from ${transaction.dialect.given(keyColumns)}`
  const rows = yield* takeQuarantined(transaction, `(base, rkey) in (${keys})`, jsonKeys(bringBack))
  const dids = new Map(bringBack.map(({ base, did }) => [base, did]))
  yield* returnRows(transaction, table, rows, (base) => dids.get(base) ?? '', options)
}

/** Moves at most `limit` rows of one repository collection; returns their number. */
export function* moveSome(
  transaction: WriteTransaction,
  move: Move,
  { did, base, collection }: AccountRepoCollection,
  limit: number,
  options: MovesOptions,
): Steps<number> {
  const table = options.tables.get(collection)
  if (table === undefined) throw new Error(`No table for collection ${collection}.`)
  const some = (condition: string): string =>
    `base = ? and rkey in (select rkey from parked where base = ? ${condition} order by rkey limit ?)`
  if (move === 'return') {
    const uri = repoCollectionUri({ did, collection })
    const rows = yield* takeQuarantined(transaction, some(`and ${notHidden}`), base, base, uri, limit)
    yield* returnRows(transaction, table, rows, () => did, options)
    return rows.length
  }
  const find = `select id from ${quote(table.table.name)} where base = ? order by rkey limit ?`
  const rows = yield* ask<RowId>(find, base, limit)
  if (move === 'park') yield* table.quarantine(transaction, rows)
  else yield* table.remove(transaction, rows)
  if (rows.length > 0 || move !== 'purge') return rows.length
  return (yield* ask(`delete from parked where ${some('')} returning base`, base, base, limit)).length
}

function takeQuarantined(
  { dialect }: WriteTransaction,
  condition: string,
  ...values: readonly ColumnValue[]
): Steps<readonly KeptRow[]> {
  return ask(
    `delete from parked where ${condition}
     returning base, rkey, id, cid, rev, indexed_at, changed_at, ${dialect.recordText} as json`,
    ...values,
  )
}

/** Brings rows back into their table. */
function* returnRows(
  transaction: WriteTransaction,
  table: RecordTable,
  rows: readonly KeptRow[],
  didOf: (base: bigint) => string,
  { check, onRefused }: MovesOptions,
): Steps<void> {
  const stored = rows.map((row) => ({ ...row, did: didOf(row.base) }))
  const refused = yield* insertStored(transaction, table, stored, check)
  if (refused.size > 0) yield* onRefused(transaction, [...refused.values()])
}

/**
 * Inserts stored records, in the form that `storedRecord` takes, that still fit the lexicons, which may have changed since;
 * returns the others. A row with an id keeps it.
 */
export function* insertStored(
  transaction: WriteTransaction,
  table: RecordTable,
  rows: readonly KeptRow[],
  check: RecordCheck,
): Steps<ReadonlyMap<RowKey, Rejection>> {
  const fitting: NewRow[] = []
  const refused = new Map<RowKey, Rejection>()
  for (const row of rows) {
    const record = storedRecord(table.table, row, check)
    if (record.kind === 'reject') refused.set(row, record)
    else fitting.push(rowOf(record, row.base, row.id))
  }
  const bases = fitting.flatMap(({ record }) => [...referredRepoCollections(table.table, record)])
  yield* findRepoCollections(transaction, bases)
  yield* makeRepoCollections(transaction, bases)
  yield* table.insert(transaction, fitting)
  return refused
}
