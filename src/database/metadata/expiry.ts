/**
 * Removes data that is older than its retention. The name, revision and age of each record remain, so that a fetch does
 * not treat it as new; they are removed when its publisher deletes the record.
 */
import { addToOutcome } from './source-marks.ts'
import type { ExpiredRow } from '../write/record-table.ts'
import { ask, jsonRows, keyColumns } from './steps.ts'
import type { Steps, WriteDialect } from './steps.ts'

/** Retention of each collection, in microseconds since a record was indexed. */
export type Retention = ReadonlyMap<string, bigint>

/** Records indexed before this time are removed; null if all are retained. */
export function oldestRetained(retention: Retention, collection: string, now: bigint): bigint | null {
  const kept = retention.get(collection)
  return kept === undefined ? null : now - kept
}

/** Removes expired quarantined rows and rejections of a collection, up to `limit` of each; returns their number. */
export function* expireBesides(
  dialect: WriteDialect,
  collection: string,
  oldest: bigint,
  limit: number,
): Steps<number> {
  const rows = yield* ask<ExpiredRow>(
    `delete from parked where (base, rkey) in (
       select base, rkey from parked
       where indexed_at < ? and base in (select id from base where collection = ?) order by indexed_at limit ?)
     returning base, rkey, id, rev, indexed_at`,
    oldest,
    collection,
    limit,
  )
  yield* noteExpired(dialect, collection, rows)
  const refused = yield* ask(
    `delete from rejection where key in (
       select key from rejection where seen_at < ? and replace(uri, ?, '') <> uri limit ?) returning key`,
    oldest,
    `/${collection}/`,
    limit,
  )
  return rows.length + refused.length
}

/** Notes removed rows, so that they do not count as new, and counts them for `status`. */
export function* noteExpired(
  dialect: WriteDialect,
  collection: string,
  rows: readonly ExpiredRow[],
): Steps<void> {
  if (rows.length === 0) return
  yield* ask(
    `insert into expired (base, rkey, rev, indexed_at) select base, rkey, rev, indexed_at
     from ${dialect.given({ ...keyColumns, rev: 'text', indexed_at: 'bigint' })} where true
     on conflict (base, rkey) do update set rev = excluded.rev, indexed_at = excluded.indexed_at`,
    jsonRows(rows.map(({ base, rkey, rev, indexed_at }) => ({ base, rkey, rev, indexed_at }))),
  )
  yield* addToOutcome('retention', collection, 'expired', rows.length)
}
