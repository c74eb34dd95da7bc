/** API keys of callers, of which only a hash is stored, and the usage of each key by day. */
import type { ApiKey, KeySuccessor, KeyUsage, NewKey } from './metadata-store.ts'
import { ask, type Steps } from './steps.ts'

const columns = `id, name, tier, contact, created_at as "createdAt", expires_at as "expiresAt",
  valid_until as "validUntil", revoked_at as "revokedAt"`

/** The key with that hash, even if it is revoked or expired. */
export function* findKey(hash: string): Steps<ApiKey | null> {
  const [row = null] = yield* ask<ApiKey>(`select ${columns} from api_key where hash = ?`, hash)
  return row && { ...row }
}

/** Oldest first. */
export function* readKeys(): Steps<readonly ApiKey[]> {
  const rows = yield* ask<ApiKey>(`select ${columns} from api_key order by created_at, id`)
  return rows.map((row) => ({ ...row }))
}

/** `hash`: SHA-256 of the key in hexadecimal. */
export function* addKey(
  { id, name, tier, contact = null, validUntil = null }: NewKey,
  hash: string,
  now: bigint,
): Steps<void> {
  const add = `insert into api_key (id, hash, name, tier, contact, created_at, valid_until)
    values (?, ?, ?, ?, ?, ?, ?)`
  yield* ask(add, id, hash, name, tier, contact, now, validUntil)
}

/**
 * Adds a key of the same name, tier and contact, and ends the old one `at` that time. Returns false, without changes, if
 * no key with that id is in force. One with an end was replaced already; a second successor would go unnoticed.
 */
export function* replaceKey(id: string, next: KeySuccessor, at: bigint, now: bigint): Steps<boolean> {
  const unended = `id = ? and revoked_at is null and expires_at is null
    and (valid_until is null or valid_until > ?)`
  const [old] = yield* ask<ApiKey>(`select ${columns} from api_key where ${unended}`, id, now)
  if (old === undefined) return false
  yield* addKey({ ...old, id: next.id, validUntil: next.validUntil ?? old.validUntil }, next.hash, now)
  yield* ask('update api_key set expires_at = ? where id = ?', at, id)
  return true
}

/** Ends a key immediately and for good. Returns false if there is no such key. */
export function* revokeKey(id: string, now: bigint): Steps<boolean> {
  const found = yield* ask('select id from api_key where id = ?', id)
  yield* ask('update api_key set revoked_at = ? where id = ? and revoked_at is null', now, id)
  return found.length > 0
}

/** Days that are retained: a year, and a month for comparison. */
export const usageDays = 400

/** Adds in the order of keys, so that two concurrent calls do not deadlock. */
export function* addUsage(usage: readonly KeyUsage[], today: number): Steps<void> {
  const add = `insert into key_usage (key, day, requests, points) values (?, ?, ?, ?)
    on conflict (key, day) do update set requests = key_usage.requests + excluded.requests,
      points = key_usage.points + excluded.points`
  const sorted = usage.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.day - b.day))
  for (const { key, day, requests, points } of sorted) yield* ask(add, key, day, requests, points)
  yield* ask('delete from key_usage where day <= ?', today - usageDays)
}

/** The usage of keys since that day, as a number of days since 1970; oldest first. */
export function* readUsage(since: number): Steps<readonly KeyUsage[]> {
  const rows = yield* ask(
    'select key, day, requests, points from key_usage where day >= ? order by day, key',
    since,
  )
  return rows.map(({ key, day, requests, points }) => ({
    key: String(key),
    day: Number(day),
    requests: Number(requests),
    points: Number(points),
  }))
}
