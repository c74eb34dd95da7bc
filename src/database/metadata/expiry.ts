/**
 * What is removed because it has been here for too long. Of each record its name, revision and age stay, so that a
 * fetch does not take it for a new one; they go when its publisher deletes it.
 */
import { ask, type Steps } from './steps.ts'

/** For how long records of a collection are kept, in microseconds since they were indexed. */
export type Retention = ReadonlyMap<string, bigint>

/** What was indexed before is not kept; null: everything is. */
export function oldestRetained(retention: Retention, collection: string, now: bigint): bigint | null {
  const kept = retention.get(collection)
  return kept === undefined ? null : now - kept
}

/** Quarantined rows of a collection that are too old, and what was refused of it before: up to so many; how many. */
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

/** For `status`. */
export function* countExpired(collection: string, records: number): Steps<void> {
  if (records === 0) return
  yield* ask(
    `insert into outcome (source, collection, outcome, records) values ('retention', ?, 'expired', ?)
     on conflict (source, collection, outcome) do update set records = outcome.records + excluded.records`,
    collection,
    records,
  )
}
