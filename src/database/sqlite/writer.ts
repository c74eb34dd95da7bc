/** The write path of SQLite: batches in one transaction each, and whole imports in one. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type {
  BatchOutcome,
  Change,
  CountedSource,
  Lead,
  RecordCheck,
  RecordPut,
  RepoRequest,
  SourceMark,
  WriteDatabase,
} from '../database.ts'
import { DatabaseBusyError } from '../database.ts'
import {
  baseUriOf,
  decideDelete,
  decidePut,
  decideReject,
  type Fate,
  type Place,
  type RecordName,
  type Standing,
  timesOf,
  type World,
} from '../decide.ts'
import { Instants } from '../instants.ts'
import { changeIdentity } from '../kept/accounts.ts'
import { countExpired, expireBesides, oldestKept, type Retention } from '../kept/expiry.ts'
import { KeptLedger, requestFetch } from '../kept/ledger.ts'
import { importSource, OutcomeCounts } from '../kept/source-marks.ts'
import type { Ledger } from '../ledger.ts'
import { addOutcome, noOutcome } from '../outcome.ts'
import type { Table } from '../tables.ts'
import { Accounts } from './accounts.ts'
import { beginDirectWriting, endDirectWriting, isBusy } from './direct-writing.ts'
import { compactFile } from './compact.ts'
import { Expirations } from './expirations.ts'
import { inNearOrder } from './load-order.ts'
import { LoadTexts } from './load-texts.ts'
import { LogLength } from './log-length.ts'
import { SqlitePlace } from './place.ts'
import { Rejections } from './rejections.ts'
import { createRunner, type Run } from './steps.ts'
import { TableWriter } from './table-writer.ts'
import { Tombstones } from './tombstones.ts'

export interface WriterOptions {
  readonly tables: readonly Table[]
  /** Microseconds since 1970. */
  readonly now: () => bigint
  readonly check: RecordCheck
  /** Absent: all records are kept for good. */
  readonly retention?: Retention
}

/** Against others who write, or who read as well. */
type Lock = 'immediate' | 'exclusive'

/** Milliseconds that a transaction waits for another process's, and between two attempts. */
const lockTimeout = 10_000
const lockPause = 20

export class SqliteWriter implements WriteDatabase {
  readonly ledger: Ledger
  readonly #database: DatabaseSync
  readonly #options: WriterOptions
  readonly #tables = new Map<string, TableWriter>()
  readonly #bases = new Map<string, number>()
  readonly #accounts: Accounts
  readonly #rejections: Rejections
  readonly #run: Run
  readonly #findBase: StatementSync
  readonly #addBase: StatementSync
  readonly #tombstones: Tombstones
  readonly #expirations: Expirations
  readonly #instants: Instants
  readonly #world: World
  readonly #log: LogLength
  readonly #derivation: unknown
  /** As `pragma data_version` has it: another value means that another process has written. */
  #dataVersion: unknown
  /**
   * Sources of which this process has synced a cursor. Until then a loss of power may leave none at all, and a source
   * without one goes on from now: what was stored before would be lost for good.
   */
  readonly #syncedCursors = new Set<string>()
  /** While a load's transaction is open: only kept rows and side tables, the rest at its end. */
  #bulk = false
  #busy: Promise<unknown> = Promise.resolve()

