/** Reads the stored records of one repository, and clears impossible revisions of it, in SQL for every engine. */
import { identifier } from '../../sql/sql.ts'
import type { ColumnValue } from '../changes.ts'
import type { RepoRecord } from './metadata-store.ts'
import { repoCollectionsOf } from './accounts.ts'
import { ask, type Steps } from './steps.ts'

export function* readRepoRecords(did: string, collections: readonly string[]): Steps<readonly RepoRecord[]> {
  const tables = yield* tableNames()
  const found: RepoRecord[] = []
  for (const { base, collection } of yield* repoCollectionsOf(did, collections)) {
    for (const table of [tables.get(collection), 'parked']) {
      if (table === undefined) continue
      for (const row of yield* ask(`select rkey, cid, rev, indexed_at from ${table} where base = ?`, base))
        found.push({
          collection,
          rkey: String(row.rkey),
          cid: row.cid ?? null,
          rev: row.rev as string | null,
          indexedAt: row.indexed_at as bigint,
        })
    }
  }
  return found
}

/**
 * Clears all revisions of the account later than `beyond`, so that the current state of the repository replaces what
 * was stored with them. Returns their number.
 */
export function* forgetRevisions(did: string, beyond: string, collections: readonly string[]): Steps<number> {
  const tables = yield* tableNames()
  let forgotten = 0
  const count = function* (text: string, ...values: readonly ColumnValue[]): Steps<void> {
    forgotten += (yield* ask(`${text} returning 1 as one`, ...values)).length
  }
  // Data of a deleted account must not come back.
  yield* count(
    `update actor set floor = case when status = 'deleted' then ? end where did = ? and floor > ?`,
    beyond,
    did,
    `${beyond}~`,
  )
  for (const { base, collection } of yield* repoCollectionsOf(did, collections)) {
    for (const table of [tables.get(collection), 'parked'])
      if (table !== undefined)
        yield* count(`update ${table} set rev = null where base = ? and rev > ?`, base, beyond)
    yield* count('update expired set rev = null where base = ? and rev > ?', base, beyond)
    yield* count('delete from tombstone where base = ? and rev > ?', base, beyond)
  }
  const uris = [`at://${did}/`, `at://${did}0`]
  yield* count('update rejection set rev = null where key >= ? and key < ? and rev > ?', ...uris, beyond)
  return forgotten
}

/**
 * Clears deletions of records, and of the account before it came back, that are later than a revision of the repository.
 * To be followed by a fetch from the account's own host, which shows those that were true.
 */
export function* forgetDeletions(did: string, beyond: string, collections: readonly string[]): Steps<void> {
  yield* ask(
    `update actor set floor = null where did = ? and floor > ? and status is distinct from 'deleted'`,
    did,
    beyond,
  )
  for (const { base } of yield* repoCollectionsOf(did, collections))
    yield* ask('delete from tombstone where base = ? and rev > ?', base, beyond)
}

/** Quoted table names by collection. */
function* tableNames(): Steps<ReadonlyMap<string, string>> {
  const rows = yield* ask('select nsid, table_name from collection')
  return new Map(rows.map((row) => [String(row.nsid), identifier(String(row.table_name)).sql]))
}
