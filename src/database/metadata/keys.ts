/** API keys of callers. Only a hash of each key is stored. */
import type { ApiKey, KeySuccessor, NewKey } from './metadata-store.ts'
import { ask, type StepRow, type Steps } from './steps.ts'

const columns = 'id, name, tier, contact, created_at, expires_at, valid_until, revoked_at'

export function* findKey(hash: string): Steps<ApiKey | null> {
  const [row] = yield* ask(`select ${columns} from api_key where hash = ?`, hash)
  return row === undefined ? null : keyOf(row)
}

export function* readKeys(): Steps<readonly ApiKey[]> {
  return (yield* ask(`select ${columns} from api_key order by created_at, id`)).map(keyOf)
}

export function* addKey(
  { id, name, tier, contact = null, validUntil = null }: NewKey,
  hash: string,
  now: bigint,
): Steps<void> {
  const add = `insert into api_key (id, hash, name, tier, contact, created_at, valid_until)
    values (?, ?, ?, ?, ?, ?, ?)`
  yield* ask(add, id, hash, name, tier, contact, now, validUntil)
}

/** `at`: end of the old key. A key with an end was replaced already; a second successor would go unnoticed. */
export function* replaceKey(id: string, next: KeySuccessor, at: bigint, now: bigint): Steps<boolean> {
  const unended = `id = ? and revoked_at is null and expires_at is null
    and (valid_until is null or valid_until > ?)`
  const [row] = yield* ask(`select ${columns} from api_key where ${unended}`, id, now)
  if (row === undefined) return false
  const old = keyOf(row)
  yield* addKey({ ...old, id: next.id, validUntil: next.validUntil ?? old.validUntil }, next.hash, now)
  yield* ask('update api_key set expires_at = ? where id = ?', at, id)
  return true
}

export function* revokeKey(id: string, now: bigint): Steps<boolean> {
  const found = yield* ask('select id from api_key where id = ?', id)
  yield* ask('update api_key set revoked_at = ? where id = ? and revoked_at is null', now, id)
  return found.length > 0
}

function keyOf(row: StepRow): ApiKey {
  return {
    id: String(row.id),
    name: String(row.name),
    tier: String(row.tier),
    contact: row.contact as string | null,
    createdAt: row.created_at as bigint,
    expiresAt: row.expires_at as bigint | null,
    validUntil: row.valid_until as bigint | null,
    revokedAt: row.revoked_at as bigint | null,
  }
}
