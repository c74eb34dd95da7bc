/** The tables of a SQLite file as the write path of every engine uses them: each row by prepared statements. */
import type { DatabaseSync } from 'node:sqlite'
import { recordNameOf } from '../../changes.ts'
import type { ApplierOptions } from '../../write/applier.ts'
import { MonotonicClock } from '../../../util/instant.ts'
import { type Steps, stepsOf } from '../../metadata/steps.ts'
import type { RecordStore, RecordTable } from '../../write/record-table.ts'
import type { WriteTransaction } from '../../write/write-transaction.ts'
import { readCollections } from '../../metadata/collections.ts'
import { rowsOf } from '../../metadata/purges.ts'
import { quote } from '../layout/ddl.ts'
import { createRunner } from '../steps.ts'
import { TableWriter } from './table-writer.ts'

export class SqliteRecordStore implements RecordStore {
  readonly tables: ReadonlyMap<string, RecordTable>
  readonly writers: readonly TableWriter[]
  readonly mostPlaced = 100
  readonly #database: DatabaseSync
  readonly #clock: MonotonicClock
  /** Of the present transaction. */
  bases: WriteTransaction['bases'] = new Map()

  constructor(database: DatabaseSync, { tables, now }: Pick<ApplierOptions, 'tables' | 'now'>) {
    this.#database = database
    this.#clock = new MonotonicClock(now)
    const find = database.prepare('select id from base where uri = ?', { readBigInts: true })
    // A row that is removed may refer to a repository collection that this transaction has not looked up.
    const base = (uri: string): bigint => this.bases.get(uri) ?? (find.get(uri)?.id as bigint)
    this.writers = tables.map((table) => new TableWriter(database, table, base))
    this.tables = new Map(this.writers.map((writer) => [writer.table.collection.nsid, recordTable(writer)]))
  }

  lastStored(): Steps<bigint> {
    return stepsOf(() =>
      this.writers.reduce((last, { lastIndexedAt }) => (lastIndexedAt > last ? lastIndexedAt : last), 0n),
    )
  }

  /** Later rows sort after all rows of this moment, although the last one no longer names the account. */
  erase(_: WriteTransaction, subject: string): Steps<void> {
    return stepsOf(() => {
      eraseUnserved(this.#database, subject, new Set(this.tables.keys()))
      const did = recordNameOf(subject)?.did ?? subject
      this.#database
        .prepare(`update collection set last_rkey = char(1114111), last_did = '' where last_did = ?`)
        .run(did)
      for (const writer of this.writers) writer.readLast()
    })
  }

  /** From now on only primary rows and side tables are written, until `completeLoad`. */
  startLoad(): void {
    for (const writer of this.writers) writer.startLoad()
  }

  completeLoad(): void {
    for (const writer of this.writers) writer.completeOrder()
    for (const writer of this.writers) writer.completeLoad()
    for (const writer of this.writers) writer.fillSums()
    this.refresh()
  }

  /** Call it when a transaction has begun, and cached state is that of the transaction. */
  begin(): void {
    const { horizon } = this.#clock
    for (const writer of this.writers) writer.noteAhead(horizon)
  }

  /** Writes buffered changes before the transaction ends. */
  complete(): void {
    TableWriter.complete(this.writers)
    for (const writer of this.writers) writer.restoreOrder()
  }

  /** Reads cached order and ids again: another process has written, or a transaction was rolled back. */
  refresh(): void {
    for (const writer of this.writers) writer.refresh()
  }
}

function recordTable(writer: TableWriter): RecordTable {
  const each = <Row>(rows: readonly Row[], work: (row: Row) => void): Steps<void> =>
    stepsOf(() => rows.forEach((row) => work(row)))
  return {
    table: writer.table,
    find: (keys) => stepsOf(() => keys.flatMap((key) => writer.find(key) ?? [])),
    findExpired: (oldest, limit) => stepsOf(() => writer.expired(oldest, limit)),
    insert: (_, rows) => stepsOf(() => rows.flatMap((row) => writer.insert(row) ?? [])),
    update: (_, rows) => each(rows, (row) => writer.update(row)),
    setStories: (rows) => each(rows, (row) => writer.setStory(row)),
    remove: (_, rows) => each(rows, (row) => writer.remove(row)),
    quarantine: (_, rows) => each(rows, (row) => writer.quarantine(row)),
    refreshCounts: () => stepsOf(() => writer.refreshCounts()),
  }
}

/**
 * Removes a subject's rows from tables of collections that the lexicons no longer have, which stay in case the collections
 * return; and all derived tables, which are derived again when the collection is served.
 */
function eraseUnserved(database: DatabaseSync, subject: string, served: ReadonlySet<string>): void {
  for (const { name, table } of createRunner(database)(readCollections())) {
    if (served.has(name)) continue
    const [condition, values] = rowsOf(subject, name)
    const found = database.prepare(`select 1 from ${quote(table)} where ${condition} limit 1`).get(...values)
    if (found === undefined) continue
    dropDerived(database, table)
    database.prepare(`delete from ${quote(table)} where ${condition}`).run(...values)
  }
}

/** Drops all but the table itself and its key. */
function dropDerived(database: DatabaseSync, table: string): void {
  const derived = database.prepare(
    `select type, name, sql from sqlite_master where substr(name, 1, ?) = ? and name <> ? and sql is not null
     order by sql like '%fts5vocab%' desc, sql like 'create virtual%' desc`,
  )
  const prefix = `${table}/`
  for (const { type, name } of derived.all(prefix.length, prefix, `${table}/key`))
    database.exec(`drop ${type} if exists ${quote(String(name))}`)
}
