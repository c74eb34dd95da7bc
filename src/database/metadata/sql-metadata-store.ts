/** Implements the metadata store in SQL for every engine; operations that move rows are those of the write path. */
import type { MetadataStore, RepoRecord } from './metadata-store.ts'
import {
  countRowsToMove,
  dueHandles,
  isKnown,
  readActors,
  repoCollectionsOf,
  writeHandle,
} from './accounts.ts'
import { addKey, replaceKey, revokeKey } from './keys.ts'
import { endPurges, readUnfinishedPurges } from './purges.ts'
import type { Applier } from '../write/applier.ts'
import { noteChanges, type WriteTransaction } from '../write/write-transaction.ts'
import { tableNames } from './collections.ts'
import * as jobs from './jobs.ts'
import { nameSource, readCursor, writeState } from './source-marks.ts'
import { ask, type Steps } from './steps.ts'
import { quote } from '../../sql/sql.ts'
import { type ColumnValue, urisOf } from '../changes.ts'

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
    deriveStories: (limit) => transact((transaction) => applier.deriveStories(transaction, limit)),
    expireRecords: (limit) => transact((transaction) => applier.expire(transaction, limit)),
    forgetRevisions: (...given) => transact((transaction) => forgetRevisions(transaction, ...given)),
    forgetDeletions: (...given) => transact(() => forgetDeletions(...given)),
    addKey: (key, hash) => transact(() => addKey(key, hash, now()), durable),
    replaceKey: (id, next, at) => transact(() => replaceKey(id, next, at, now()), durable),
    revokeKey: (id) => transact(() => revokeKey(id, now()), durable),
    readCursor: (source) => transact(() => readCursor(source)),
    nameSource: (source, publicName) => transact(() => nameSource(source, publicName, now())),
    writeState: (...given) => transact(() => writeState(...given, now())),
    readListing: (kind, target) => transact(() => jobs.readListing(kind, target)),
    addJobs: (kind, given, listing) => transact(() => jobs.addJobs(kind, given, listing, now())),
    dueJobs: (kind, limit) => transact(() => jobs.dueJobs(kind, limit, now())),
    nextJobAt: (kind) => transact(() => jobs.nextJobAt(kind)),
    finishJob: (job) => transact(() => jobs.finishJob(job, now())),
    failJob: (...given) => transact(() => jobs.failJob(...given, now())),
    failedJobs: (kind) => transact(() => jobs.failedJobs(kind)),
    countJobs: (kind) => transact(() => jobs.countJobs(kind)),
    endRun: (kind) => transact(() => jobs.endRun(kind)),
    readRepoRecords: (did, collections) => read(() => readRepoRecords(did, collections)),
    knowsAccount: (did) => transact(() => isKnown(did)),
    unfinishedPurges: () => transact(() => readUnfinishedPurges()),
    endPurges: () => transact(() => endPurges(now())),
    countRowsToMove: (except) => transact(() => countRowsToMove(except)),
    readActors: (limit, after) => transact(() => readActors(limit, after)),
    dueHandles: (limit) => transact(() => dueHandles(limit, now())),
    writeHandle: (...given) => transact(() => writeHandle(...given)),
  }
}

function* readRepoRecords(did: string, collections: readonly string[]): Steps<readonly RepoRecord[]> {
  const tables = yield* tableNames()
  const found: RepoRecord[] = []
  for (const { base, collection } of yield* repoCollectionsOf(did, collections)) {
    for (const table of [tables.get(collection), 'parked']) {
      if (table === undefined) continue
      const rows = `select rkey, cid, rev, indexed_at as "indexedAt" from ${quote(table)} where base = ?`
      for (const row of yield* ask<Omit<RepoRecord, 'collection'>>(rows, base))
        found.push({ collection, ...row })
    }
  }
  return found
}

/**
 * Clears all revisions of the account later than `beyond`, so that the current state of the repository replaces what
 * was stored with them. Returns their number.
 */
function* forgetRevisions(
  transaction: WriteTransaction,
  did: string,
  beyond: string,
  collections: readonly string[],
): Steps<number> {
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
    for (const table of [tables.get(collection), 'parked']) {
      if (table === undefined) continue
      const rows = 'base = ? and rev > ?'
      if (table !== 'parked') yield* noteChanges(transaction, table, rows, base, beyond)
      yield* count(`update ${quote(table)} set rev = null where ${rows}`, base, beyond)
    }
    yield* count('update expired set rev = null where base = ? and rev > ?', base, beyond)
    yield* count('delete from tombstone where base = ? and rev > ?', base, beyond)
  }
  const ofAccount = 'key >= ? and key < ? and rev > ?'
  yield* count(`update rejection set rev = null where ${ofAccount}`, ...urisOf(did), beyond)
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
