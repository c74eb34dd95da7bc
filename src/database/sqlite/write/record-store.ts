/** The tables of a SQLite file as the write path of every engine uses them: each row by prepared statements. */
import type { DatabaseSync } from 'node:sqlite'
import { recordNameOf } from '../../changes.ts'
import type { Table } from '../../layout/tables.ts'
import type { ApplierOptions } from '../../write/applier.ts'
import { MonotonicClock } from '../../../util/instant.ts'
import { type Steps, stepsOf, type RowKey } from '../../metadata/steps.ts'
import type {
  ExpiredRow,
  FoundRow,
  NewRow,
  RecordStore,
  RecordTable,
  RowChange,
  RowId,
  StoryRow,
} from '../../write/record-table.ts'
import type { WriteTransaction } from '../../write/write-transaction.ts'
import { readCollections } from '../../metadata/collections.ts'
import { rowsOf } from '../../metadata/purges.ts'
import { quote } from '../layout/ddl.ts'
import { createRunner } from '../steps.ts'
import { TableWriter } from './table-writer.ts'

export class SqliteRecordStore implements RecordStore {
  readonly tables: ReadonlyMap<string, SqliteRecordTable>
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
    this.tables = new Map(
      tables.map((table) => [table.collection.nsid, new SqliteRecordTable(database, table, base)]),
    )
  }

  get writers(): readonly TableWriter[] {
    return [...this.tables.values()].map(({ writer }) => writer)
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
    for (const writer of this.writers) writer.completeCounts()
    for (const writer of this.writers) writer.completeTexts()
    for (const writer of this.writers) writer.restoreOrder()
  }

  /** Reads cached order and ids again: another process has written, or a transaction was rolled back. */
  refresh(): void {
    for (const writer of this.writers) writer.refresh()
  }
}

class SqliteRecordTable implements RecordTable {
  readonly table: Table
  readonly writer: TableWriter

  constructor(database: DatabaseSync, table: Table, base: (uri: string) => bigint) {
    this.table = table
    this.writer = new TableWriter(database, table, base)
  }

  find(keys: readonly RowKey[]): Steps<readonly FoundRow[]> {
    return stepsOf(() => keys.flatMap((key) => this.writer.find(key) ?? []))
  }

  findExpired(oldest: bigint, limit: number): Steps<readonly ExpiredRow[]> {
    return stepsOf(() => this.writer.expired(oldest, limit))
  }

  insert(_: WriteTransaction, rows: readonly NewRow[]): Steps<readonly RowId[]> {
    return stepsOf(() => rows.flatMap((row) => this.writer.insert(row) ?? []))
  }

  update(_: WriteTransaction, rows: readonly (RowId & RowChange)[]): Steps<void> {
    return each(rows, (row) => this.writer.update(row))
  }

  setStories(rows: readonly StoryRow[]): Steps<void> {
    return each(rows, (row) => this.writer.setStory(row))
  }

  remove(_: WriteTransaction, rows: readonly RowId[]): Steps<void> {
    return each(rows, (row) => this.writer.remove(row))
  }

  quarantine(_: WriteTransaction, rows: readonly RowId[]): Steps<void> {
    return each(rows, (row) => this.writer.quarantine(row))
  }

  refreshCounts(): Steps<void> {
    return stepsOf(() => this.writer.refreshCounts())
  }
}

function each<Row>(rows: readonly Row[], work: (row: Row) => void): Steps<void> {
  return stepsOf(() => {
    for (const row of rows) work(row)
  })
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
