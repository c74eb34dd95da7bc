/** Writes rows of each collection with their side entries. It must not know revisions or accounts. */
import type { RecordPut } from '../../changes.ts'
import { refBasesOf, wordTexts } from '../../derive.ts'
import type { Table } from '../../layout/tables.ts'
import { readCollections } from '../../metadata/collections.ts'
import { rowsOf } from '../../metadata/purges.ts'
import type { GivenValue, Steps, RowKey } from '../../metadata/steps.ts'
import { ask, jsonKeys, jsonRows } from '../../metadata/steps.ts'
import {
  contentOf,
  type ExpiredRow,
  type FoundRow,
  type NewRow,
  type RecordStore,
  type RecordTable,
  type RowChange,
  type RowId,
  type StoryRow,
} from '../../write/record-table.ts'
import { baseId, noteChanges, type WriteTransaction } from '../../write/write-transaction.ts'
import { quote } from '../layout/ddl.ts'
import type { CountedAnswer } from './counted-statement.ts'
import { type TableStatements, tableStatements } from './table-statements.ts'
import { refreshDriftedCounts } from './text-counts.ts'
import { wordVector } from './word-vector.ts'

export class TableWriter implements RecordTable {
  readonly table: Table
  readonly #refBases: readonly number[]
  /** Rows written since `text_count` was last refreshed. */
  drift = 0
  readonly #isCounting: boolean
  readonly #statements: TableStatements

  /** `isCounting`: false while counts are to be filled later, as at the end of a load. */
  constructor(table: Table, isCounting: boolean) {
    this.table = table
    this.#isCounting = isCounting
    this.#refBases = refBasesOf(table)
    this.#statements = tableStatements(table, isCounting)
  }

