/** Applies changes to the database within a transaction: runs of record changes together, other changes one by one. */
import type {
  BatchOutcome,
  Change,
  CountedSource,
  Rejection,
  RepoEnd,
  RepoRequest,
  SourceMark,
} from '../../database.ts'
import {
  decideDelete,
  decidePut,
  decideReject,
  type RecordOutcome,
  unknownAccount,
  type WriteContext,
} from '../../write/decide.ts'
import { MonotonicClock } from '../../write/monotonic-clock.ts'
import {
  repoCollectionsOf,
  changeAccount,
  changeIdentity,
  endRepo,
  finishMove,
  forgetOlder,
  mustPurgeBefore,
  nextMove,
} from '../../metadata/accounts.ts'
import { oldestRetained } from '../../metadata/expiry.ts'
import type { NewHiding } from '../../metadata/hidings.ts'
import { requestFetch } from '../../metadata/sql-metadata-store.ts'
import type { NewPurge } from '../../metadata/purges.ts'
import { OutcomeCounts } from '../../metadata/source-marks.ts'
import type { PurgeExtent } from '../../metadata/metadata-store.ts'
import type { ApplierOptions } from '../../migrate-options.ts'
import { noOutcome } from '../../write/outcome.ts'
import { quote } from '../layout/ddl.ts'
import { hide, unhide } from './hidings.ts'
import { type MovesOptions, moveAsked, moveSome } from './moves.ts'
import { expire, purge } from './purges.ts'
import { RejectionLimit } from './rejection-changes.ts'
import { writeRun } from './run-writer.ts'
import { runSteps } from '../steps.ts'
import { TableWriter } from './table-writer.ts'
import { refreshDriftedCounts } from './text-counts.ts'
import type { Transaction } from './transactions.ts'
import { findAccountStatuses, type RecordChange, WorkingSet } from './working-set.ts'

/** Record changes in one run, which is decided and written as a whole. */
const longestRun = 500
/** Repository collections and accounts remembered between runs; bounded, because a load is one transaction. */
const mostRemembered = 100_000
/** Rows of a deleted account that one statement removes. */
const rowsAtOnce = 1_000

export class Applier {
  readonly tables: ReadonlyMap<string, TableWriter>
  readonly #options: ApplierOptions
  readonly #clock: MonotonicClock
  readonly #limit = new RejectionLimit()
  readonly #moves: MovesOptions
  /** Statement for the latest `indexed_at` up to a given time. */
  readonly #lastStored: string
  readonly #mostRemembered: number

