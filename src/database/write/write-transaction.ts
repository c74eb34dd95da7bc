/**
 * What one transaction has read of accounts, curation and repository collections, and its changes to them. Nothing is
 * remembered from one transaction to the next, because other processes write as well.
 */
import { quote } from '../../sql/sql.ts'
import type { ColumnValue } from '../changes.ts'
import { ask, type Steps, jsonRows, type WriteDialect } from '../metadata/steps.ts'

/** The pending work on the rows of an account whose status has changed. */
export type Move = 'park' | 'purge' | 'return'

/** The state of an account that decides about its records. */
export interface AccountStatus {
  /**
   * As the network reports it. Null: records may be shown. `deleted`: the account has no records, whatever is claimed.
   */
  readonly status: string | null
  /** All of the repository up to this revision is known; older records that are not stored are gone. */
  readonly floor: string | null
  readonly move: Move | null
}

export const unknownAccount: AccountStatus = { status: null, floor: null, move: null }

export interface WriteTransaction {
  readonly dialect: WriteDialect
  /** Ids of repository collections by URI, as far as they were looked up. */
  readonly bases: Map<string, bigint>
  /** Accounts that were looked up; null if nothing is stored about the account. */
  readonly accountStatuses: Map<string, AccountStatus | null>
  /** DIDs and URIs that operators hid, among those looked up. */
  readonly hidden: Set<string>
  /** DIDs and URIs that operators removed for good, among those looked up. */
  readonly purged: Set<string>
  /** False only if the database has none. */
  readonly has: { tombstones: boolean; rejections: boolean; hidings: boolean; expired: boolean }
  /** The table that tells a rebuild which rows change meanwhile; null without a rebuild, or if triggers fill it. */
  changes: string | null
}

export function createWriteTransaction(dialect: WriteDialect): WriteTransaction {
  return {
    dialect,
    bases: new Map(),
    accountStatuses: new Map(),
    hidden: new Set(),
    purged: new Set(),
    has: { tombstones: true, rejections: true, hidings: true, expired: true },
    changes: null,
  }
}

/** Selects the members of `has`, each as 0 or 1. */
export const presence = Object.entries({
  tombstones: 'tombstone',
  rejections: 'rejection',
  hidings: 'hiding where shown_at is null',
  expired: 'expired',
})
  .map(([name, rows]) => `case when exists (select 1 from ${rows}) then 1 else 0 end as ${name}`)
  .join(', ')

export function notePresence({ has }: WriteTransaction, row: Readonly<Record<string, unknown>>): void {
  for (const name of ['tombstones', 'rejections', 'hidings', 'expired'] as const)
    has[name] = Number(row[name]) === 1
}

/** Notes rows that have been added, or that are about to change or go, for a rebuild that runs meanwhile. */
export function* noteChanges(
  { changes }: WriteTransaction,
  table: string,
  condition: string,
  ...values: readonly ColumnValue[]
): Steps<void> {
  if (changes === null) return
  yield* ask(
    `insert into ${changes} (former, base, rkey) select ?, base, rkey from ${quote(table)} where ${condition}
     on conflict do nothing`,
    table,
    ...values,
  )
}

/** Adds stored statuses of accounts to `accountStatuses`, and null for unknown accounts. */
export function* findAccountStatuses(
  { dialect, accountStatuses }: WriteTransaction,
  dids: Iterable<string>,
): Steps<void> {
  const unknown = [...new Set(dids)].filter((did) => !accountStatuses.has(did))
  if (unknown.length === 0) return
  for (const did of unknown) accountStatuses.set(did, null)
  const found = yield* ask<AccountStatus & { readonly did: string }>(
    `select did, status, floor, move from actor where did in (select did from ${dialect.given({ did: 'text' })})`,
    jsonRows(unknown.map((did) => ({ did }))),
  )
  for (const { did, status, floor, move } of found) accountStatuses.set(did, { status, floor, move })
}

export function* addAccounts({ dialect }: WriteTransaction, dids: Iterable<string>): Steps<void> {
  const added = [...dids]
  if (added.length === 0) return
  // Due at once, because their handles were never resolved.
  yield* ask(
    `insert into actor (did, handle_due, status_at) select did, 0, 0 from ${dialect.given({ did: 'text' })}`,
    jsonRows(added.map((did) => ({ did }))),
  )
}

/** Adds those of the DIDs and URIs that operators hid to `hidden` and `purged`. */
export function* findHidden(
  { dialect, hidden, purged, has }: WriteTransaction,
  subjects: () => Iterable<string>,
): Steps<void> {
  if (!has.hidings) return
  const found = yield* ask<{ readonly subject: string; readonly purged: number | bigint }>(
    `select h.subject, case when p.subject is null then 0 else 1 end as purged
     from hiding h left join purge p using (subject, hidden_at)
     where h.shown_at is null and h.subject in (select subject from ${dialect.given({ subject: 'text' })})`,
    jsonRows(Array.from(new Set(subjects()), (subject) => ({ subject }))),
  )
  for (const { subject, purged: isPurged } of found) {
    hidden.add(subject)
    if (Number(isPurged) === 1) purged.add(subject)
  }
}

/** Adds the ids of existing repository collections to `bases`. */
export function* findRepoCollections(
  { dialect, bases }: WriteTransaction,
  uris: Iterable<string>,
): Steps<void> {
  const unknown = [...new Set(uris)].filter((uri) => !bases.has(uri))
  if (unknown.length === 0) return
  const found = yield* ask<RepoCollection>(
    `select uri, id from base where uri in (select uri from ${dialect.given({ uri: 'text' })})`,
    jsonRows(unknown.map((uri) => ({ uri }))),
  )
  for (const { uri, id } of found) bases.set(uri, id)
}

/** Creates those that `findRepoCollections` has looked for and not found. */
export function* makeRepoCollections(
  { dialect, bases }: WriteTransaction,
  uris: Iterable<string>,
): Steps<void> {
  const missing = [...new Set(uris)].filter((uri) => !bases.has(uri))
  if (missing.length === 0) return
  const rows = missing.map((uri) => {
    const [, did = null, collection = null] = /^at:\/\/([^/]+)\/([^/]+)\/$/.exec(uri) ?? []
    return { uri, did, collection }
  })
  const made = yield* ask<RepoCollection>(
    `insert into base (uri, did, collection) select uri, did, collection
     from ${dialect.given({ uri: 'text', did: 'text', collection: 'text' })} returning uri, id`,
    jsonRows(rows),
  )
  for (const { uri, id } of made) bases.set(uri, id)
}

interface RepoCollection {
  readonly uri: string
  readonly id: bigint
}

/** The id of a repository collection that was found or created before. */
export function baseId({ bases }: WriteTransaction, uri: string): bigint {
  const id = bases.get(uri)
  if (id === undefined) throw new Error(`The base of ${uri} has no id.`)
  return id
}
