/**
 * Applies changes within a transaction: runs of record changes together, other changes one by one. It states for every
 * engine what happens in which order; an engine supplies reads and writes of many rows.
 */
import {
  type BatchOutcome,
  type Change,
  type CountedSource,
  type RecordCheck,
  type RepoEnd,
  type RepoRequest,
  type SourceMark,
  noOutcome,
  type RecordChange,
} from '../changes.ts'
import {
  type AccountRepoCollection,
  changeAccount,
  changeIdentity,
  endRepo,
  finishMove,
  forgetOlder,
  mustPurgeBefore,
  nextMove,
  repoCollectionsOf,
} from '../metadata/accounts.ts'
import { expireBesides, noteExpired, oldestRetained, type Retention } from '../metadata/expiry.ts'
import type { NewHiding } from '../metadata/hidings.ts'
import type { PurgeExtent } from '../metadata/metadata-store.ts'
import { isBeingPurged, type NewPurge } from '../metadata/purges.ts'
import { OutcomeCounts } from '../metadata/source-marks.ts'
import { requestFetch } from '../metadata/jobs.ts'
import type { Table } from '../layout/tables.ts'
import { quote } from '../../sql/sql.ts'
import { ask, type RowKey, type Steps } from '../metadata/steps.ts'
import { hide, purge, unhide } from './curation.ts'
import { decide, type RecordOutcome } from './decide.ts'
import { MonotonicClock } from '../../util/instant.ts'
import { moveRows, moveSome, type MovesOptions } from './moves.ts'
import type { NewRow, RecordStore, RecordTable, RowId } from './record-table.ts'
import { StoryDeriver } from '../stories/derive-stories.ts'
import { RejectionLimit } from './rejections.ts'
import { WorkingSet } from './working-set.ts'
import { writeRun } from './write-run.ts'
import { findAccountStatuses, type Move, unknownAccount, type WriteTransaction } from './write-transaction.ts'

/** Record changes in one run, which is decided and written as a whole. */
const longestRun = 500
/** Repository collections and accounts remembered between runs; bounded, because a load is one transaction. */
const mostRemembered = 100_000
/** Rows of an account that are removed at once. */
const rowsAtOnce = 1_000

export interface ApplierOptions {
  readonly tables: readonly Table[]
  /** Microseconds since 1970. */
  readonly now: () => bigint
  /** Validates stored records against the lexicons in force. */
  readonly check: RecordCheck
  /** Retention periods of records; absent: unlimited. */
  readonly retention?: Retention
}

export class Applier {
  readonly #store: RecordStore
  readonly #options: ApplierOptions
  readonly #clock: MonotonicClock
  readonly #limit = new RejectionLimit()
  readonly #moves: MovesOptions
  readonly #mostRemembered: number
  readonly #derivers: readonly StoryDeriver[]

