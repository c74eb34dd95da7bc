/**
 * Writes the rows of one collection, many at once, and keeps its table and side tables consistent. It must not know
 * revisions or accounts; the server maintains the indexes.
 */
import type { RecordPut } from '../../changes.ts'
import { storedColumns, type Table } from '../../layout/tables.ts'
import { baseId } from './repo-collections.ts'
import { jsonRow, jsonRows, jsonValue } from '../read/json-rows.ts'
import { type TableStatements, tableStatements } from './table-statements.ts'
import type { Transaction } from './transactions.ts'

/** Identifies a row independently of its id. */
export interface RowKey {
  readonly base: bigint
  readonly rkey: string
}

/** A row by its id; null if it was first stored while its account was hidden, and so is in no table. */
export interface RowId {
  readonly id: bigint | null
}

/** The part of a row that decisions need. */
export interface FoundRow extends RowKey, RowId {
  readonly cid: string
  readonly rev: string | null
}

export interface RowChange {
  readonly cid: string
  readonly rev: string | null
  readonly changedAt: bigint
  readonly record: Pick<RecordPut, 'json' | 'columns' | 'arrays'>
}

export interface NewRow extends RowKey, RowChange {
  readonly did: string
  readonly indexedAt: bigint
}

export class TableWriter {
  readonly table: Table
  /** Rows written since `text_count` was last refreshed. */
  drift = 0
  readonly #statements: TableStatements
  /** Positions of `refBase` columns, whose text is replaced by an id. */
  readonly #refBases: readonly number[]

  constructor(table: Table) {
    this.table = table
    this.#statements = tableStatements(table)
    this.#refBases = storedColumns(table).flatMap(({ kind }, index) => (kind === 'refBase' ? [index] : []))
  }

  /** Repository collections that a record refers to. */
  *referredRepoCollections({ columns, arrays }: Pick<RecordPut, 'columns' | 'arrays'>): Generator<string> {
    for (const index of this.#refBases) {
      const uri = columns[index]
      if (typeof uri === 'string') yield uri
    }
    for (const [index, { kind }] of this.table.arrays.entries())
      if (kind === 'reference') for (const [uri] of arrays[index] ?? []) yield uri as string
  }