  constructor(options: ApplierOptions, remembered = mostRemembered) {
    const { tables } = options
    this.#options = options
    this.#mostRemembered = remembered
    this.#clock = new MonotonicClock(options.now)
    this.tables = new Map(tables.map((table) => [table.collection.nsid, new TableWriter(table)]))
    this.#moves = {
      tables: this.tables,
      check: options.check,
      purge: (transaction, did) => this.#purge(transaction, did),
      onRefused: (transaction, rejections) => this.#reject(transaction, rejections),
    }
    const each = tables.map(
      ({ name }) => `select max(indexed_at) as at from ${quote(name)} where indexed_at <= $1`,
    )
    this.#lastStored = `select max(at) as at from (${each.join(' union all ')}) as each`
  }

  async applyBatch(
    transaction: Transaction,
    changes: readonly Change[],
    source?: SourceMark | CountedSource,
  ): Promise<BatchOutcome> {
    await this.#followStored(transaction, changes)
    const counts = new OutcomeCounts()
    const outcome = await this.apply(transaction, changes, { counts })
    if (typeof source === 'string') await runSteps(transaction.client, counts.save(source))
    else if (source !== undefined)
      await runSteps(transaction.client, counts.saveMarked(source, this.#options.now()))
    for (const table of this.tables.values()) await refreshDriftedCounts(transaction, table)
    return outcome
  }

  /** `blind`: the tables probably lack these records, so that the search for existing rows is skipped. */
  async apply(
    transaction: Transaction,
    changes: readonly Change[],
    { blind = false, counts }: { readonly blind?: boolean; readonly counts?: OutcomeCounts } = {},
  ): Promise<BatchOutcome> {
    const outcome = noOutcome()
    const count = (change: Change, recordOutcome: RecordOutcome, records: number): void => {
      outcome[recordOutcome] += records
      counts?.add(change, recordOutcome, records)
    }
    let run: RecordChange[] = []
    const finishRun = async (): Promise<void> => {
      const fates = await this.#applyRun(transaction, run, blind)
      for (const [index, recordOutcome] of fates.entries()) count(run[index] as Change, recordOutcome, 1)
      run = []
      // Only between runs: a run relies on what it has looked up.
      for (const known of [transaction.bases, transaction.accountStatuses])
        if (known.size > this.#mostRemembered) known.clear()
    }
    for (const change of changes) {
      if (change.kind === 'put' || change.kind === 'delete' || change.kind === 'reject') {
        if (run.push(change) >= longestRun) await finishRun()
        continue
      }
      await finishRun()
      const removed = await this.#applyOther(transaction, change)
      if (removed > 0) count(change, 'deleted', removed)
    }
    await finishRun()
    return outcome
  }

  /** Implements `hide` of the metadata store. */
  hide(transaction: Transaction, hiding: NewHiding): Promise<number | null> {
    return hide(transaction, hiding, this.#options.now(), this.#moves)
  }

  /** Implements `unhide` of the metadata store. */
  unhide(transaction: Transaction, subject: string, shownBy: string): Promise<number | null> {
    return unhide(transaction, subject, shownBy, this.#options.now(), this.#moves)
  }

  /** Implements `purge` of the metadata store. */
  purge(transaction: Transaction, given: NewPurge): Promise<PurgeExtent | null> {
    return purge(transaction, given, this.#options.now(), this.#moves)
  }

  /** Implements `expireRecords` of the metadata store. */
  async expire(transaction: Transaction, limit: number): Promise<number> {
    let removed = 0
    for (const [collection, table] of this.tables) {
      const oldest = this.#oldestRetained(collection)
      if (oldest !== null) removed += await expire(transaction, table, oldest, Math.max(limit - removed, 1))
    }
    return removed
  }

  /** Implements `settleAccounts` of the metadata store. */
  async settle(transaction: Transaction, limit: number): Promise<number> {
    const { client } = transaction
    let moved = 0
    while (moved < limit) {
      const next = await runSteps(client, nextMove())
      if (next === null) return moved
      const { did, move } = next
      const before = moved
      for (const base of await runSteps(client, repoCollectionsOf(did, this.#collections))) {
        if (moved >= limit) break
        moved += await moveSome(transaction, move, base, limit - moved, this.#moves)
      }
      if (moved > before) continue
      await runSteps(client, finishMove(did, move, this.#collections))
      transaction.accountStatuses.delete(did)
      moved += 1
    }
    return moved
  }

  /** Removes all remaining rows of a deleted account, however many there are. */
  async #purge(transaction: Transaction, did: string): Promise<void> {
    const { client } = transaction
    for (const base of await runSteps(client, repoCollectionsOf(did, this.#collections)))
      while ((await moveSome(transaction, 'purge', base, rowsAtOnce, this.#moves)) > 0);
    await runSteps(client, finishMove(did, 'purge', this.#collections))
    transaction.accountStatuses.delete(did)
  }

  #oldestRetained(collection: string): bigint | null {
    const { retention, now } = this.#options
    return retention === undefined ? null : oldestRetained(retention, collection, now())
  }

  get #collections(): readonly string[] {
    return [...this.tables.keys()]
  }

  async #applyRun(
    transaction: Transaction,
    run: readonly RecordChange[],
    blind: boolean,
  ): Promise<readonly RecordOutcome[]> {
    if (run.length === 0) return []
    const set = new WorkingSet({
      transaction,
      tables: this.tables,
      clock: this.#clock,
      blind,
      oldestRetained: (collection) => this.#oldestRetained(collection),
      move: (asked) => moveAsked(transaction, asked, this.#moves),
    })
    await set.read(run)
    const fates = run.map((change) => decide(set, change))
    if (!(await writeRun(transaction, set))) {
      if (!blind) throw new Error('A row was there that had been looked for and not found.')
      return this.#applyRun(transaction, run, false)
    }
    await this.#limit.hold(transaction, set.rejections.kept)
    return fates
  }

  /** Returns the number of removed records. */
  async #applyOther(transaction: Transaction, change: Exclude<Change, RecordChange>): Promise<number> {
    const { client, accountStatuses } = transaction
    switch (change.kind) {
      case 'account': {
        if (await runSteps(client, mustPurgeBefore(change))) await this.#purge(transaction, change.did)
        const isBack = await runSteps(client, changeAccount(change, this.#collections))
        accountStatuses.delete(change.did)
        if (isBack)
          await this.#request(transaction, { did: change.did, reason: 'The account is active again.' })
        return 0
      }
      case 'identity':
        await runSteps(client, changeIdentity(change.did))
        return 0
      case 'repo-request':
        if (change.ifKnown === true) await findAccountStatuses(transaction, [change.did])
        if (change.ifKnown !== true || accountStatuses.get(change.did) != null)
          await this.#request(transaction, change)
        return 0
      case 'repo-end':
        return this.#endRepo(transaction, change)
    }
  }

  async #endRepo(transaction: Transaction, end: RepoEnd): Promise<number> {
    const { client, accountStatuses } = transaction
    await findAccountStatuses(transaction, [end.did])
    const accountStatus = accountStatuses.get(end.did) ?? unknownAccount
    let removed = 0
    for (const base of await runSteps(client, endRepo(end, accountStatus, this.#collections))) {
      removed += (await this.tables.get(base.collection)?.removeOlder(transaction, base.base, end.rev)) ?? 0
      await runSteps(client, forgetOlder(base, end.rev))
    }
    accountStatuses.delete(end.did)
    return removed
  }

  async #request({ client }: Transaction, { did, reason, dueAt }: RepoRequest): Promise<void> {
    const now = this.#options.now()
    await runSteps(client, requestFetch(did, reason, dueAt ?? now, now))
  }

  async #reject(transaction: Transaction, rejections: readonly Rejection[]): Promise<void> {
    const changes = rejections.map((rejection) => ({ kind: 'reject' as const, ...rejection }))
    await this.#applyRun(transaction, changes, false)
  }

  /** The clock gives times to changes that bring none, and to records that replace another one. */
  async #followStored({ query }: Transaction, changes: readonly Change[]): Promise<void> {
    if (!changes.some(({ kind }) => kind === 'put' || kind === 'reject')) return
    const [row] = await query<{ at: bigint | null }>(this.#lastStored, this.#clock.horizon)
    this.#clock.follow(row?.at ?? 0n)
  }
}

function decide(context: WriteContext, change: RecordChange): RecordOutcome {
  switch (change.kind) {
    case 'put':
      return decidePut(context, change)
    case 'delete':
      return decideDelete(context, change)
    case 'reject':
      return decideReject(context, change)
  }
}
