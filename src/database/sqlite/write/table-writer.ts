/**
 * Writes one collection's rows with its side tables and text indexes, and records whether ids still follow the default
 * order. It must not know transactions, revisions and accounts.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { ColumnValue, RecordPut } from '../../database.ts'
import type { ExpiredRow, FoundRow, NewRow, RowChange, RowId, StoryRow } from '../../write/record-table.ts'
import { deriveRow, refBasesOf } from '../../derive.ts'
import type { RowKey } from '../../metadata/steps.ts'
import type { Table } from '../../layout/tables.ts'
import { createMaterializedWriter, type MaterializedWriter } from './materialized.ts'
import {
  createOrderIndex,
  dropIndexes,
  dropOrderIndex,
  fillCounts,
  fillSums,
  indexStatements,
  quote,
} from '../layout/ddl.ts'
import { reorder } from '../reorder.ts'
import { markAll } from '../../stories/story-marks.ts'
import { createStoryWriter, type StoryWriter } from './story-writer.ts'
import { once, type Step, TextWriter } from './text-writer.ts'
import { prepareStatements, type CollectionTable, type TableStatements } from './table-statements.ts'

type OrderKey = readonly [indexedAt: bigint, rkey: string, did: string]

export class TableWriter {
  readonly table: Table
  readonly #database: DatabaseSync
  readonly #collectionTable: CollectionTable
  readonly #base: (uri: string) => bigint
  readonly #statements: TableStatements
  readonly #materialized: MaterializedWriter
  /** Null for a table without stories. */
  readonly #stories: StoryWriter | null
  /** Positions of `refBase` columns, whose text is replaced by an id. */
  readonly #refBases: readonly number[]
  #nextId = 1
  #ordered = true
  #last: OrderKey | null = null
  /** When the transaction began: the present, and whether a row had a later time. */
  #now = 0n
  #wasAhead = false
  readonly #texts: TextWriter
  /** Whether text indexes and counts are built later, all at once; until `refresh`. */
  bulk = false
  /** Rows stored or updated since the last refresh of the trigram counts. */
  #drift = 0

  constructor(
    database: DatabaseSync,
    table: Table,
    base: (uri: string) => bigint,
    collectionTable: CollectionTable = 'collection',
  ) {
    this.table = table
    this.#collectionTable = collectionTable
    this.#database = database
    this.#base = base
    this.#statements = prepareStatements(database, table, collectionTable)
    this.#materialized = createMaterializedWriter(database, table)
    this.#texts = new TextWriter(database, table)
    this.#stories = table.stories && createStoryWriter(database, table, table.stories)
    this.#refBases = refBasesOf(table)
    this.refresh()
  }

  get isEmpty(): boolean {
    return this.#nextId === 1
  }

  /** The `indexed_at` of the last row by id. */
  get lastIndexedAt(): bigint {
    return this.#last?.[0] ?? 0n
  }

  /** Reads cached ids and order again after another process has written or a transaction was rolled back. */
  refresh(): void {
    this.bulk = false
    this.#texts.forget()
    this.#materialized.forget()
    this.#nextId = Number(this.readLast()?.id ?? 0) + 1
  }

  /** Call it when a transaction has begun. `now`: the latest time that a clock may give. */
  noteAhead(now: bigint): void {
    this.#now = now
    this.#wasAhead = this.#ordered ? this.lastIndexedAt > now : this.#isAhead()
  }

  /**
   * Call it at the end of the transaction: until then, rows may be on their way back from quarantine. Once the last
   * time that was still to come has gone, ids may follow the default order again.
   */
  restoreOrder(): void {
    if (this.#ordered || !this.#wasAhead || this.#isAhead()) return
    const { misplaced, saveLastQuarantined } = this.#statements
    const { nsid } = this.table.collection
    if (misplaced.get(nsid) !== undefined) return
    // The end that was saved may have a time that has gone.
    saveLastQuarantined.run(nsid)
    this.#saveOrder(true)
    this.readLast()
  }

  #isAhead(): boolean {
    return this.#statements.later.get(this.table.collection.nsid, this.#now) !== undefined
  }

  /** The row with the largest id, which also sorts last if ids follow the default order. */
  readLast(): LastRow | CollectionRow | undefined {
    const kept = this.#statements.collection.get(this.table.collection.nsid) as CollectionRow | undefined
    const row = this.#statements.last.get() as LastRow | undefined
    const last = row === undefined || (kept?.id ?? 0n) > row.id ? kept : row
    this.#last = last?.id == null ? null : [last.indexed_at, last.rkey, last.did]
    this.#ordered = kept?.ordered === 1n
    return last
  }

  find({ base, rkey }: RowKey): FoundRow | undefined {
    return this.#statements.find.get(base, rkey) as FoundRow | undefined
  }

  /** If ids follow the default order, the first rows are the oldest; otherwise there is an index. */
  expired(oldest: bigint, limit: number): readonly ExpiredRow[] {
    const rows = `select id, base, rkey, rev, indexed_at from ${quote(this.table.name)}`
    const find = this.#database.prepare(
      this.#ordered
        ? `select * from (${rows} order by id limit ?1) where indexed_at < ?2`
        : `${rows} where indexed_at < ?2 order by indexed_at limit ?1`,
      { readBigInts: true },
    )
    return find.all(limit, oldest) as unknown as readonly ExpiredRow[]
  }

  /**
   * Returns the added row; null when the record exists already, which is left unchanged. A row without an id gets the next.
   */
  insert(row: NewRow): RowId | null {
    const { json, columns, arrays } = row.record
    // Rows with times that were still to come may have been removed from the end.
    if (!this.bulk && this.#ordered && this.#last !== null && row.indexedAt < this.#last[0]) this.readLast()
    const id = Number(row.id ?? this.#nextId)
    const derived = this.#withBases(columns)
    const content = [row.cid, row.rev, row.indexedAt, row.changedAt, json, ...derived]
    if (this.#statements.insert.run(id, row.base, row.rkey, ...content).changes === 0) return null
    if (!this.bulk) {
      this.#materialized.enter(id, [row.base, row.indexedAt, ...derived])
      this.#stories?.enter(id)
    }
    // A row that returns under its old id keeps its position in the order.
    if (row.id === null) this.#append([row.indexedAt, row.rkey, row.did])
    this.#addDerived(id, arrays)
    return { id: BigInt(id) }
  }

  /** Adds a row, or replaces that of its record. One with another `indexed_at` has another position in the order. */
  put(row: NewRow): void {
    if (this.insert(row) !== null) return
    const old = this.find(row) as FoundRow
    if (old.indexedAt === row.indexedAt) return this.update({ ...row, id: old.id })
    this.remove(old)
    this.insert(row)
  }

  update(row: RowId & RowChange): void {
    const id = idOf(row)
    const { json, arrays } = row.record
    this.#removeDerived(id)
    const columns = this.#withBases(row.record.columns)
    const write = (stored: readonly ColumnValue[]): unknown =>
      this.#statements.update.run(row.cid, row.rev, row.changedAt, json, ...stored, id)
    if (this.bulk) write(columns)
    else {
      const stories = this.#stories
      const isSame = stories?.isSame(id, json) ?? true
      if (!isSame) stories?.leave(id)
      const former = this.#materialized.find(id)
      const [base = null, indexedAt = null] = former
      const next = [base, indexedAt, ...columns]
      const counted = isSame ? (stories?.withStoryOf(former, next) ?? next) : next
      this.#materialized.update(id, former, counted, () => write(counted.slice(2)))
      if (!isSame) stories?.enter(id)
    }
    this.#addDerived(id, arrays)
  }

  /** The row of a table with stories has another first record. */
  setStory({ id: given, story }: StoryRow): void {
    const id = Number(given)
    const stories = this.#stories
    if (stories === null) throw new Error(`The records of ${this.table.name} have no stories.`)
    const row = this.#materialized.find(id)
    const next = stories.withStory(row, story)
    this.#materialized.update(id, row, next, () => stories.set(id, story))
  }

  remove(row: RowId): void {
    const id = idOf(row)
    this.#removeDerived(id)
    if (!this.bulk) {
      this.#materialized.leave(id)
      this.#stories?.leave(id)
    }
    this.#statements.remove.run(id)
    this.#completeMany()
  }

  quarantine(row: RowId): void {
    this.#statements.quarantine.run(row.id)
    this.remove(row)
    // Reserves the row's id and position in the order, even when no row is left above them.
    if (this.#last !== null)
      this.#statements.saveLast.run(this.#nextId - 1, ...this.#last, this.table.collection.nsid)
  }

  /**
   * Writes buffered changes before the transaction ends: counts and sums before any text index, because FTS5 flushes its
   * buffer when SQLite opens a statement journal.
   */
  static complete(writers: readonly TableWriter[]): void {
    for (const writer of writers) writer.#materialized.write()
    for (const writer of writers) writer.#texts.write()
  }

  /** Flushes large buffers, because a removed repository may have any number of records. */
  #completeMany(): void {
    if (this.#texts.pending >= 5_000) TableWriter.complete([this])
  }

  /** Refreshes the trigram counts when many rows have changed. */
  refreshCounts(): void {
    if (this.bulk || this.#drift < 1000 + this.#nextId / 5) return
    this.#texts.refreshCounts()
    this.#drift = 0
  }

  /** Build what is cheaper to build at once, when all rows have their final ids. */
  get building(): readonly Step[] {
    return [
      // Texts first: building their indexes frees pages that the other indexes then use.
      ...this.#texts.filling,
      ...[...indexStatements(this.table), fillCounts(this.table)].map((text) =>
        once(() => this.#database.exec(text)),
      ),
    ]
  }

  startLoad(): void {
    this.bulk = true
    this.#database.exec(dropIndexes(this.table))
  }

  /** Call it between the transactions of an interruptible load: saves whether ids were in order so far. */
  keepOrder(): void {
    this.#saveOrder(this.#ordered)
  }

  /** Call it when all rows of a load are present: gives them their final ids. */
  completeOrder(): void {
    if (!this.#ordered) reorder(this.#database, this.table)
    this.#saveOrder(true)
  }

  /** Call it when all rows have their final ids. */
  completeLoad(): void {
    this.#drift = 0
    for (const step of this.building) for (let after: number | null = 0; after !== null; ) after = step(after)
    this.#database.exec(markAll(this.table))
  }

  /** Sums all records again; the rows of all tables must be in place. */
  fillSums(): void {
    this.#database.exec(fillSums(this.table))
  }

  /** Ids follow the default order as long as every new record sorts after the last. */
  #append(key: OrderKey): void {
    const inOrder = this.#last === null || precedes(this.#last, key)
    this.#nextId += 1
    this.#drift += 1
    if (inOrder) this.#last = key
    else if (this.bulk) this.#ordered = false
    else if (this.#ordered) this.#saveOrder(false)
  }

  /** Increments the plan version, because plans scan either the index or the ids. */
  #saveOrder(ordered: boolean): void {
    this.#ordered = ordered
    const save = this.#database.prepare(
      `update ${this.#collectionTable} set ordered = ? where nsid = ? and ordered <> ?`,
    )
    if (save.run(Number(ordered), this.table.collection.nsid, Number(ordered)).changes === 0) return
    this.#database.exec('update state set plan_version = plan_version + 1')
    this.#database.exec(ordered ? dropOrderIndex(this.table) : createOrderIndex(this.table))
  }

  #addDerived(id: number, arrays: RecordPut['arrays']): void {
    const { addElement } = this.#statements
    for (const [index, elements] of arrays.entries())
      for (const element of elements) addElement[index]?.run(...this.#elementKey(element), id)
    if (!this.bulk) this.#texts.noteAdded(id)
    this.#completeMany()
  }

  #removeDerived(id: number): void {
    if (this.bulk) this.#removeElementsOf(id)
    // By id, so that elements of a damaged record are removed too.
    else for (const remove of this.#statements.removeElements) remove.run(id)
    if (!this.bulk) this.#texts.noteChange(id)
    this.#drift += 1
  }

  /** During a load there is no index on the ids of elements. */
  #removeElementsOf(id: number): void {
    const { json, removeElement } = this.#statements
    if (removeElement.length === 0) return
    const { arrays } = deriveRow(this.table, JSON.parse(String(json.get(id)?.json)))
    for (const [index, elements] of arrays.entries())
      for (const element of elements) removeElement[index]?.run(...this.#elementKey(element), id)
  }

  #elementKey(element: readonly ColumnValue[]): readonly ColumnValue[] {
    const [first, second] = element
    return second === undefined ? element : [this.#base(first as string), second]
  }

  #withBases(columns: readonly ColumnValue[]): readonly ColumnValue[] {
    if (this.#refBases.length === 0) return columns
    const copy = [...columns]
    for (const index of this.#refBases) {
      const uri = copy[index]
      if (typeof uri === 'string') copy[index] = this.#base(uri)
    }
    return copy
  }
}

function idOf({ id }: RowId): number {
  if (id === null) throw new Error('A row that is in its table has an id.')
  return Number(id)
}

interface LastRow {
  readonly id: bigint
  readonly indexed_at: bigint
  readonly rkey: string
  readonly did: string
}

/** The last row as it was at the last quarantining, if any. */
type CollectionRow = { readonly ordered: bigint } & (LastRow | { readonly id: null })

/** Record keys and DIDs are ASCII, so comparing code units equals comparing code points. */
function precedes(a: OrderKey, b: OrderKey): boolean {
  if (a[0] !== b[0]) return a[0] < b[0]
  return a[1] !== b[1] ? a[1] < b[1] : a[2] < b[2]
}
