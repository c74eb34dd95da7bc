/** Moves rows of accounts whose status has changed: into quarantine, back into their tables, or out of the database. */
import { formatCid } from '../../../lexicon/records/cid.ts'
import type { AccountRepoCollection } from '../../metadata/accounts.ts'
import type { ColumnValue, RecordCheck, RecordPut, Rejection } from '../../database.ts'
import { repoCollectionUri, type Move } from '../../write/decide.ts'
import { notHidden } from '../../metadata/hidings.ts'
import { storedRecord } from '../../stored-record.ts'
import { findRepoCollections, makeRepoCollections } from './repo-collections.ts'
import { jsonKeys, type NewRow, type RowKey, type TableWriter } from './table-writer.ts'
import type { Transaction } from './transactions.ts'
import type { MoveAsked } from './working-set.ts'

export interface MovesOptions {
  /** Removes all remaining rows of an account. */
  readonly purge: (transaction: Transaction, did: string) => Promise<void>
  readonly tables: ReadonlyMap<string, TableWriter>
  readonly check: RecordCheck
  /** Receives quarantined records that no longer fit the lexicons. */
  readonly onRefused: (transaction: Transaction, rejections: readonly Rejection[]) => Promise<void>
}

/** A row of `parked`, in the form that `storedRecord` takes. */
type QuarantinedRow = Readonly<Record<string, ColumnValue>> & RowKey & { readonly id: bigint | null }

const quarantinedColumns =
  'parked.base, parked.rkey, parked.id, cid, rev, indexed_at, changed_at, record::text as json'

/** Moves the rows of records that are about to be written. */
export async function moveAsked(
  transaction: Transaction,
  { table, quarantine, bringBack }: MoveAsked,
  options: MovesOptions,
): Promise<void> {
  await table.quarantine(transaction, quarantine)
  if (bringBack.length === 0) return
  const rows = await transaction.query<QuarantinedRow>(
    `delete from parked using json_to_recordset($1) as given (base bigint, rkey text)
     where parked.base = given.base and parked.rkey = given.rkey returning ${quarantinedColumns}`,
    jsonKeys(bringBack),
  )
  const dids = new Map(bringBack.map(({ base, did }) => [base, did]))
  await returnRows(transaction, table, rows, (base) => dids.get(base) ?? '', options)
}

/** Moves at most `limit` rows of one repository collection; returns their number. */
export async function moveSome(
  transaction: Transaction,
  move: Move,
  { did, base, collection }: AccountRepoCollection,
  limit: number,
  options: MovesOptions,
): Promise<number> {
  const table = options.tables.get(collection)
  if (table === undefined) throw new Error(`No table for collection ${collection}.`)
  if (move === 'return') {
    const rows = await transaction.query<QuarantinedRow>(
      `delete from parked where ${someQuarantined(`and ${notHidden.replace('?', '$3')}`)} returning ${quarantinedColumns}`,
      base,
      limit,
      repoCollectionUri({ did, collection }),
    )
    await returnRows(transaction, table, rows, () => did, options)
    return rows.length
  }
  const rows = await table.some(transaction, base, limit)
  if (move === 'park') await table.quarantine(transaction, rows)
  else await table.remove(transaction, rows)
  if (rows.length > 0 || move !== 'purge') return rows.length
  const quarantined = await transaction.query<RowKey>(
    `delete from parked where ${someQuarantined('')} returning base, rkey`,
    base,
    limit,
  )
  return quarantined.length
}

const someQuarantined = (condition: string): string =>
  `base = $1 and rkey in (select rkey from parked where base = $1 ${condition} order by rkey limit $2)`

/** Checks records again, because the lexicons may have changed during their quarantine. */
async function returnRows(
  transaction: Transaction,
  table: TableWriter,
  rows: readonly QuarantinedRow[],
  didOf: (base: bigint) => string,
  { check, onRefused }: MovesOptions,
): Promise<void> {
  const returned: { readonly row: QuarantinedRow; readonly record: RecordPut }[] = []
  const refused: Rejection[] = []
  for (const row of rows) {
    const record = storedRecord(table.table, { ...row, did: didOf(row.base) }, check)
    if (record.kind === 'reject') refused.push(record)
    else returned.push({ row, record })
  }
  const bases = returned.flatMap(({ record }) => [...table.referredRepoCollections(record)])
  await findRepoCollections(transaction, bases)
  await makeRepoCollections(transaction, bases)
  const without: NewRow[] = []
  const withId: (NewRow & { readonly id: bigint })[] = []
  for (const { row, record } of returned) {
    const { base, rkey, id } = row
    const { did, rev } = record
    const [indexedAt, changedAt] = [row.indexed_at as bigint, row.changed_at as bigint]
    const added = { base, rkey, did, cid: formatCid(record.cid), rev, indexedAt, changedAt, record }
    if (id === null) without.push(added)
    else withId.push({ ...added, id })
  }
  await table.bringBack(transaction, withId)
  await table.insert(transaction, without)
  if (refused.length > 0) await onRefused(transaction, refused)
}
