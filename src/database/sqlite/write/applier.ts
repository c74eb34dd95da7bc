/** Applies changes to the tables of a SQLite file, within the caller's transaction. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type {
  BatchOutcome,
  Change,
  CountedSource,
  RecordPut,
  RepoRequest,
  SourceMark,
} from '../../database.ts'
import {
  repoCollectionUri,
  decideDelete,
  decidePut,
  decideReject,
  type RecordOutcome,
  type RecordSlot,
  type RecordName,
  type AccountStatus,
  timesOf,
  type WriteContext,
} from '../../write/decide.ts'
import { MonotonicClock } from '../../write/monotonic-clock.ts'
import { changeIdentity } from '../../metadata/accounts.ts'
import { countExpired, expireBesides, oldestRetained } from '../../metadata/expiry.ts'
import { requestFetch } from '../../metadata/sql-metadata-store.ts'
import { OutcomeCounts } from '../../metadata/source-marks.ts'
import type { ApplierOptions } from '../../migrate-options.ts'
import { noOutcome } from '../../write/outcome.ts'
import { Accounts } from './accounts.ts'
import { Expirations } from './expirations.ts'
import { SqliteRecordSlot } from './record-slot.ts'
import { Rejections } from './rejections.ts'
import { createRunner, type Run } from '../steps.ts'
import { TableWriter } from './table-writer.ts'
import { Tombstones } from './tombstones.ts'

export class Applier {
  readonly run: Run
  readonly accounts: Accounts
  readonly #options: ApplierOptions
  readonly #tables = new Map<string, TableWriter>()
  readonly #repoCollections = new Map<string, number>()
  readonly #rejections: Rejections
  readonly #findBase: StatementSync
  readonly #addBase: StatementSync
  readonly #tombstones: Tombstones
  readonly #expirations: Expirations
  readonly #clock: MonotonicClock
  readonly #context: WriteContext
  /** True in a load's transaction: only primary rows and side tables are written; the rest is built at its end. */
  #bulk = false

  constructor(database: DatabaseSync, options: ApplierOptions) {
    this.#options = options
    this.#findBase = database.prepare('select id from base where uri = ?')
    this.#addBase = database.prepare('insert into base (uri, did, collection) values (?, ?, ?) returning id')
    this.#tombstones = new Tombstones(database)
    this.#expirations = new Expirations(database)
    this.#clock = new MonotonicClock(options.now)
    for (const table of options.tables)
      this.#tables.set(table.collection.nsid, new TableWriter(database, table, (uri) => this.#base(uri)))
    this.#rejections = new Rejections(database)
    this.run = createRunner(database)
    this.accounts = new Accounts(database, {
      run: this.run,
      tables: this.#tables,
      check: options.check,
      onReturn: (did) => this.#request({ did, reason: 'The account is active again.' }),
      onRefused: (rejection) => decideReject(this.#context, rejection),
    })
    this.#context = {
      serves: (collection) => this.#tables.has(collection),
      accountStatus: (did) => this.accounts.accountStatus(did),
      enter: (did) => this.accounts.enter(did),
      slot: (record, accountStatus) => this.#slot(record, accountStatus),
      isPurged: (did, uri) => this.accounts.hidings.purges(did, uri),
      oldestRetained: (collection) => this.#oldestRetained(collection),
      clearRejection: (uri, rev) => this.#rejections.clearRejection(uri, rev),
      keep: (rejection, seenAt) => this.#rejections.keep(rejection, seenAt),
      nextInstant: () => this.#clock.next(),
    }
    this.refresh()
  }

  get isEmpty(): boolean {
    return [...this.#tables.values()].every(({ isEmpty }) => isEmpty)
  }

  apply(changes: readonly Change[], mark?: SourceMark | CountedSource): BatchOutcome {
    const counts = new OutcomeCounts()
    const outcome = this.count(changes, counts)
    if (typeof mark === 'string') this.run(counts.save(mark))
    else if (mark !== undefined) this.run(counts.saveMarked(mark, this.#options.now()))
    if (!this.#bulk) for (const table of this.#tables.values()) table.refreshCounts()
    return outcome
  }

  /** Applies changes and adds to `counts`, which the caller saves. */
  count(changes: readonly Change[], counts: OutcomeCounts): BatchOutcome {
    const outcome = noOutcome()
    for (const change of changes) {
      const applied = this.#applyOne(change)
      if (applied === null) continue
      outcome[applied.recordOutcome] += applied.records
      counts.add(change, applied.recordOutcome, applied.records)
    }
    return outcome
  }

  /** See `expireRecords` of the metadata store. */
  expire(limit: number): number {
    let removed = 0
    for (const [collection, table] of this.#tables) {
      const oldest = this.#oldestRetained(collection)
      if (oldest === null) continue
      const records = this.#expirations.expire(table, oldest, Math.max(limit - removed, 1))
      this.run(countExpired(collection, records))
      removed += records
      removed += this.run(expireBesides(collection, oldest, Math.max(limit - removed, 1)))
    }
    return removed
  }

  /** Writes buffered changes before the transaction ends. */
  complete(): void {
    for (const table of this.#tables.values()) table.completeCounts()
    for (const table of this.#tables.values()) table.completeTexts()
  }

  /** Reads cached order and ids again. */
  refresh(): void {
    this.#bulk = false
    this.#repoCollections.clear()
    this.accounts.forget()
    this.#rejections.refresh()
    this.#tombstones.refresh()
    this.#expirations.refresh()
    let lastStored = 0n
    for (const table of this.#tables.values()) {
      table.refresh()
      if (table.lastIndexedAt > lastStored) lastStored = table.lastIndexedAt
    }
    this.#clock.follow(lastStored)
  }

  /** From now on only primary rows and side tables are written, until `completeLoad`. */
  startLoad(): void {
    this.#bulk = true
    for (const table of this.#tables.values()) table.startLoad()
  }

  completeLoad(): void {
    for (const table of this.#tables.values()) table.completeOrder()
    for (const table of this.#tables.values()) table.completeLoad()
    for (const table of this.#tables.values()) table.fillSums()
    this.refresh()
  }

  #applyOne(change: Change): { readonly recordOutcome: RecordOutcome; readonly records: number } | null {
    switch (change.kind) {
      case 'put':
        return {
          recordOutcome: this.#isNew(change) ? 'stored' : decidePut(this.#context, change),
          records: 1,
        }
      case 'delete':
        return { recordOutcome: decideDelete(this.#context, change), records: 1 }
      case 'reject':
        return { recordOutcome: decideReject(this.#context, change), records: 1 }
      case 'repo-end':
        return { recordOutcome: 'deleted', records: this.accounts.endRepo(change) }
      case 'account':
        this.accounts.change(change)
        return null
      case 'identity':
        this.run(changeIdentity(change.did))
        return null
      case 'repo-request':
        if (change.ifKnown !== true || this.accounts.has(change.did)) this.#request(change)
        return null
    }
  }

  /** Tries to insert without a lookup, because a load rarely finds existing rows; returns false if that failed. */
  #isNew(record: RecordPut): boolean {
    if (!this.#bulk || this.#tombstones.any || this.#expirations.any) return false
    const { did, rkey, cid, rev, json } = record
    const table = this.#table(record.collection)
    const baseUri = repoCollectionUri(record)
    if (this.accounts.hidings.hides(did, baseUri, rkey)) return false
    const { status, floor, move } = this.accounts.enter(did)
    if (status !== null || floor !== null || move !== null) return false
    const times = timesOf(record, this.#context.nextInstant)
    const oldest = this.#oldestRetained(record.collection)
    if (oldest !== null && times.indexedAt < oldest) return false
    const row = { id: null, base: this.#base(baseUri), did, rkey, cid, rev, ...times, json }
    if (!table.insert(row, record, true)) return false
    this.#rejections.clearRejection(baseUri + rkey, rev)
    return true
  }

  #slot({ did, collection, rkey }: RecordName, accountStatus: AccountStatus): RecordSlot {
    const table = this.#table(collection)
    const baseUri = repoCollectionUri({ did, collection })
    const base = this.#base(baseUri)
    const rows = this.accounts.rowsOf(accountStatus, { did, base, baseUri, rkey, table })
    return new SqliteRecordSlot({
      ...rows,
      tombstones: this.#tombstones,
      expirations: this.#expirations,
      base,
      rkey,
      did,
      bulk: this.#bulk,
    })
  }

  #oldestRetained(collection: string): bigint | null {
    const { retention, now } = this.#options
    return retention === undefined ? null : oldestRetained(retention, collection, now())
  }

  #request({ did, reason, dueAt }: RepoRequest): void {
    const now = this.#options.now()
    this.run(requestFetch(did, reason, dueAt ?? now, now))
  }

  #table(collection: string): TableWriter {
    const table = this.#tables.get(collection)
    if (table === undefined) throw new Error(`No table for collection ${collection}.`)
    return table
  }

  #base(uri: string): number {
    const known = this.#repoCollections.get(uri)
    if (known !== undefined) return known
    const [, did, collection] = /^at:\/\/([^/]+)\/([^/]+)\/$/.exec(uri) ?? []
    const id = this.#findBase.get(uri)?.id ?? this.#addBase.get(uri, did ?? null, collection ?? null)?.id
    if (this.#repoCollections.size > 100_000) this.#repoCollections.clear()
    this.#repoCollections.set(uri, Number(id))
    return Number(id)
  }
}