  constructor(database: DatabaseSync, options: WriterOptions) {
    this.#database = database
    this.#options = options
    this.#findBase = database.prepare('select id from base where uri = ?')
    this.#addBase = database.prepare('insert into base (uri, did, collection) values (?, ?, ?) returning id')
    this.#tombstones = new Tombstones(database)
    this.#expirations = new Expirations(database)
    this.#instants = new Instants(options.now)
    this.#log = new LogLength(database)
    for (const table of options.tables)
      this.#tables.set(table.collection.nsid, new TableWriter(database, table, (uri) => this.#base(uri)))
    this.#rejections = new Rejections(database)
    this.#run = createRunner(database)
    this.#accounts = new Accounts(database, {
      run: this.#run,
      tables: this.#tables,
      check: options.check,
      onReturn: (did) => this.#request({ did, reason: 'The account is active again.' }),
      onRefused: (rejection) => decideReject(this.#world, rejection),
    })
    this.#world = {
      serves: (collection) => this.#tables.has(collection),
      standing: (did) => this.#accounts.standing(did),
      enter: (did) => this.#accounts.enter(did),
      place: (record, standing) => this.#place(record, standing),
      isPurged: (did, uri) => this.#accounts.hidings.purges(did, uri),
      oldestKept: (collection) => this.#oldestKept(collection),
      forgive: (uri, rev) => this.#rejections.forgive(uri, rev),
      keep: (rejection, seenAt) => this.#rejections.keep(rejection, seenAt),
      nextInstant: () => this.#instants.next(),
    }
    this.ledger = new KeptLedger({
      transact: (steps, kept) => this.#transact(() => this.#run(steps()), kept),
      now: options.now,
      hide: (hiding) => this.#transact(() => this.#accounts.hide(hiding, options.now()), { durable: true }),
      unhide: (subject, by) =>
        this.#transact(() => this.#accounts.unhide(subject, by, options.now()), { durable: true }),
      purge: (purge) => this.#transact(() => this.#accounts.purge(purge, options.now()), { durable: true }),
      settle: (limit) => this.#transact(() => this.#accounts.settle(limit)),
      expire: (limit) => this.#transact(() => this.#expire(limit)),
      forgetRevisions: (...given) => this.#transact(() => this.#accounts.forgetRevisions(...given)),
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
    mark?: SourceMark | CountedSource,
    { durable = false }: { readonly durable?: boolean } = {},
  ): Promise<BatchOutcome> {
    const cursor = typeof mark === 'object' && mark.cursor !== null ? mark.source : null
    const first = cursor !== null && !this.#syncedCursors.has(cursor)
    return this.#exclusively(async () => {
      const outcome = await this.#synced(durable || first, async () => {
        await this.#begin()
        return this.#finish(() => this.#apply(changes, mark))
      })
      if (first) this.#syncedCursors.add(cursor)
      return outcome
    })
  }

  load(batches: AsyncIterable<readonly Change[]>): Promise<BatchOutcome> {
    return this.#exclusively(async () => {
      const direct = this.#isEmpty && beginDirectWriting(this.#database)
      try {
        // Whoever came to read in the middle of it could keep it from ending.
        await this.#begin(direct ? 'exclusive' : 'immediate')
        if (this.#isEmpty) return await this.#loadAll(batches)
        this.#database.exec('commit')
      } finally {
        if (direct) endDirectWriting(this.#database)
      }
      return this.#loadInTurn(batches)
    })
  }

  compact(): Promise<boolean> {
    return this.#exclusively(() =>
      compactFile(this.#database, {
        tables: this.#options.tables,
        transact: async (work) => {
          await this.#begin()
          this.#finish(work)
        },
      }),
    )
  }

  /** At once and for good: a file is one machine's, and nobody has to take over when that is gone. */
  async lead(): Promise<Lead> {
    return {
      ledger: this.ledger,
      applyBatch: (...given) => this.applyBatch(...given),
      load: (batches) => this.load(batches),
      lost: new AbortController().signal,
      async [Symbol.asyncDispose]() {},
    }
  }

  /** The same within the caller's transaction, for a rebuild. */
  applyWithin(changes: readonly Change[]): void {
    this.#apply(changes)
    for (const table of this.#tables.values()) table.completeCounts()
    for (const table of this.#tables.values()) table.completeTexts()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#busy
    this.#database.close()
  }

  get #isEmpty(): boolean {
    return [...this.#tables.values()].every(({ isEmpty }) => isEmpty)
  }

  /** In the transaction that is open, with indexes at its end. */
  async #loadAll(batches: AsyncIterable<readonly Change[]>): Promise<BatchOutcome> {
    const total = noOutcome()
    const counts = new OutcomeCounts()
    await using texts = new LoadTexts(this.#options.tables)
    try {
      this.#startLoad(texts)
      for await (const batch of inNearOrder(batches)) {
        addOutcome(total, this.#count(batch, counts))
        await texts.send()
      }
      this.#run(counts.save(importSource))
      this.#completeOrder()
      await texts.end(this.#database)
      this.#completeLoad()
      await texts.copyTo(this.#database)
    } catch (error) {
      this.#rollback()
      throw error
    }
    this.#finish(() => undefined)
    this.#database.exec('pragma wal_checkpoint(truncate)')
    return total
  }

  /** Each batch in a transaction of its own. The last is synced, and all before it: what is told survives a loss of power. */
  async #loadInTurn(batches: AsyncIterable<readonly Change[]>): Promise<BatchOutcome> {
    const total = noOutcome()
    const apply = (batch: readonly Change[], durable: boolean): Promise<void> =>
      this.#synced(durable, async () => {
        await this.#begin()
        addOutcome(
          total,
          this.#finish(() => this.#apply(batch, importSource)),
        )
      })
    let last: readonly Change[] = []
    for await (const batch of batches) {
      if (last.length > 0) await apply(last, false)
      last = batch
    }
    if (last.length > 0) await apply(last, true)
    return total
  }

  /**
   * In WAL mode `normal` loses the last transactions with the power, never the file (https://sqlite.org/wal.html);
   * `full` has this one and all before it on the disk when it ends.
   */
  async #synced<Result>(durable: boolean, work: () => Promise<Result>): Promise<Result> {
    if (!durable) return work()
    this.#database.exec('pragma synchronous = full')
    try {
      return await work()
    } finally {
      this.#database.exec('pragma synchronous = normal')
    }
  }

  async #exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#busy.then(work)
    this.#busy = turn.catch(() => undefined)
    return turn
  }

  #transact<Result>(work: () => Result, { durable = false } = {}): Promise<Result> {
    return this.#exclusively(() =>
      this.#synced(durable, async () => {
        await this.#begin()
        return this.#finish(work)
      }),
    )
  }

  /** Other processes may have written since the last transaction: what memory says is then read anew. */
  async #begin(lock: Lock = 'immediate'): Promise<void> {
    await this.#log.shorten()
    await this.#lock(lock)
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
  async #lock(lock: Lock): Promise<void> {
    const end = performance.now() + lockTimeout
    for (;;) {
      try {
        this.#database.exec(`begin ${lock}`)
        return
      } catch (cause) {
        if (!isBusy(cause)) throw cause
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
      for (const table of this.#tables.values()) table.completeCounts()
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
    this.#tombstones.refresh()
    this.#expirations.refresh()
    let lastStored = 0n
    for (const table of this.#tables.values()) {
      table.refresh()
      if (table.lastIndexedAt > lastStored) lastStored = table.lastIndexedAt
    }
    this.#instants.follow(lastStored)
  }

  #apply(changes: readonly Change[], mark?: SourceMark | CountedSource): BatchOutcome {
    const counts = new OutcomeCounts()
    const outcome = this.#count(changes, counts)
    if (typeof mark === 'string') this.#run(counts.save(mark))
    else if (mark !== undefined) this.#run(counts.saveMarked(mark, this.#options.now()))
    if (!this.#bulk) for (const table of this.#tables.values()) table.refreshCounts()
    return outcome
  }

  #count(changes: readonly Change[], counts: OutcomeCounts): BatchOutcome {
    const outcome = noOutcome()
    for (const change of changes) {
      const fates = this.#applyOne(change)
      if (fates === null) continue
      outcome[fates.fate] += fates.records
      counts.add(change, fates.fate, fates.records)
    }
    return outcome
  }

  #applyOne(change: Change): { readonly fate: Fate; readonly records: number } | null {
    switch (change.kind) {
      case 'put':
        return { fate: this.#isNew(change) ? 'stored' : decidePut(this.#world, change), records: 1 }
      case 'delete':
        return { fate: decideDelete(this.#world, change), records: 1 }
      case 'reject':
        return { fate: decideReject(this.#world, change), records: 1 }
      case 'repo-end':
        return { fate: 'deleted', records: this.#accounts.endRepo(change) }
      case 'account':
        this.#accounts.change(change)
        return null
      case 'identity':
        this.#run(changeIdentity(change.did))
        return null
      case 'repo-request':
        if (change.ifKnown !== true || this.#accounts.has(change.did)) this.#request(change)
        return null
    }
  }

  /** A load finds hardly anything there: whether the record could be added without looking first. */
  #isNew(record: RecordPut): boolean {
    if (!this.#bulk || this.#tombstones.any || this.#expirations.any) return false
    const { did, rkey, cid, rev, json } = record
    const table = this.#table(record.collection)
    const baseUri = baseUriOf(record)
    if (this.#accounts.hidings.hides(did, baseUri, rkey)) return false
    const { status, floor, move } = this.#accounts.enter(did)
    if (status !== null || floor !== null || move !== null) return false
    const times = timesOf(record, this.#world.nextInstant)
    const oldest = this.#oldestKept(record.collection)
    if (oldest !== null && times.indexedAt < oldest) return false
    const row = { id: null, base: this.#base(baseUri), did, rkey, cid, rev, ...times, json }
    if (!table.insert(row, record, true)) return false
    this.#rejections.forgive(baseUri + rkey, rev)
    return true
  }

  #place({ did, collection, rkey }: RecordName, standing: Standing): Place {
    const table = this.#table(collection)
    const baseUri = baseUriOf({ did, collection })
    const base = this.#base(baseUri)
    const place = this.#accounts.rowsOf(standing, { did, base, baseUri, rkey, table })
    return new SqlitePlace({
      ...place,
      tombstones: this.#tombstones,
      expirations: this.#expirations,
      base,
      rkey,
      did,
      bulk: this.#bulk,
    })
  }

  #oldestKept(collection: string): bigint | null {
    const { retention, now } = this.#options
    return retention === undefined ? null : oldestKept(retention, collection, now())
  }

  /** As the ledger's `expireRecords`. */
  #expire(limit: number): number {
    let removed = 0
    for (const [collection, table] of this.#tables) {
      const oldest = this.#oldestKept(collection)
      if (oldest === null) continue
      const records = this.#expirations.expire(table, oldest, Math.max(limit - removed, 1))
      this.#run(countExpired(collection, records))
      removed += records
      removed += this.#run(expireBesides(collection, oldest, Math.max(limit - removed, 1)))
    }
    return removed
  }

  #request({ did, reason, dueAt }: RepoRequest): void {
    const now = this.#options.now()
    this.#run(requestFetch(did, reason, dueAt ?? now, now))
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

  #startLoad(texts: LoadTexts | null = null): void {
    this.#bulk = true
    for (const table of this.#tables.values()) table.startLoad(texts?.gatherer(table.table) ?? null)
  }

  #completeOrder(): void {
    for (const table of this.#tables.values()) table.completeOrder()
  }

  #completeLoad(): void {
    for (const table of this.#tables.values()) table.completeLoad()
    for (const table of this.#tables.values()) table.fillSums()
    this.#refresh()
  }
}
