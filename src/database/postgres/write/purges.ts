/** Removes data for good: on request of an operator, or because of its age. */
import { recordNameOf } from '../../write/decide.ts'
import { purgeAccount } from '../../metadata/accounts.ts'
import { countExpired, expireBesides } from '../../metadata/expiry.ts'
import { forgetRecord, measurePurge, type NewPurge, rowsOf, startPurge } from '../../metadata/purges.ts'
import { ask, type Steps } from '../../metadata/steps.ts'
import type { PurgeExtent } from '../../metadata/metadata-store.ts'
import { quote } from '../layout/ddl.ts'
import { findRecord } from './hidings.ts'
import type { MovesOptions } from './moves.ts'
import { runSteps } from '../steps.ts'
import type { RowId, TableWriter } from './table-writer.ts'
import type { Transaction } from './transactions.ts'

/** Implements `purge` of the metadata store. */
export async function purge(
  transaction: Transaction,
  given: NewPurge,
  now: bigint,
  moves: MovesOptions,
): Promise<PurgeExtent | null> {
  const { client, accountStatuses } = transaction
  const { subject } = given
  if (!(await runSteps(client, startPurge(given, now)))) return null
  const served = [...moves.tables.keys()]
  const extent = await runSteps(client, measurePurge(subject))
  await runSteps(client, eraseUnserved(subject, served))
  const record = recordNameOf(subject)
  if (record === null) {
    await runSteps(client, purgeAccount(subject, served))
    accountStatuses.delete(subject)
    return extent
  }
  const place = await findRecord(transaction, record, moves)
  if (place !== null) await place.table.remove(transaction, await place.table.find(transaction, [place]))
  await runSteps(client, forgetRecord(subject))
  return extent
}

/** Removes about `limit` expired records, from the table, the quarantine and the rejections; returns their number. */
export async function expire(
  transaction: Transaction,
  table: TableWriter,
  oldest: bigint,
  limit: number,
): Promise<number> {
  const { client, query } = transaction
  const { collection, name } = table.table
  const rows = await query<RowId>(
    `with old as (
       select id, base, rkey, rev, indexed_at from ${quote(name)} where indexed_at < $1 order by indexed_at limit $2
     ), noted as (
       insert into expired (base, rkey, rev, indexed_at) select base, rkey, rev, indexed_at from old
       on conflict (base, rkey) do update set rev = excluded.rev, indexed_at = excluded.indexed_at
     ) select id from old`,
    oldest,
    limit,
  )
  await table.remove(transaction, rows)
  await runSteps(client, countExpired(collection.nsid, rows.length))
  const left = Math.max(limit - rows.length, 1)
  return rows.length + (await runSteps(client, expireBesides(collection.nsid, oldest, left)))
}

/** Removes rows of collections that the lexicons no longer have; only their tables remain. */
function* eraseUnserved(subject: string, served: readonly string[]): Steps<void> {
  for (const { nsid, table_name } of yield* ask('select nsid, table_name from collection')) {
    if (served.includes(String(nsid))) continue
    const [condition, values] = rowsOf(subject, String(nsid))
    yield* ask(`delete from ${quote(String(table_name))} where ${condition}`, ...values)
  }
}
