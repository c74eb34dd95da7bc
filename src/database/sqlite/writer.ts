/**
 * The write path of SQLite: batches in one transaction each, and whole imports in one. Here it is decided
 * which of two versions of a record holds; revisions decide, never the order of arrival.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type {
  BatchOutcome,
  Change,
  RecordCheck,
  RecordDelete,
  RecordPut,
  Rejection,
  RepoEnd,
  RepoRequest,
  SourceMark,
  WriteDatabase,
} from '../database.ts'
import { DatabaseBusyError } from '../database.ts'
import { addOutcome, noOutcome } from '../outcome.ts'
import type { Table } from '../tables.ts'
import { Accounts } from './accounts.ts'
import { SqliteLedger } from './ledger.ts'
import { Rejections } from './rejections.ts'
import { SourceMarks } from './source-marks.ts'
import { type NewRow, TableWriter } from './table-writer.ts'

export interface WriterOptions {
  readonly tables: readonly Table[]
  /** Microseconds since 1970. */
  readonly now: () => bigint
  readonly check: RecordCheck
}

/** SQLITE_BUSY. */
const busy = 5
/** Milliseconds that a transaction waits for another process's, and between two attempts. */
const lockTimeout = 10_000
const lockPause = 20
/** Microseconds. */
const clockTolerance = 1_000_000n

/** What became of one record. */
type Fate = keyof BatchOutcome

export class SqliteWriter implements WriteDatabase {
  readonly ledger: SqliteLedger
  readonly #database: DatabaseSync
  readonly #options: WriterOptions
  readonly #tables = new Map<string, TableWriter>()
  readonly #bases = new Map<string, number>()
  readonly #accounts: Accounts
  readonly #rejections: Rejections
  readonly #marks: SourceMarks
  readonly #findBase: StatementSync
  readonly #addBase: StatementSync
  readonly #findTombstone: StatementSync
  readonly #addTombstone: StatementSync
  readonly #dropTombstone: StatementSync
  readonly #derivation: unknown
  #tombstones = false
  /** As `pragma data_version` has it: another value means that another process has written. */
  #dataVersion: unknown
  #lastInstant = 0n
  /** When the last record was stored, as the file has it. */
  #lastStored = 0n
  /** While a load's transaction is open: only kept rows and side tables, the rest at its end. */
  #bulk = false
  #busy: Promise<unknown> = Promise.resolve()

