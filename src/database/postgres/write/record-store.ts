/** The tables of PostgreSQL as the write path of every engine uses them. */
import type { Table } from '../../layout/tables.ts'
import { readCollections } from '../../metadata/collections.ts'
import { rowsOf } from '../../metadata/purges.ts'
import { ask, type Steps } from '../../metadata/steps.ts'
import type { RecordStore } from '../../write/record-table.ts'
import { noteChanges, type WriteTransaction } from '../../write/write-transaction.ts'
import { quote } from '../layout/ddl.ts'
import { TableWriter } from './table-writer.ts'

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