  constructor(store: RecordStore, options: ApplierOptions, remembered = mostRemembered) {
    this.#store = store
    this.#options = options
    this.#mostRemembered = remembered
    this.#clock = new MonotonicClock(options.now)
    this.#derivers = [...store.tables.values()].flatMap((records) => {
      const { stories } = records.table
      return stories === null ? [] : [new StoryDeriver(records, stories)]
    })
    this.#moves = {
      tables: store.tables,
      check: options.check,
      onRefused: (transaction, rejections) => {
        const changes = rejections.map((rejection) => ({ kind: 'reject' as const, ...rejection }))
        return this.#applyRun(transaction, changes, false)
      },
    }
  }

  *applyBatch(
    transaction: WriteTransaction,
    changes: readonly Change[],
    source?: SourceMark | CountedSource,
  ): Steps<BatchOutcome> {
    yield* this.#followStored(changes)
    const counts = new OutcomeCounts()
    const outcome = yield* this.apply(transaction, changes, { counts })
    if (typeof source === 'string') yield* counts.save(source)
    else if (source !== undefined) yield* counts.saveMarked(source, this.#options.now())
    for (const table of this.#store.tables.values()) yield* table.refreshCounts()
    return outcome
  }

  /** `blind`: the tables probably lack these records, so that the search for existing rows is skipped. */
  *apply(
    transaction: WriteTransaction,
    changes: readonly Change[],
    { blind = false, counts }: { readonly blind?: boolean; readonly counts?: OutcomeCounts } = {},
  ): Steps<BatchOutcome> {
    const outcome = noOutcome()
    const count = (change: Change, recordOutcome: RecordOutcome, records: number): void => {
      outcome[recordOutcome] += records
      counts?.add(change, recordOutcome, records)
    }
    for (const part of inRuns(changes)) {
      if ('kind' in part) {
        const removed = yield* this.#applyOther(transaction, part)
        if (removed > 0) count(part, 'deleted', removed)
        continue
      }
      const outcomes = yield* this.#applyRun(transaction, part, blind)
      for (const [index, recordOutcome] of outcomes.entries()) count(part[index] as Change, recordOutcome, 1)
      // Only between runs: a run relies on what it has looked up.
      for (const known of [transaction.bases, transaction.accountStatuses])
        if (known.size > this.#mostRemembered) known.clear()
    }
    return outcome
  }

  /**
   * Removes a record or an account from every answer at once, whatever the network reports later. Returns the number of
   * records that were visible; null, without changes, if the subject is hidden already.
   */
  hide(transaction: WriteTransaction, hiding: NewHiding): Steps<number | null> {
    return hide(transaction, hiding, this.#options.now(), this.#moves)
  }

  /**
   * Shows a subject again in its current state, as far as the network shows it; `settle` brings back rows of an
   * account. Returns the number of records that come back; null if the subject is not hidden.
   */
  *unhide(transaction: WriteTransaction, subject: string, shownBy: string): Steps<number | null> {
    // A promised purge is completed before new records may arrive.
    if (yield* isBeingPurged(subject)) yield* this.#purge(transaction, subject)
    return yield* unhide(transaction, subject, shownBy, this.#options.now(), this.#moves)
  }

  /**
   * Hides a record or an account and removes all its stored data; `settle` removes rows of an account. A purge holds
   * until the subject is shown again. Returns the amount of data to be removed; null, without changes, if the subject
   * is purged already.
   */
  purge(transaction: WriteTransaction, given: NewPurge): Steps<PurgeExtent | null> {
    return purge(transaction, given, this.#options.now(), this.#store)
  }

  /** Removes about `limit` expired records, at least one of each collection; returns their number, 0 at the end. */
  *expire(transaction: WriteTransaction, limit: number): Steps<number> {
    let removed = 0
    for (const [collection, table] of this.#store.tables) {
      const oldest = this.#oldestRetained(collection)
      if (oldest === null) continue
      const rows = yield* table.findExpired(oldest, Math.max(limit - removed, 1))
      yield* table.remove(transaction, rows)
      yield* noteExpired(transaction.dialect, collection, rows)
      removed += rows.length
      removed += yield* expireBesides(transaction.dialect, collection, oldest, Math.max(limit - removed, 1))
    }
    return removed
  }

  /** Derives the stories of about `limit` records that may have changed; returns whether more may have. */
  *deriveStories(transaction: WriteTransaction, limit: number): Steps<boolean> {
    const now = this.#options.now()
    let isMore = false
    for (const deriver of this.#derivers)
      if (yield* deriver.derive(transaction.dialect, now, limit)) isMore = true
    return isMore
  }

  /**
   * Moves at most `limit` rows of accounts that were hidden, shown again or deleted; a finished account counts as one
   * row. Returns the number of moved rows, 0 if nothing is left to do.
   */
  *settle(transaction: WriteTransaction, limit: number): Steps<number> {
    let moved = 0
    while (moved < limit) {
      const next = yield* nextMove()
      if (next === null) return moved
      const { did, move } = next
      const before = moved
      for (const base of yield* repoCollectionsOf(did, this.#collections)) {
        if (moved >= limit) break
        moved += yield* moveSome(transaction, move, base, limit - moved, this.#moves)
      }
      if (moved > before) continue
      yield* this.#finish(transaction, did, move)
      moved += 1
    }
    return moved
  }

  /** Removes all remaining rows of a deleted account, however many there are. */
  *#purge(transaction: WriteTransaction, did: string): Steps<void> {
    for (const base of yield* repoCollectionsOf(did, this.#collections))
      while ((yield* moveSome(transaction, 'purge', base, rowsAtOnce, this.#moves)) > 0);
    yield* this.#finish(transaction, did, 'purge')
    transaction.accountStatuses.delete(did)
  }

  /** Rows that were parked meanwhile may have saved the position of the account's last row again. */
  *#finish(transaction: WriteTransaction, did: string, move: Move): Steps<void> {
    yield* finishMove(did, move, this.#collections)
    if (move === 'purge') yield* this.#store.erase(transaction, did)
  }

  #oldestRetained(collection: string): bigint | null {
    const { retention, now } = this.#options
    return retention === undefined ? null : oldestRetained(retention, collection, now())
  }

  get #collections(): readonly string[] {
    return [...this.#store.tables.keys()]
  }

  *#applyRun(
    transaction: WriteTransaction,
    run: readonly RecordChange[],
    blind: boolean,
  ): Steps<readonly RecordOutcome[]> {
    if (run.length === 0) return []
    const set = new WorkingSet({
      transaction,
      tables: this.#store.tables,
      clock: this.#clock,
      blind,
      oldestRetained: (collection) => this.#oldestRetained(collection),
      move: (rows) => moveRows(transaction, rows, this.#moves),
    })
    yield* set.read(run)
    const outcomes = run.map((change, position) => decide(set, change, position))
    if (!(yield* writeRun(transaction, set, (...given) => this.#place(transaction, ...given)))) {
      if (!blind) throw new Error('A row was there that had been looked for and not found.')
      return yield* this.#applyRun(transaction, run, false)
    }
    yield* this.#limit.hold(yield* set.rejections.write(transaction))
    return outcomes
  }

  *#place({ dialect }: WriteTransaction, table: RecordTable, rows: readonly NewRow[]) {
    const deriver = this.#derivers.find(({ records }) => records === table)
    if (deriver === undefined || rows.length > this.#store.mostPlaced) return rows
    return yield* deriver.place(dialect, this.#options.now(), rows)
  }

  /** Returns the number of removed records. */
  *#applyOther(transaction: WriteTransaction, change: OtherChange): Steps<number> {
    const { accountStatuses } = transaction
    switch (change.kind) {
      case 'account': {
        if (yield* mustPurgeBefore(change)) yield* this.#purge(transaction, change.did)
        const isBack = yield* changeAccount(change, this.#collections)
        accountStatuses.delete(change.did)
        if (isBack) yield* this.#request({ did: change.did, reason: 'The account is active again.' })
        return 0
      }
      case 'identity':
        yield* changeIdentity(change.did)
        return 0
      case 'repo-request':
        if (change.ifKnown === true) yield* findAccountStatuses(transaction, [change.did])
        if (change.ifKnown !== true || accountStatuses.get(change.did) != null) yield* this.#request(change)
        return 0
      case 'repo-end':
        return yield* this.#endRepo(transaction, change)
    }
  }

  /** Removes rows older than the repository's state at that revision, which are not in it; returns their number. */
  *#endRepo(transaction: WriteTransaction, end: RepoEnd): Steps<number> {
    const { accountStatuses } = transaction
    yield* findAccountStatuses(transaction, [end.did])
    const accountStatus = accountStatuses.get(end.did) ?? unknownAccount
    let removed = 0
    for (const base of yield* endRepo(end, accountStatus, this.#collections)) {
      removed += yield* this.#removeOlder(transaction, base, end.rev)
      yield* forgetOlder(base, end.rev)
    }
    accountStatuses.delete(end.did)
    return removed
  }

  *#removeOlder(
    transaction: WriteTransaction,
    { base, collection }: AccountRepoCollection,
    rev: string,
  ): Steps<number> {
    const table = this.#store.tables.get(collection)
    if (table === undefined) return 0
    const find = `select id, base, rkey from ${quote(table.table.name)}
      where base = ? and rkey > ? and (rev is null or rev < ?) order by rkey limit ?`
    let removed = 0
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows: readonly (RowId & RowKey)[] = yield* ask<RowId & RowKey>(find, base, after, rev, rowsAtOnce)
      yield* table.remove(transaction, rows)
      removed += rows.length
      after = rows.at(-1)?.rkey
    }
    return removed
  }

  *#request({ did, reason, dueAt }: RepoRequest): Steps<void> {
    const now = this.#options.now()
    yield* requestFetch(did, reason, dueAt ?? now, now)
  }

  /** The clock gives times to changes that bring none, and to records that replace another one. */
  *#followStored(changes: readonly Change[]): Steps<void> {
    if (!changes.some(({ kind }) => kind === 'put' || kind === 'reject')) return
    this.#clock.follow(yield* this.#store.lastStored(this.#clock.horizon))
  }
}

type OtherChange = Exclude<Change, RecordChange>

/** Runs of record changes, and the other changes between them, in order. */
function* inRuns(changes: readonly Change[]): Generator<readonly RecordChange[] | OtherChange> {
  let run: RecordChange[] = []
  for (const change of changes) {
    const isRecord = change.kind === 'put' || change.kind === 'delete' || change.kind === 'reject'
    if (isRecord) run.push(change)
    if (run.length > 0 && (!isRecord || run.length === longestRun)) {
      yield run
      run = []
    }
    if (!isRecord) yield change
  }
  if (run.length > 0) yield run
}
