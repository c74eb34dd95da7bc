/**
 * Removes data that is older than its retention. The name, revision and age of each record remain, so that a fetch does
 * not treat it as new; they are removed when its publisher deletes the record.
 */
import { addToOutcome } from './source-marks.ts'
import { ask, type Steps } from './steps.ts'

/** Retention of each collection, in microseconds since a record was indexed. */
export type Retention = ReadonlyMap<string, bigint>

/** Records indexed before this time are removed; null if all are retained. */
export function oldestRetained(retention: Retention, collection: string, now: bigint): bigint | null {
  const kept = retention.get(collection)
  return kept === undefined ? null : now - kept
}

/** Removes expired quarantined rows and rejections of a collection, up to `limit` of each; returns their number. */
export function* expireBesides(collection: string, oldest: bigint, limit: number): Steps<number> {
  const rows = yield* ask(
    `select base, rkey, rev, indexed_at from parked
     where indexed_at < ? and base in (select id from base where collection = ?) order by indexed_at limit ?`,
    oldest,
    collection,
    limit,
  )
  for (const { base = null, rkey = null, rev = null, indexed_at = null } of rows) {
    yield* ask(
      'insert into expired (base, rkey, rev, indexed_at) values (?, ?, ?, ?) on conflict (base, rkey) do nothing',
      base,
      rkey,
      rev,
      indexed_at,
    )
    yield* ask('delete from parked where base = ? and rkey = ?', base, rkey)
  }
  yield* countExpired(collection, rows.length)
  const refused = yield* ask(
    `delete from rejection where key in (
       select key from rejection where seen_at < ? and replace(uri, ?, '') <> uri limit ?) returning key`,
    oldest,
    `/${collection}/`,
    limit,
  )
  return rows.length + refused.length
}

/** Counts expired records for `status`. */
export function* countExpired(collection: string, records: number): Steps<void> {
  if (records === 0) return
  yield* addToOutcome('retention', collection, 'expired', records)
}
