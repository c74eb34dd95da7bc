/** Implements the metadata store in SQL for every engine; operations that move rows are those of the write path. */
import type { MetadataStore, RepoRecord } from './metadata-store.ts'
import { countRowsToMove, isKnown, repoCollectionsOf } from './accounts.ts'
import { addKey, replaceKey, revokeKey } from './keys.ts'
import { endPurges, readUnfinishedPurges } from './purges.ts'
import type { Applier } from '../write/applier.ts'
import type { WriteTransaction } from '../write/write-transaction.ts'
import { addJob, failurePause, fetchPause, isDone, noteFetch } from './jobs.ts'
import { ask, type Steps } from './steps.ts'
import { identifier } from '../../sql/sql.ts'
import type { ColumnValue } from '../changes.ts'

export interface MetadataStoreOptions {
  /** Runs the steps in a separate transaction when the writer is free. `durable`: it survives a loss of power. */
  readonly transact: <Result>(
    steps: (transaction: WriteTransaction) => Steps<Result>,
    options?: { readonly durable?: boolean },
  ) => Promise<Result>
  /** Like `transact`, for steps that only read: other transactions may write meanwhile. */
  readonly read: <Result>(steps: () => Steps<Result>) => Promise<Result>
  /** Microseconds since 1970. */
  readonly now: () => bigint
  /** Moves and removes rows. */
  readonly applier: Applier
}

