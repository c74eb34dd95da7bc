/** The write path of SQLite: one transaction per batch, or one for a whole import. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type {
  BatchOutcome,
  Change,
  CountedSource,
  LeaderLock,
  SourceMark,
  WriteDatabase,
} from '../../database.ts'
import { createMetadataStore, type MetadataStore } from '../../metadata/sql-metadata-store.ts'
import { importSource, OutcomeCounts } from '../../metadata/source-marks.ts'
import type { MigrateOptions } from '../../migrate-options.ts'
import { parseCid } from '../../../lexicon/records/cid.ts'
import type { GivenType, WriteDialect } from '../../metadata/steps.ts'
import { addOutcome, noOutcome } from '../../changes.ts'
import type { WriteTransaction } from '../../write/write-transaction.ts'
import { createWriteTransaction, notePresence, presence } from '../../write/write-transaction.ts'
import { Applier, type ApplierOptions } from '../../write/applier.ts'
import { pathLiteral } from '../dialect.ts'
import { derivationOf, optimizeText, refreshCounts } from '../layout/ddl.ts'
import { nextLeftover } from '../layout/generations.ts'
import type { OpenFile } from '../open-file.ts'
import { databaseBusy } from '../../refusals.ts'
import { createRunner, type Run, untilFree } from '../steps.ts'
import { SqliteRecordStore } from './record-store.ts'
import { Transactions } from './transactions.ts'

/** Milliseconds in which a compaction waits for other processes' transactions. */
const lockTimeout = 30_000

export type SqliteWriterOptions = ApplierOptions &
  Pick<MigrateOptions, 'fingerprint'> & { readonly file?: OpenFile }

export class SqliteWriter implements WriteDatabase {
  readonly metadata: MetadataStore
  readonly #database: DatabaseSync
  readonly #options: SqliteWriterOptions
  readonly #store: SqliteRecordStore
  readonly #applier: Applier
  readonly #run: Run
  readonly #presence: StatementSync
  readonly #transactions: Transactions
  /**
   * Sources with a cursor that this process has synced. Before that, a loss of power may leave no cursor at all, and a
   * source without one resumes at the present: the events stored before would be lost for good.
   */
  readonly #syncedCursors = new Set<string>()

  constructor(database: DatabaseSync, options: SqliteWriterOptions) {
    this.#database = database
    this.#options = options
    const store = new SqliteRecordStore(database, options)
    this.#store = store
    this.#applier = new Applier(store, options)
    this.#run = createRunner(database)
    this.#presence = database.prepare(`select ${presence}`)
    const { fingerprint, file = null } = options
    this.#transactions = new Transactions(database, derivationOf(fingerprint), file, store)
    this.metadata = createMetadataStore({
      transact: (steps, durability) =>
        this.#transactions.transact(() => this.#run(steps(this.#createTransaction())), durability),
      read: (steps) => this.#transactions.transact(() => this.#run(steps()), { lock: 'deferred' }),
      now: options.now,
      applier: this.#applier,
    })
  }

  /** Settles when no load is running; a reader on the same connection waits for it. */
  get idle(): Promise<unknown> {
    return this.#transactions.idle
  }

  async applyBatch(
    changes: readonly Change[],
    mark?: SourceMark | CountedSource,
    { durable = false }: { readonly durable?: boolean } = {},
  ): Promise<BatchOutcome> {
    const cursor = typeof mark === 'object' && mark.cursor !== null ? mark.source : null
    const first = cursor !== null && !this.#syncedCursors.has(cursor)
    const apply = (): BatchOutcome => this.#apply(changes, mark)
    const outcome = await this.#transactions.transact(apply, { durable: durable || first })
    if (first) this.#syncedCursors.add(cursor)
    return outcome
  }

