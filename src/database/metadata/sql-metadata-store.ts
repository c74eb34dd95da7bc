/** The metadata store, in SQL for every engine; operations that move rows are those of the write path. */
import type { JobKind, Listing, RepoRecord } from './metadata-store.ts'
import {
  countRowsToMove,
  dueHandles,
  isKnown,
  readActors,
  repoCollectionsOf,
  writeHandle,
} from './accounts.ts'
import { addKey, replaceKey, revokeKey } from './keys.ts'
import type { NewHiding } from './hidings.ts'
import { endPurges, type NewPurge, readUnfinishedPurges } from './purges.ts'
import type { Applier } from '../write/applier.ts'
import { noteChanges, type WriteTransaction } from '../write/write-transaction.ts'
import { tableNames } from './collections.ts'
import * as jobs from './jobs.ts'
import { nameSource, readCursor, writeState } from './source-marks.ts'
import { ask, type Steps } from './steps.ts'
import { quote } from '../../sql/sql.ts'
import { type ColumnValue, urisOf } from '../changes.ts'

/** `durable`: the transaction survives a loss of power. */
interface Durability {
  readonly durable?: boolean
}

interface MetadataStoreOptions {
  /** Runs the steps in a separate transaction when the writer is free. */
  readonly transact: <Result>(
    steps: (transaction: WriteTransaction) => Steps<Result>,
    options?: Durability,
  ) => Promise<Result>
  /** Like `transact`, for steps that only read: other transactions may write meanwhile. */
  readonly read: <Result>(steps: () => Steps<Result>) => Promise<Result>
  /** Microseconds since 1970. */
  readonly now: () => bigint
  readonly applier: Applier
}

export type MetadataStore = ReturnType<typeof createMetadataStore>

/** Each call is one short transaction. */
export function createMetadataStore({ transact, read, now, applier }: MetadataStoreOptions) {
  const durable = { durable: true }
  const alone =
    <Given extends unknown[], Result>(steps: (...given: Given) => Steps<Result>) =>
    (...given: Given) =>
      transact(() => steps(...given))
  /** For steps whose last parameter is the present time. */
  const timed =
    <Given extends unknown[], Result>(
      steps: (...given: [...Given, now: bigint]) => Steps<Result>,
      options?: Durability,
    ) =>
    (...given: Given) =>
      transact(() => steps(...given, now()), options)
  return {
    hide: (hiding: NewHiding) => transact((transaction) => applier.hide(transaction, hiding), durable),
    unhide: (subject: string, by: string) =>
      transact((transaction) => applier.unhide(transaction, subject, by), durable),
    purge: (given: NewPurge) => transact((transaction) => applier.purge(transaction, given), durable),
    settleAccounts: (limit: number) => transact((transaction) => applier.settle(transaction, limit)),
    deriveStories: (limit: number) => transact((transaction) => applier.deriveStories(transaction, limit)),
    expireRecords: (limit: number) => transact((transaction) => applier.expire(transaction, limit)),
    forgetRevisions: (did: string, beyond: string, collections: readonly string[]) =>
      transact((transaction) => forgetRevisions(transaction, did, beyond, collections)),
    forgetDeletions: alone(forgetDeletions),
    addKey: timed(addKey, durable),
    replaceKey: timed(replaceKey, durable),
    revokeKey: timed(revokeKey, durable),
    readCursor: alone(readCursor),
    nameSource: timed(nameSource),
    writeState: timed(writeState),
    readListing: alone(jobs.readListing),
    addJobs: (kind: JobKind, given: readonly jobs.WantedRepo[], listing?: Listing) =>
      transact(() => jobs.addJobs(kind, given, listing, now())),
    dueJobs: timed(jobs.dueJobs),
    nextJobAt: alone(jobs.nextJobAt),
    finishJob: timed(jobs.finishJob),
    failJob: timed(jobs.failJob),
    failedJobs: alone(jobs.failedJobs),
    countJobs: alone(jobs.countJobs),
    endRun: alone(jobs.endRun),
    readRepoRecords: (did: string, collections: readonly string[]) =>
      read(() => readRepoRecords(did, collections)),
    knowsAccount: alone(isKnown),
    unfinishedPurges: alone(readUnfinishedPurges),
    endPurges: timed(endPurges),
    countRowsToMove: alone(countRowsToMove),
    readActors: alone(readActors),
    dueHandles: timed(dueHandles),
    writeHandle: alone(writeHandle),
  }
}

/** All stored records of an account in these collections, hidden ones too. Other processes may write meanwhile. */
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
 * Clears all revisions of the account later than `beyond`, which are impossible, so that the current state of the
 * repository replaces what was stored with them. Returns their number.
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