  *find(keys: readonly RowKey[]): Steps<readonly FoundRow[]> {
    return keys.length === 0 ? [] : yield* ask<FoundRow>(this.#statements.find, jsonKeys(keys))
  }

  findExpired(oldest: bigint, limit: number): Steps<readonly ExpiredRow[]> {
    return ask(this.#statements.expired, oldest, limit)
  }

  *insert(transaction: WriteTransaction, rows: readonly NewRow[]): Steps<readonly RowId[]> {
    const [returning, others] = [rows.filter(({ id }) => id !== null), rows.filter(({ id }) => id === null)]
    const added = yield* this.#insert(transaction, this.#statements.bringBack, returning)
    return [...added, ...(yield* this.#insert(transaction, this.#statements.insert, others))]
  }

  *update(transaction: WriteTransaction, rows: readonly (RowId & RowChange)[]): Steps<void> {
    if (rows.length === 0) return
    this.drift += rows.length
    const given = jsonRows(rows.map((row) => ({ id: row.id, ...this.#contentOf(transaction, row) })))
    const { changing, entered, leaving } = this.#statements.stories
    const concerned: RowId[] = []
    for (const find of changing) concerned.push(...(yield* ask<RowId & { id: bigint }>(find, given)))
    if (concerned.length > 0) for (const mark of leaving) yield* ask(mark, idsOf(concerned))
    yield* noteChanges(transaction, this.table.name, 'id = any(?)', idsOf(rows))
    const ids = this.#isCounting ? [idsOf(rows)] : []
    yield* this.#change(this.#statements.update, given, ...ids)
    if (concerned.length > 0) for (const mark of entered) yield* ask(mark, idsOf(concerned))
    yield* this.#removeSides(idsOf(rows))
    yield* this.#addSides(transaction, rows)
  }

  *setStories(rows: readonly StoryRow[]): Steps<void> {
    if (rows.length === 0) return
    const given = jsonRows(rows.map(({ id, story: { base, rkey } }) => ({ id, base, rkey })))
    const ids = this.#isCounting ? [idsOf(rows)] : []
    for (const set of this.#statements.stories.set) yield* this.#change(set, given, ...ids)
  }

  *remove(transaction: WriteTransaction, rows: readonly RowId[]): Steps<void> {
    if (rows.length === 0) return
    this.drift += rows.length
    for (const mark of this.#statements.stories.leaving) yield* ask(mark, idsOf(rows))
    yield* this.#removeSides(idsOf(rows))
    yield* noteChanges(transaction, this.table.name, 'id = any(?)', idsOf(rows))
    yield* this.#change(this.#statements.remove, idsOf(rows))
  }

  *quarantine(transaction: WriteTransaction, rows: readonly RowId[]): Steps<void> {
    if (rows.length === 0) return
    yield* ask(this.#statements.quarantine, idsOf(rows))
    yield* this.remove(transaction, rows)
  }

  refreshCounts(): Steps<void> {
    return refreshDriftedCounts(this)
  }

  *#insert(
    transaction: WriteTransaction,
    statement: string,
    rows: readonly NewRow[],
  ): Steps<readonly RowId[]> {
    if (rows.length === 0) return []
    this.drift += rows.length
    const given = rows.map((row) => {
      const { id, base, rkey, did, indexedAt } = row
      return { id, base, rkey, did, indexed_at: indexedAt, ...this.#contentOf(transaction, row) }
    })
    const added = yield* this.#change(statement, jsonRows(given))
    yield* noteChanges(transaction, this.table.name, 'id = any(?)', idsOf(added))
    for (const mark of this.#statements.stories.entered) yield* ask(mark, idsOf(added))
    if (this.table.arrays.length > 0) {
      const records = new Map(rows.map((row) => [`${row.base} ${row.rkey}`, row.record]))
      yield* this.#addSides(
        transaction,
        added.flatMap(({ id, base, rkey }) => {
          const record = records.get(`${base} ${rkey}`)
          return record === undefined ? [] : [{ id, record }]
        }),
      )
    }
    return added
  }

  /** Runs a statement that changes rows; returns added ones. */
  *#change(statement: string, ...values: readonly string[]): Steps<readonly (RowKey & RowId)[]> {
    const answer = yield* ask<RowKey & RowId & Partial<CountedAnswer>>(statement, ...values)
    const zeros = answer.filter(({ part }) => part != null)
    if (zeros.length > 0) yield* ask(this.#statements.removeZeros, JSON.stringify(zeros))
    return answer.filter(({ part }) => part == null)
  }

  *#addSides(
    transaction: WriteTransaction,
    rows: readonly (RowId & { readonly record: Pick<RecordPut, 'arrays'> })[],
  ): Steps<void> {
    for (const [index, { insert }] of this.#statements.sides.entries()) {
      const given: Record<string, GivenValue>[] = []
      for (const { id, record } of rows)
        for (const [first, second] of record.arrays[index] ?? [])
          given.push(
            second === undefined
              ? { value: first ?? null, id }
              : { base: baseId(transaction, first as string), rkey: second, id },
          )
      if (given.length > 0) yield* ask(insert, jsonRows(given))
    }
  }

  *#removeSides(ids: string): Steps<void> {
    for (const { remove } of this.#statements.sides) yield* ask(remove, ids)
  }

  #contentOf(transaction: WriteTransaction, change: RowChange): Record<string, GivenValue> {
    const content: Record<string, GivenValue> = contentOf(transaction, change)
    const { columns, json } = change.record
    for (const [index, value] of columns.entries()) content[`c${index}`] = value
    for (const index of this.#refBases) {
      const uri = columns[index]
      if (typeof uri === 'string') content[`c${index}`] = baseId(transaction, uri)
    }
    if (this.table.words === null) return content
    const { vector, text, length } = wordVector(...wordTexts(this.table.words, JSON.parse(json)))
    return { ...content, words: vector, words_text: text, word_count: length }
  }
}

/** An array parameter. */
function idsOf(rows: readonly RowId[]): string {
  return `{${rows.map(({ id }) => id).join(',')}}`
}

/** The tables of PostgreSQL as the write path of every engine uses them. */
export class PostgresRecordStore implements RecordStore {
  readonly tables: ReadonlyMap<string, TableWriter>
  readonly mostPlaced = Infinity
  readonly #lastStored: string

  /** `isCounting`: false while counts are to be filled later, as at the end of a load. */
  constructor(tables: readonly Table[], isCounting = true) {
    this.tables = new Map(tables.map((table) => [table.collection.nsid, new TableWriter(table, isCounting)]))
    const each = tables.map(
      ({ name }) => `(select max(indexed_at) as at from ${quote(name)} where indexed_at <= ?)`,
    )
    this.#lastStored = `select max(at) as at from (${each.join(' union all ')}) as each`
  }

  *lastStored(horizon: bigint): Steps<bigint> {
    const [row] = yield* ask<{ at: bigint | null }>(
      this.#lastStored,
      ...Array.from(this.tables, () => horizon),
    )
    return row?.at ?? 0n
  }

  /** Removes rows of collections that the lexicons no longer have; only their tables remain. */
  *erase(transaction: WriteTransaction, subject: string): Steps<void> {
    for (const { name, table } of yield* readCollections()) {
      if (this.tables.has(name)) continue
      const [condition, values] = rowsOf(subject, name)
      yield* noteChanges(transaction, table, condition, ...values)
      yield* ask(`delete from ${quote(table)} where ${condition}`, ...values)
    }
  }
}