  async find(transaction: Transaction, keys: readonly RowKey[]): Promise<readonly FoundRow[]> {
    if (keys.length === 0) return []
    return transaction.query<FoundRow>(this.#statements.find, jsonKeys(keys))
  }

  some(transaction: Transaction, base: bigint, limit: number): Promise<readonly RowId[]> {
    return transaction.query(this.#statements.some, base, limit)
  }

  /** Removes a repository collection's rows whose revision is null or earlier than `rev`; returns their number. */
  async removeOlder(transaction: Transaction, base: bigint, rev: string): Promise<number> {
    const rows = await transaction.query<RowId>(this.#statements.older, base, rev)
    await this.remove(transaction, rows)
    return rows.length
  }

  /** Does not change existing rows; returns the added ones. */
  async insert(transaction: Transaction, rows: readonly NewRow[]): Promise<readonly RowId[]> {
    return this.#insert(transaction, this.#statements.insert, rows, () => [])
  }

  /** Like `insert`, but the rows keep their ids. */
  async bringBack(
    transaction: Transaction,
    rows: readonly (NewRow & { readonly id: bigint })[],
  ): Promise<void> {
    await this.#insert(transaction, this.#statements.bringBack, rows, ({ id }) => [['id', String(id)]])
  }

  async update(
    transaction: Transaction,
    rows: readonly (RowChange & { readonly id: bigint })[],
  ): Promise<void> {
    if (rows.length === 0) return
    this.drift += rows.length
    const given = rows.map((row) =>
      jsonRow([['id', String(row.id)], ...changeMembers(row), ...this.#derivedMembers(transaction, row)]),
    )
    await transaction.query(this.#statements.update, jsonRows(given))
    await this.#removeSides(transaction, idsOf(rows))
    await this.#addSides(transaction, rows)
  }

  async setRev(transaction: Transaction, rows: readonly Pick<FoundRow, 'id' | 'rev'>[]): Promise<void> {
    if (rows.length === 0) return
    const given = rows.map(({ id, rev }) => `{"id":${id},"rev":${jsonValue(rev)}}`)
    await transaction.query(this.#statements.setRev, jsonRows(given))
  }

  async remove(transaction: Transaction, rows: readonly RowId[]): Promise<void> {
    const ids = idsOf(rows)
    if (ids.length === 0) return
    this.drift += ids.length
    await this.#removeSides(transaction, ids)
    await transaction.query(this.#statements.remove, ids)
  }

  /** Moves rows to the table of quarantined rows. */
  async quarantine(transaction: Transaction, rows: readonly RowId[]): Promise<void> {
    const ids = idsOf(rows)
    if (ids.length === 0) return
    await transaction.query(this.#statements.quarantine, ids)
    await this.remove(transaction, rows)
  }

  async #insert<Row extends NewRow>(
    transaction: Transaction,
    statement: string,
    rows: readonly Row[],
    more: (row: Row) => readonly (readonly [string, string])[],
  ): Promise<readonly RowId[]> {
    if (rows.length === 0) return []
    this.drift += rows.length
    const given = rows.map((row) =>
      jsonRow([
        ...more(row),
        ['base', String(row.base)],
        ['did', jsonValue(row.did)],
        ['rkey', jsonValue(row.rkey)],
        ['indexed_at', String(row.indexedAt)],
        ...changeMembers(row),
        ...this.#derivedMembers(transaction, row),
      ]),
    )
    const added = await transaction.query<RowKey & { readonly id: bigint }>(statement, jsonRows(given))
    if (this.table.arrays.length > 0) {
      const records = new Map(rows.map((row) => [`${row.base} ${row.rkey}`, row.record]))
      await this.#addSides(
        transaction,
        added.flatMap(({ id, base, rkey }) => {
          const record = records.get(`${base} ${rkey}`)
          return record === undefined ? [] : [{ id, record }]
        }),
      )
    }
    return added
  }

  async #addSides(
    transaction: Transaction,
    rows: readonly { readonly id: bigint; readonly record: Pick<RecordPut, 'arrays'> }[],
  ): Promise<void> {
    for (const [index, { insert }] of this.#statements.sides.entries()) {
      const given: string[] = []
      for (const { id, record } of rows)
        for (const [first, second] of record.arrays[index] ?? [])
          given.push(
            second === undefined
              ? `{"value":${jsonValue(first ?? null)},"id":${id}}`
              : `{"base":${baseId(transaction, first as string)},"rkey":${jsonValue(second)},"id":${id}}`,
          )
      if (given.length > 0) await transaction.query(insert, jsonRows(given))
    }
  }

  async #removeSides(transaction: Transaction, ids: readonly bigint[]): Promise<void> {
    for (const { remove } of this.#statements.sides) await transaction.query(remove, ids)
  }

  #derivedMembers(transaction: Transaction, { record: { columns } }: RowChange): [string, string][] {
    const members = columns.map((value, index): [string, string] => [`c${index}`, jsonValue(value)])
    for (const index of this.#refBases) {
      const uri = columns[index]
      if (typeof uri === 'string') members[index] = [`c${index}`, String(baseId(transaction, uri))]
    }
    return members
  }
}

function idsOf(rows: readonly RowId[]): readonly bigint[] {
  return rows.flatMap(({ id }) => id ?? [])
}

export function jsonKeys(keys: readonly RowKey[]): string {
  return jsonRows(keys.map(({ base, rkey }) => `{"base":${base},"rkey":${jsonValue(rkey)}}`))
}

export function changeMembers({ cid, rev, changedAt, record }: RowChange): [string, string][] {
  return [
    ['cid', jsonValue(cid)],
    ['rev', jsonValue(rev)],
    ['changed_at', String(changedAt)],
    ['record', record.json],
  ]
}
