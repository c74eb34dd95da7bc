/**
 * The write path of SQLite: batches in one transaction each, and whole imports in one.
 * It keeps derived rows in step with records, and knows whether ids still follow the default order.
 */
import { createHash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { BatchOutcome, Change, ColumnValue, RecordPut, Rejection, WriteDatabase } from '../database.ts'
import { deriveRow } from '../derive.ts'
import { storedColumns, type Table } from '../tables.ts'
import { createIndexes, createOrderIndex, dropIndexes, fillText, quote, refreshCounts } from './ddl.ts'
import { reorder } from './reorder.ts'

export interface WriterOptions {
  readonly tables: readonly Table[]
  /** Microseconds since 1970. */
  readonly now: () => bigint
}

/** SQLITE_BUSY. */
const busy = 5

type Outcome = { -readonly [Key in keyof BatchOutcome]: BatchOutcome[Key] }

/** Everything prepared for one table, and where its default order ends. */
interface Target {
  readonly table: Table
  readonly insert: StatementSync
  readonly find: StatementSync
  readonly update: StatementSync
  readonly setRev: StatementSync
  readonly addElement: readonly StatementSync[]
  readonly removeElement: readonly StatementSync[]
  readonly addText: readonly StatementSync[]
  readonly removeText: readonly StatementSync[]
  /** Positions of `refBase` columns, whose text becomes an id. */
  readonly bases: readonly number[]
  nextId: number
  ordered: boolean
  last: readonly [indexedAt: bigint, rkey: string, did: string] | null
  /** Rows stored or updated since the trigram counts were last taken. */
  drift: number
}

export class SqliteWriter implements WriteDatabase {
  readonly #database: DatabaseSync
  readonly #options: WriterOptions
  readonly #targets = new Map<string, Target>()
  readonly #bases = new Map<string, number>()
  readonly #findBase: StatementSync
  readonly #addBase: StatementSync
  readonly #reject: StatementSync
  readonly #forgive: StatementSync
  readonly #derivation: unknown
  #rejections = 0
  /** As `pragma data_version` has it: another value means that another process has written. */
  #dataVersion: unknown
  #lastInstant = 0n
  /** While a load's transaction is open: only kept rows and side tables, the rest at its end. */
  #bulk = false
  #busy: Promise<unknown> = Promise.resolve()

  constructor(database: DatabaseSync, options: WriterOptions) {
    this.#database = database
    this.#options = options
    this.#findBase = database.prepare('select id from base where uri = ?')
    this.#addBase = database.prepare('insert into base (uri, did, collection) values (?, ?, ?) returning id')
    this.#reject = database.prepare(
      `insert into rejection (key, source, uri, reason, message, record, seen_at) values (?, ?, ?, ?, ?, ?, ?)
       on conflict (key) do update set source = excluded.source, reason = excluded.reason,
         message = excluded.message, record = excluded.record, seen_at = excluded.seen_at
       where record <> excluded.record or reason <> excluded.reason`,
    )
    this.#forgive = database.prepare('delete from rejection where key = ?')
    this.#derivation = this.#readDerivation()
    this.#dataVersion = this.#readDataVersion()
    this.#readState()
  }

  /** Settles when no load is under way; a reader on the same connection waits for it. */
  get idle(): Promise<unknown> {
    return this.#busy
  }

  applyBatch(changes: readonly Change[]): Promise<BatchOutcome> {
    return this.#exclusively(async () => {
      this.#begin()
      return this.#finish(() => this.#apply(changes))
    })
  }

  load(batches: AsyncIterable<readonly Change[]>): Promise<BatchOutcome> {
    return this.#exclusively(async () => {
      this.#begin()
      const empty = [...this.#targets.values()].every(({ nextId }) => nextId === 1)
      const total = noOutcome()
      if (!empty) {
        this.#database.exec('commit')
        for await (const batch of batches) {
          this.#begin()
          add(
            total,
            this.#finish(() => this.#apply(batch)),
          )
        }
        return total
      }
      try {
        this.#startLoad()
        for await (const batch of batches) {
          add(total, this.#apply(batch))
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

  /** Other processes may have written since the last transaction: what memory says is then read anew. */
  #begin(): void {
    try {
      this.#database.exec('begin immediate')
    } catch (cause) {
      if ((cause as { errcode?: number }).errcode !== busy) throw cause
      throw new Error('Another process is writing to the database. Try again when it is done.', { cause })
    }
    const version = this.#readDataVersion()
    if (version === this.#dataVersion) return
    try {
      if (this.#readDerivation() !== this.#derivation)
        throw new Error('The database has been rebuilt for other lexicons meanwhile. Start again.')
      this.#readState()
      this.#dataVersion = version
    } catch (error) {
      this.#database.exec('rollback')
      throw error
    }
  }

  #finish<Result>(work: () => Result): Result {
    try {
      const result = work()
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
    this.#bases.clear()
    this.#readState()
  }

  #readDerivation(): unknown {
    return this.#database.prepare('select derivation from state').get()?.derivation
  }

  #readDataVersion(): unknown {
    return this.#database.prepare('pragma data_version').get()?.data_version
  }

  #readState(): void {
    this.#rejections = Number(this.#database.prepare('select count(*) as n from rejection').get()?.n)
    for (const table of this.#options.tables)
      this.#targets.set(table.collection.nsid, prepare(this.#database, table))
  }

  #apply(changes: readonly Change[]): BatchOutcome {
    const outcome = noOutcome()
    for (const change of changes) {
      if (change.kind === 'reject') this.#keepRejection(change)
      const result = change.kind === 'reject' ? 'rejected' : this.#put(change)
      outcome[result] += 1
    }
    if (!this.#bulk) for (const target of this.#targets.values()) this.#refreshCounts(target)
    return outcome
  }

  #put(record: RecordPut): 'stored' | 'updated' | 'unchanged' | 'older' {
    const target = this.#targets.get(record.collection)
    if (target === undefined) throw new Error(`No table for collection ${record.collection}.`)
    const baseUri = `at://${record.did}/${record.collection}/`
    const base = this.#base(baseUri)
    if (this.#rejections > 0) this.#rejections -= Number(this.#forgive.run(baseUri + record.rkey).changes)
    const columns = this.#withBases(target, record.columns)
    const indexedAt = record.indexedAt ?? this.#nextInstant()
    const { rkey, cid, rev, json } = record
    const kept = [target.nextId, base, rkey, cid, rev, indexedAt, record.changedAt ?? indexedAt, json]
    if (target.insert.run(...kept, ...columns).changes === 1) {
      this.#append(target, [indexedAt, rkey, record.did])
      this.#addDerived(target, target.nextId - 1, record.arrays)
      return 'stored'
    }
    const old = target.find.get(base, rkey) as {
      id: number
      cid: Uint8Array
      rev: string | null
      json: string
    }
    // Revisions decide, never arrival order; a record without one never outranks one that has it.
    if (old.rev !== null && (rev === null || rev < old.rev)) {
      return rev === null && sameBytes(old.cid, cid) ? 'unchanged' : 'older'
    }
    if (sameBytes(old.cid, cid)) {
      if (rev !== old.rev) target.setRev.run(rev, old.id)
      return 'unchanged'
    }
    this.#removeDerived(target, old.id, old.json)
    target.update.run(cid, rev, this.#nextInstant(), json, ...columns, old.id)
    this.#addDerived(target, old.id, record.arrays)
    return 'updated'
  }

  /** Ids follow the default order as long as every new record sorts after the last. */
  #append(target: Target, key: readonly [bigint, string, string]): void {
    const inOrder = target.last === null || precedes(target.last, key)
    target.nextId += 1
    target.drift += 1
    if (inOrder) target.last = key
    else if (target.ordered) {
      target.ordered = false
      if (!this.#bulk) this.#saveOrder(target)
    }
  }

  #saveOrder({ table, ordered }: Target): void {
    this.#database
      .prepare('update collection set ordered = ? where nsid = ?')
      .run(Number(ordered), table.collection.nsid)
    this.#database.exec('update state set plan_version = plan_version + 1')
    if (!ordered) this.#database.exec(createOrderIndex(table))
  }

  #addDerived(target: Target, id: number, arrays: RecordPut['arrays']): void {
    for (const [index, elements] of arrays.entries())
      for (const element of elements) target.addElement[index]?.run(...this.#elementKey(element), id)
    if (!this.#bulk) for (const statement of target.addText) statement.run(id)
  }

  #removeDerived(target: Target, id: number, json: string): void {
    const { arrays } = deriveRow(target.table, JSON.parse(json))
    for (const [index, elements] of arrays.entries())
      for (const element of elements) target.removeElement[index]?.run(...this.#elementKey(element), id)
    if (!this.#bulk) for (const statement of target.removeText) statement.run(id)
    target.drift += 1
  }

  #elementKey(element: readonly ColumnValue[]): readonly ColumnValue[] {
    const [first, second] = element
    return second === undefined ? element : [this.#base(first as string), second]
  }

  #withBases(target: Target, columns: readonly ColumnValue[]): readonly ColumnValue[] {
    if (target.bases.length === 0) return columns
    const copy = [...columns]
    for (const index of target.bases) {
      const uri = copy[index]
      if (typeof uri === 'string') copy[index] = this.#base(uri)
    }
    return copy
  }

  #base(uri: string): number {
    const known = this.#bases.get(uri)
    if (known !== undefined) return known
    const [, , did, collection] = /^(at:\/\/)([^/]+)\/([^/]+)\/$/.exec(uri) ?? []
    const id = this.#findBase.get(uri)?.id ?? this.#addBase.get(uri, did ?? null, collection ?? null)?.id
    if (this.#bases.size > 100_000) this.#bases.clear()
    this.#bases.set(uri, Number(id))
    return Number(id)
  }

  #keepRejection({ source, uri, reason, message, record }: Rejection): void {
    const key = uri ?? `sha256:${createHash('sha256').update(record).digest('hex')}`
    this.#reject.run(key, source, uri, reason, message, record, this.#nextInstant())
    this.#rejections += 1
  }

  /** Strictly rising, so that records without a time of their own keep the order they came in. */
  #nextInstant(): bigint {
    const now = this.#options.now()
    this.#lastInstant = now > this.#lastInstant ? now : this.#lastInstant + 1n
    return this.#lastInstant
  }

  #refreshCounts(target: Target): void {
    if (target.drift < 1000 + target.nextId / 5) return
    for (const text of target.table.texts) this.#database.exec(refreshCounts(text))
    target.drift = 0
  }

  #startLoad(): void {
    this.#bulk = true
    for (const { table } of this.#targets.values()) this.#database.exec(dropIndexes(table))
  }

  #completeLoad(): void {
    for (const target of this.#targets.values()) {
      if (!target.ordered) reorder(this.#database, target.table)
      target.ordered = true
      completeTable(this.#database, target.table)
    }
    this.#readState()
  }
}

/** Everything that is cheaper to build at once, over a table whose rows are in place. */
function completeTable(database: DatabaseSync, table: Table): void {
  // Trigrams first: the pages that building them frees are taken by the indexes.
  for (const text of table.texts) {
    database.prepare(fillText(table, text, 'all')).run()
    database.exec(
      `insert into ${quote(text.name)} (${quote(text.name)}) values ('optimize'); ${refreshCounts(text)}`,
    )
  }
  database.exec(createIndexes(table))
}

/** The statement that adds one row: kept columns, then derived ones. A record that exists is left alone. */
function insertStatement(table: Table): string {
  const columns = storedColumns(table).map(({ name }) => `, ${quote(name)}`)
  return `insert into ${quote(table.name)} (id, base, rkey, cid, rev, indexed_at, changed_at, record${columns.join('')})
    values (?, ?, ?, ?, ?, ?, ?, jsonb(?)${', ?'.repeat(columns.length)}) on conflict (base, rkey) do nothing`
}

function prepare(database: DatabaseSync, table: Table): Target {
  const name = quote(table.name)
  const assignments = storedColumns(table)
    .map((column) => `, ${quote(column.name)} = ?`)
    .join('')
  const key = (kind: string): string => (kind === 'reference' ? 'base = ? and rkey = ?' : 'value = ?')
  const find = database.prepare(
    `select id, cid, rev, json(record) as json from ${name} where base = ? and rkey = ?`,
  )
  const last = database.prepare(
    `select t.id, t.indexed_at, t.rkey, base.did from ${name} t join base on base.id = t.base order by t.id desc limit 1`,
  )
  last.setReadBigInts(true)
  const row = last.get() as { id: bigint; indexed_at: bigint; rkey: string; did: string } | undefined
  const state = database.prepare('select ordered from collection where nsid = ?').get(table.collection.nsid)
  return {
    table,
    insert: database.prepare(insertStatement(table)),
    find,
    update: database.prepare(
      `update ${name} set cid = ?, rev = ?, changed_at = ?, record = jsonb(?)${assignments} where id = ?`,
    ),
    setRev: database.prepare(`update ${name} set rev = ? where id = ?`),
    addElement: table.arrays.map(({ name: side, kind }) =>
      database.prepare(
        `insert or ignore into ${quote(side)} values (${kind === 'reference' ? '?, ?, ?' : '?, ?'})`,
      ),
    ),
    removeElement: table.arrays.map(({ name: side, kind }) =>
      database.prepare(`delete from ${quote(side)} where ${key(kind)} and id = ?`),
    ),
    addText: table.texts.map((text) => database.prepare(fillText(table, text, 'one'))),
    removeText: table.texts.map((text) => database.prepare(fillText(table, text, 'remove'))),
    bases: storedColumns(table).flatMap(({ kind }, index) => (kind === 'refBase' ? [index] : [])),
    nextId: row === undefined ? 1 : Number(row.id) + 1,
    ordered: state?.ordered === 1,
    last: row === undefined ? null : [row.indexed_at, row.rkey, row.did],
    drift: 0,
  }
}

/** Record keys and DIDs are ASCII, so that comparing code units is comparing code points. */
function precedes(a: readonly [bigint, string, string], b: readonly [bigint, string, string]): boolean {
  if (a[0] !== b[0]) return a[0] < b[0]
  return a[1] !== b[1] ? a[1] < b[1] : a[2] < b[2]
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

function noOutcome(): Outcome {
  return { stored: 0, updated: 0, unchanged: 0, older: 0, rejected: 0 }
}

function add(total: Outcome, more: BatchOutcome): void {
  for (const key of Object.keys(total) as (keyof Outcome)[]) total[key] += more[key]
}
