/** Moves rows of accounts whose status has changed: into quarantine, back into their tables, or out of the database. */
import { type ColumnValue, type RecordCheck, type Rejection, repoCollectionUri } from '../changes.ts'
import type { AccountRepoCollection } from '../metadata/accounts.ts'
import { notHidden } from '../metadata/hidings.ts'
import { quote } from '../../sql/sql.ts'
import { ask, type Steps, jsonKeys, keyColumns, type RowKey } from '../metadata/steps.ts'
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

/** A row of `parked`, in the form that `storedRecord` takes. */
type QuarantinedRow = Readonly<Record<string, ColumnValue>> & RowKey & RowId

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
): Steps<readonly QuarantinedRow[]> {
  return ask(
    `delete from parked where ${condition}
     returning base, rkey, id, cid, rev, indexed_at, changed_at, ${dialect.recordText} as json`,
    ...values,
  )
}

/** Checks records again, because the lexicons may have changed during their quarantine. */
function* returnRows(
  transaction: WriteTransaction,
  table: RecordTable,
  rows: readonly QuarantinedRow[],
  didOf: (base: bigint) => string,
  { check, onRefused }: MovesOptions,
): Steps<void> {
  const returned: NewRow[] = []
  const refused: Rejection[] = []
  for (const row of rows) {
    const record = storedRecord(table.table, { ...row, did: didOf(row.base) }, check)
    if (record.kind === 'reject') refused.push(record)
    else returned.push(rowOf(record, row.base, row.id))
  }
  const bases = returned.flatMap(({ record }) => [...referredRepoCollections(table.table, record)])
  yield* findRepoCollections(transaction, bases)
  yield* makeRepoCollections(transaction, bases)
  yield* table.insert(transaction, returned)
  if (refused.length > 0) yield* onRefused(transaction, refused)
}