  constructor(database: DatabaseSync, options: WriterOptions) {
    this.#database = database
    this.#options = options
    this.#findBase = database.prepare('select id from base where uri = ?')
    this.#addBase = database.prepare('insert into base (uri, did, collection) values (?, ?, ?) returning id')
    this.#findTombstone = database.prepare('select rev from tombstone where base = ? and rkey = ?')
    this.#addTombstone = database.prepare(
      'insert into tombstone (base, rkey, rev) values (?, ?, ?) on conflict (base, rkey) do update set rev = excluded.rev',
    )
    this.#dropTombstone = database.prepare('delete from tombstone where base = ? and rkey = ?')
    for (const table of options.tables)
      this.#tables.set(table.collection.nsid, new TableWriter(database, table, (uri) => this.#base(uri)))
    this.#rejections = new Rejections(database)
    this.#marks = new SourceMarks(database, options.now)
    this.#accounts = new Accounts(database, {
      tables: this.#tables,
      check: options.check,
      onReturn: (did) => this.#request({ did, reason: 'The account is active again.' }),
      onRefused: (rejection) => this.#reject(rejection),
    })
    this.ledger = new SqliteLedger(database, {
      transact: (work) => this.#transact(work),
      now: options.now,
      settle: (limit) => this.#accounts.settle(limit),
    })
    this.#derivation = this.#readDerivation()
    this.#dataVersion = this.#readDataVersion()
    this.#refresh()
  }

  /** Settles when no load is under way; a reader on the same connection waits for it. */
  get idle(): Promise<unknown> {
    return this.#busy
  }

  applyBatch(
    changes: readonly Change[],
    mark?: SourceMark,
    { durable = false }: { readonly durable?: boolean } = {},
  ): Promise<BatchOutcome> {
    return this.#exclusively(async () => {
      // In WAL mode `normal` loses the last transactions with the power, never the file (https://sqlite.org/wal.html).
      if (durable) this.#database.exec('pragma synchronous = full')
      try {
        await this.#begin()
        return this.#finish(() => this.#apply(changes, mark))
      } finally {
        if (durable) this.#database.exec('pragma synchronous = normal')
      }
    })
  }

  load(batches: AsyncIterable<readonly Change[]>): Promise<BatchOutcome> {
    return this.#exclusively(async () => {
      await this.#begin()
      const empty = [...this.#tables.values()].every(({ isEmpty }) => isEmpty)
      const total = noOutcome()
      if (!empty) {
        this.#database.exec('commit')
        for await (const batch of batches) {
          await this.#begin()
          const outcome = this.#finish(() => this.#apply(batch))
          addOutcome(total, outcome)
        }
        return total
      }
      try {
        this.#startLoad()
        for await (const batch of batches) {
          addOutcome(total, this.#apply(batch))
        }
      } catch (error) {
        this.#rollback()
        throw error
      }
      this.#finish(() => this.#completeLoad())
      this.#database.exec('pragma wal_checkpoint(truncate)')
      return total
    })
  }

  /** The same into new tables within the caller's transaction, for a rebuild. */
  refill(batches: Iterable<readonly Change[]>): void {
    this.#startLoad()
    for (const batch of batches) this.#apply(batch)
    this.#completeLoad()
    this.#bulk = false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#busy
    this.#database.close()
  }

  async #exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#busy.then(work)
    this.#busy = turn.catch(() => undefined)
    return turn
  }

  #transact<Result>(work: () => Result): Promise<Result> {
    return this.#exclusively(async () => {
      await this.#begin()
      return this.#finish(work)
    })
  }

  /** Other processes may have written since the last transaction: what memory says is then read anew. */
  async #begin(): Promise<void> {
    await this.#lock()
    const version = this.#readDataVersion()
    if (version === this.#dataVersion) return
    try {
      if (this.#readDerivation() !== this.#derivation)
        throw new Error('The database has been rebuilt for other lexicons meanwhile. Start again.')
      this.#refresh()
      this.#dataVersion = version
    } catch (error) {
      this.#database.exec('rollback')
      throw error
    }
  }

  /** The engine's own waiting would hold up everything else that this thread does. */
  async #lock(): Promise<void> {
    const end = performance.now() + lockTimeout
    for (;;) {
      try {
        this.#database.exec('begin immediate')
        return
      } catch (cause) {
        // The low byte says what it is, the others why (https://sqlite.org/rescode.html#extrc).
        if ((((cause as { errcode?: number }).errcode ?? 0) & 0xff) !== busy) throw cause
        if (performance.now() > end)
          throw new DatabaseBusyError(
            'Another process is writing to the database. Try again when it is done.',
            { cause },
          )
      }
      await pause(lockPause)
    }
  }

  #finish<Result>(work: () => Result): Result {
    try {
      const result = work()
      for (const table of this.#tables.values()) table.completeTexts()
      this.#database.exec('commit')
      return result
    } catch (error) {
      this.#rollback()
      throw error
    } finally {
      this.#bulk = false
    }
  }

  /** Memory must not be ahead of the file: what it says of order and ids is read anew. */
  #rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('rollback')
    this.#bulk = false
    this.#refresh()
  }

  #readDerivation(): unknown {
    return this.#database.prepare('select derivation from state').get()?.derivation
  }

  #readDataVersion(): unknown {
    return this.#database.prepare('pragma data_version').get()?.data_version
  }

  #refresh(): void {
    this.#bases.clear()
    this.#accounts.forget()
    this.#rejections.refresh()
    this.#marks.forget()
    this.#tombstones = this.#database.prepare('select 1 from tombstone limit 1').get() !== undefined
    this.#lastStored = 0n
    for (const table of this.#tables.values()) {
      table.refresh()
      if (table.lastIndexedAt > this.#lastStored) this.#lastStored = table.lastIndexedAt
    }
  }

  #apply(changes: readonly Change[], mark?: SourceMark): BatchOutcome {
    const outcome = noOutcome()
    for (const change of changes) {
      const fates = this.#applyOne(change)
      if (fates === null) continue
      outcome[fates.fate] += fates.records
      if (mark !== undefined) this.#marks.count(mark.source, change, fates.fate, fates.records)
    }
    if (mark !== undefined) this.#marks.save(mark)
    if (!this.#bulk) for (const table of this.#tables.values()) table.refreshCounts()
    return outcome
  }

  #applyOne(change: Change): { readonly fate: Fate; readonly records: number } | null {
    switch (change.kind) {
      case 'put':
        return { fate: this.#put(change), records: 1 }
      case 'delete':
        return { fate: this.#delete(change), records: 1 }
      case 'reject':
        return { fate: this.#reject(change), records: 1 }
      case 'repo-end':
        return { fate: 'deleted', records: this.#endRepo(change) }
      case 'account':
        this.#accounts.change(change)
        return null
      case 'identity':
        this.#database
          .prepare(`update actor set handle_due = 0 where did = ? and status is not 'deleted'`)
          .run(change.did)
        return null
      case 'repo-request':
        if (change.ifKnown !== true || this.#accounts.has(change.did)) this.#request(change)
        return null
    }
  }

  #put(record: RecordPut): Fate {
    const { did, rkey, cid, rev, json } = record
    const table = this.#table(record.collection)
    const standing = this.#accounts.enter(did)
    const { status, floor, move } = standing
    if (status === 'deleted') return 'withheld'
    const baseUri = `at://${did}/${record.collection}/`
    const base = this.#base(baseUri)
    const newRow = (): NewRow => {
      const indexedAt = record.indexedAt ?? this.#nextInstant()
      const changedAt = record.changedAt ?? indexedAt
      return { id: null, base, did, rkey, cid, rev, indexedAt, changedAt, json }
    }
    // A load finds hardly anything there; looking first would cost every record.
    const simple = this.#bulk && status === null && floor === null && move === null && !this.#tombstones
    if (simple && table.insert(newRow(), record, true)) {
      this.#rejections.forgive(baseUri + rkey, rev)
      return 'stored'
    }
    const rows = this.#accounts.rowsOf(standing, { did, base, rkey, table })
    const stored = rows.find(base, rkey)
    const tombstone = this.#tombstone(base, rkey)
    const settled = latest(stored?.rev, floor, tombstone)
    this.#rejections.forgive(baseUri + rkey, rev)
    // A record without a revision never outranks one that has it, nor what is known of the repository.
    if (settled !== null && (rev === null || rev < settled)) {
      const same = rev === null && stored !== undefined && sameBytes(stored.cid, cid)
      return same ? 'unchanged' : 'older'
    }
    if (tombstone !== null) this.#dropTombstone.run(base, rkey)
    const withheld = status === null ? null : 'withheld'
    if (stored === undefined) {
      rows.insert(newRow(), record, this.#bulk)
      return withheld ?? 'stored'
    }
    if (sameBytes(stored.cid, cid)) {
      if (rev !== stored.rev) rows.setRev(stored, rev)
      return withheld ?? 'unchanged'
    }
    rows.update(stored, { cid, rev, changedAt: this.#nextInstant(), json }, record, this.#bulk)
    return withheld ?? 'updated'
  }

  #delete(change: RecordDelete): Fate {
    const { did, collection, rkey, rev } = change
    const fate = this.#takeOut(change)
    if (fate !== 'older') this.#rejections.forgive(`at://${did}/${collection}/${rkey}`, rev)
    return fate
  }

  #reject(rejection: Rejection): Fate {
    const { uri, rev } = rejection
    const [, did, collection, rkey] = /^at:\/\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(uri ?? '') ?? []
    if (did !== undefined && collection !== undefined && rkey !== undefined) {
      if (this.#accounts.standing(did).status === 'deleted') return 'withheld'
      const served = rev !== undefined && this.#tables.has(collection)
      if (served && this.#takeOut({ did, collection, rkey, rev }) === 'older') {
        this.#rejections.forgive(`at://${did}/${collection}/${rkey}`, rev)
        return 'older'
      }
    }
    this.#rejections.keep(rejection, this.#nextInstant())
    return 'rejected'
  }

  /** At this revision the publisher's repository has no such record that could be served. */
  #takeOut({ did, collection, rkey, rev }: RecordDelete): Fate {
    const table = this.#table(collection)
    const standing = this.#accounts.standing(did)
    const { status, floor } = standing
    if (status === 'deleted') return 'withheld'
    const base = this.#base(`at://${did}/${collection}/`)
    const rows = this.#accounts.rowsOf(standing, { did, base, rkey, table })
    const stored = rows.find(base, rkey)
    const settled = latest(stored?.rev, floor, this.#tombstone(base, rkey))
    if (settled !== null && rev < settled) return 'older'
    if (stored !== undefined) rows.remove(stored)
    this.#addTombstone.run(base, rkey, rev)
    this.#tombstones = true
    if (status !== null) return 'withheld'
    return stored === undefined ? 'unchanged' : 'deleted'
  }

  /** The revision at which a record is known to be gone. */
  #tombstone(base: number, rkey: string): string | null {
    const row = this.#tombstones ? this.#findTombstone.get(base, rkey) : undefined
    return row === undefined ? null : String(row.rev)
  }

  /** What is older than the repository's state at that revision is not in it; how many records that were. */
  #endRepo({ did, rev }: RepoEnd): number {
    const { status, floor } = this.#accounts.standing(did)
    if (status === 'deleted' || (floor !== null && floor > rev)) return 0
    const bases = this.#accounts.bases(did)
    if (bases.length === 0) return 0
    this.#accounts.enter(did)
    this.#accounts.raiseFloor(did, rev)
    this.#rejections.forgiveOlder(did, rev)
    let removed = 0
    for (const { base, table } of bases) {
      removed += table.removeOlder(base, rev)
      this.#accounts.parked.removeOlder(base, rev)
      this.#database.prepare('delete from tombstone where base = ? and rev < ?').run(base, rev)
    }
    return removed
  }

  #request({ did, reason, dueAt }: RepoRequest): void {
    this.ledger.request(did, reason, dueAt ?? this.#options.now())
  }

  #table(collection: string): TableWriter {
    const table = this.#tables.get(collection)
    if (table === undefined) throw new Error(`No table for collection ${collection}.`)
    return table
  }

  #base(uri: string): number {
    const known = this.#bases.get(uri)
    if (known !== undefined) return known
    const [, did, collection] = /^at:\/\/([^/]+)\/([^/]+)\/$/.exec(uri) ?? []
    const id = this.#findBase.get(uri)?.id ?? this.#addBase.get(uri, did ?? null, collection ?? null)?.id
    if (this.#bases.size > 100_000) this.#bases.clear()
    this.#bases.set(uri, Number(id))
    return Number(id)
  }

  /**
   * Strictly rising, so that records without a time of their own keep the order they came in; also when
   * another process has written in this very moment, or by a clock that is a little ahead.
   */
  #nextInstant(): bigint {
    const now = this.#options.now()
    const ahead = this.#lastStored > this.#lastInstant && this.#lastStored - now < clockTolerance
    const last = ahead ? this.#lastStored : this.#lastInstant
    this.#lastInstant = now > last ? now : last + 1n
    return this.#lastInstant
  }

  #startLoad(): void {
    this.#bulk = true
    for (const table of this.#tables.values()) table.startLoad()
  }

  #completeLoad(): void {
    for (const table of this.#tables.values()) table.completeLoad()
    this.#refresh()
  }
}

/** The last revision that is known to say something of a record: that it is there, gone, or never was. */
function latest(...revs: readonly (string | null | undefined)[]): string | null {
  let last: string | null = null
  for (const rev of revs) if (rev != null && (last === null || rev > last)) last = rev
  return last
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