export function createMetadataStore(options: MetadataStoreOptions): MetadataStore {
  const { transact, read, now, applier } = options
  const durable = { durable: true }
  return {
    hide: (hiding) => transact((transaction) => applier.hide(transaction, hiding), durable),
    unhide: (subject, by) => transact((transaction) => applier.unhide(transaction, subject, by), durable),
    purge: (given) => transact((transaction) => applier.purge(transaction, given), durable),
    settleAccounts: (limit) => transact((transaction) => applier.settle(transaction, limit)),
    expireRecords: (limit) => transact((transaction) => applier.expire(transaction, limit)),
    forgetRevisions: (...given) => transact(() => forgetRevisions(...given)),
    forgetDeletions: (...given) => transact(() => forgetDeletions(...given)),
    addKey: (key, hash) => transact(() => addKey(key, hash, now()), durable),
    replaceKey: (id, next, at) => transact(() => replaceKey(id, next, at, now()), durable),
    revokeKey: (id) => transact(() => revokeKey(id, now()), durable),
    readCursor: (source) =>
      transact(function* () {
        const [row] = yield* ask('select cursor from source where name = ?', source)
        return (row?.cursor ?? null) as string | null
      }),
    nameSource: (source, publicName) =>
      transact(function* () {
        const set = `insert into source (name, public_name, state, rate, heard_at) values (?, ?, 'connecting', 0, ?)
          on conflict (name) do update set public_name = excluded.public_name`
        yield* ask(set, source, publicName, now())
      }),
    writeState: (source, state, detail, eventsPerSecond) =>
      transact(function* () {
        const set = `insert into source (name, state, detail, rate, heard_at) values (?, ?, ?, ?, ?)
          on conflict (name) do update set state = excluded.state, detail = excluded.detail, rate = excluded.rate,
            heard_at = excluded.heard_at`
        yield* ask(set, source, state, detail, eventsPerSecond, now())
      }),
    readListing: (kind, target) =>
      transact(function* () {
        const find = 'select cursor, done from listing where kind = ? and target = ?'
        const [row] = yield* ask(find, kind, target)
        return row === undefined
          ? null
          : { target, cursor: row.cursor as string | null, done: row.done === 1n }
      }),
    addJobs: (kind, jobs, listing) =>
      transact(function* () {
        const at = now()
        for (const job of jobs) yield* addJob({ ...job, kind, wantedAt: at, now: at })
        if (listing === undefined) return
        const set = `insert into listing (kind, target, cursor, done) values (?, ?, ?, ?)
          on conflict (kind, target) do update set cursor = excluded.cursor, done = excluded.done`
        yield* ask(set, kind, listing.target, listing.cursor, Number(listing.done))
      }),
    dueJobs: (kind, limit) =>
      transact(function* () {
        const begunAt = now()
        const due = `select did, host, reason, attempts, requested_at from job where kind = ? and due_at <= ?
          order by due_at, did limit ?`
        const rows = yield* ask(due, kind, begunAt, limit)
        return rows.map((row) => ({
          kind,
          did: String(row.did),
          host: row.host as string | null,
          reason: String(row.reason),
          attempts: Number(row.attempts),
          requestedAt: row.requested_at as bigint,
          begunAt,
        }))
      }),
    nextJobAt: (kind) =>
      transact(function* () {
        const next = 'select min(due_at) as due_at from job where kind = ? and due_at is not null'
        const [row] = yield* ask(next, kind)
        return (row?.due_at ?? null) as bigint | null
      }),
    finishJob: ({ kind, did, requestedAt, begunAt }) =>
      transact(function* () {
        const next = yield* noteFetch(kind, did, now(), fetchPause)
        const again = `update job set attempts = 0, error = null,
            due_at = case when latest_at > ? then latest_at else ? end
          where kind = ? and did = ? and not ${isDone}`
        yield* ask(again, next, next, kind, did, requestedAt, begunAt)
        yield* ask(
          `delete from job where kind = ? and did = ? and ${isDone}`,
          kind,
          did,
          requestedAt,
          begunAt,
        )
      }),
    failJob: ({ kind, did, requestedAt, begunAt }, error, dueAt) =>
      transact(function* () {
        const next = yield* noteFetch(kind, did, now(), failurePause)
        // A failure does not give up other requests for the same repository.
        const fail = `update job set attempts = attempts + 1, error = ?,
            due_at = coalesce(?, case when ${isDone} then null when latest_at > ? then latest_at else ? end)
          where kind = ? and did = ?`
        yield* ask(fail, error, dueAt, requestedAt, begunAt, next, next, kind, did)
      }),
    failedJobs: (kind) =>
      transact(function* () {
        const failed = 'select did, error from job where kind = ? and due_at is null order by did'
        const rows = yield* ask(failed, kind)
        return rows.map(({ did, error }) => ({ did: String(did), error: String(error) }))
      }),
    countJobs: (kind) =>
      transact(function* () {
        const [row] = yield* ask(
          'select count(*) as n, count(due_at) as waiting from job where kind = ?',
          kind,
        )
        const waiting = Number(row?.waiting)
        return { waiting, failed: Number(row?.n) - waiting }
      }),
    endRun: (kind) =>
      transact(function* () {
        yield* ask('delete from listing where kind = ?', kind)
        yield* ask('delete from job where kind = ? and due_at is null', kind)
      }),
    readRepoRecords: (did, collections) => read(() => readRepoRecords(did, collections)),
    knowsAccount: (did) => transact(() => isKnown(did)),
    unfinishedPurges: () => transact(() => readUnfinishedPurges()),
    endPurges: () => transact(() => endPurges(now())),
    countRowsToMove: (except) => transact(() => countRowsToMove(except)),
    readActors: (limit, after) =>
      transact(function* () {
        const rows = yield* ask(
          'select did from actor where did > ? order by did limit ?',
          after ?? '',
          limit,
        )
        return rows.map(({ did }) => String(did))
      }),
    dueHandles: (limit) =>
      transact(function* () {
        const due = 'select did from actor where handle_due <= ? order by handle_due, did limit ?'
        const rows = yield* ask(due, now(), limit)
        return rows.map(({ did }) => String(did))
      }),
    writeHandle: (did, handle, dueAt) =>
      transact(function* () {
        yield* ask('update actor set handle = ?, handle_due = ? where did = ?', handle, dueAt, did)
      }),
  }
}

function* readRepoRecords(did: string, collections: readonly string[]): Steps<readonly RepoRecord[]> {
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
function* forgetRevisions(did: string, beyond: string, collections: readonly string[]): Steps<number> {
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
function* forgetDeletions(did: string, beyond: string, collections: readonly string[]): Steps<void> {
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