  async load(batches: AsyncIterable<readonly Change[]>): Promise<BatchOutcome> {
    const load = async (): Promise<BatchOutcome | null> => {
      await this.#transactions.begin()
      if (this.#store.writers.every(({ isEmpty }) => isEmpty)) return this.#loadAll(batches)
      this.#database.exec('commit')
      return null
    }
    const loaded = await this.#transactions.exclusively(() => this.#transactions.synced(true, load))
    return loaded ?? this.#loadInTurn(batches)
  }

  /** A file that may not be written cannot be opened. */
  async mayWrite(): Promise<boolean> {
    return true
  }

  /**
   * SQLite keeps deleted data in free pages until these are reused, in text indexes until their segments are merged, and in
   * former pages of the log: a compacted file contains none of it. False while a reader uses former pages of the log, or
   * during a rebuild, which later drops its own tables.
   */
  compact(): Promise<boolean> {
    const { tables } = this.#options
    const database = this.#database
    const merges = tables.flatMap(({ texts, words }) => [
      ...texts.map((text) => `${optimizeText(text)} ${refreshCounts(text)}`),
      ...(words === null ? [] : [optimizeText(words)]),
    ])
    return this.#transactions.exclusively(async () => {
      if (nextLeftover(database) !== null) return false
      for (const merge of merges) {
        await this.#transactions.begin()
        this.#transactions.finish(() => database.exec(merge))
      }
      // An in-memory database has no file.
      if (database.location() === null) return true
      const vacuumed = await untilFree(lockTimeout, () => {
        // VACUUM makes a temporary copy as large as the file.
        database.exec('pragma temp_store = file')
        try {
          database.exec('vacuum')
        } finally {
          database.exec('pragma temp_store = memory')
        }
      })
      if (!vacuumed) throw databaseBusy()
      const checkpoint = database.prepare('pragma wal_checkpoint(truncate)')
      return untilFree(lockTimeout, () => checkpoint.get()?.busy === 0)
    })
  }

  /** Granted at once and never lost: a file belongs to one machine, so that no other process has to take over. */
  async leaderLock(): Promise<LeaderLock> {
    return {
      metadata: this.metadata,
      applyBatch: (...given) => this.applyBatch(...given),
      load: (batches) => this.load(batches),
      lost: new AbortController().signal,
      async [Symbol.asyncDispose]() {},
    }
  }

  /** `applyBatch` within the caller's transaction, for a rebuild. */
  applyWithin(changes: readonly Change[]): void {
    this.#apply(changes)
    this.#store.complete()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transactions.idle
    this.#options.file?.leave()
    this.#database.close()
  }

  #apply(changes: readonly Change[], mark?: SourceMark | CountedSource): BatchOutcome {
    return this.#run(this.#applier.applyBatch(this.#createTransaction(), changes, mark))
  }

  #createTransaction(): WriteTransaction {
    const transaction = createWriteTransaction(writeDialect)
    notePresence(transaction, this.#presence.get() ?? {})
    this.#store.bases = transaction.bases
    return transaction
  }

  /** Loads in the open transaction and builds indexes at its end. */
  async #loadAll(batches: AsyncIterable<readonly Change[]>): Promise<BatchOutcome> {
    const total = noOutcome()
    const counts = new OutcomeCounts()
    try {
      const transaction = this.#createTransaction()
      this.#store.startLoad()
      for await (const batch of batches)
        addOutcome(total, this.#run(this.#applier.apply(transaction, batch, { counts })))
      this.#run(counts.save(importSource))
      this.#store.completeLoad()
    } catch (error) {
      this.#transactions.rollback()
      throw error
    }
    this.#transactions.finish(() => undefined)
    this.#database.exec('pragma wal_checkpoint(truncate)')
    return total
  }

  /** Loads each batch in its own transaction; syncing the last syncs all, so the outcome survives a loss of power. */
  async #loadInTurn(batches: AsyncIterable<readonly Change[]>): Promise<BatchOutcome> {
    const total = noOutcome()
    let last: readonly Change[] = []
    for await (const batch of batches) {
      if (last.length > 0) addOutcome(total, await this.applyBatch(last, importSource))
      last = batch
    }
    if (last.length > 0) addOutcome(total, await this.applyBatch(last, importSource, { durable: true }))
    return total
  }
}

/** How SQLite spells what the write path states once. */
const writeDialect: WriteDialect = {
  given(columns) {
    const named = Object.entries(columns).map(([name, type]) => `${spell(name, type)} as ${name}`)
    return `(select ${named.join(', ')} from json_each(?)) as given`
  },
  cid: (cid) => Buffer.from(typeof cid === 'string' ? (parseCid(cid) ?? '') : cid).toString('hex'),
  text: (text) => text.toWellFormed(),
  recordText: 'json(record)',
  jsonAt: (column, path) => `${column} -> ${pathLiteral(path)}`,
}

function spell(name: string, type: GivenType): string {
  switch (type) {
    case 'bigint':
    case 'text':
      return `value ->> '${name}'`
    case 'cid':
      return `unhex(value ->> '${name}')`
    case 'record':
      return `jsonb(value -> '${name}')`
  }
}
