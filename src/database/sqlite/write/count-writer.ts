/**
 * Maintains the counts of one collection: adds up the changes of a transaction in memory and writes them before it
 * ends. It only learns of rows that are added and removed.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type CountTable, countKeys, dayOf, monthOf } from '../../layout/counts.ts'
import type { ColumnValue } from '../../database.ts'
import { storedColumns, type Table } from '../../layout/tables.ts'
import { fillCounts, missingKey, quote } from '../layout/ddl.ts'

/** The counted values of a row: its base, its `indexed_at`, and its stored columns. */
export type CountedRow = readonly ColumnValue[]

interface Counter {
  /** Positions of the counted columns in a row. */
  readonly at: readonly number[]
  readonly kind: CountTable['kind']
  /** By the text of the values. */
  readonly changes: Map<string, { readonly values: readonly ColumnValue[]; n: number }>
  readonly add: StatementSync
  /** Removes a row with the count 0. */
  readonly remove: StatementSync
}

export class CountWriter {
  readonly #database: DatabaseSync
  readonly #table: Table
  readonly #find: StatementSync
  readonly #counters: readonly Counter[]

  constructor(database: DatabaseSync, table: Table) {
    this.#database = database
    this.#table = table
    const names = ['base', 'indexed_at', ...storedColumns(table).map(({ name }) => name)]
    this.#find = database.prepare(
      `select ${names.map(quote).join(', ')} from ${quote(table.name)} where id = ?`,
    )
    this.#find.setReadBigInts(true)
    this.#find.setReturnArrays(true)
    this.#counters = table.counts.map((counts) => {
      const [name, keys] = [quote(counts.name), countKeys(counts)]
      const given = keys.map(() => `ifnull(?, ${missingKey})`)
      return {
        at: counts.columns.map((column) => names.indexOf(column)),
        kind: counts.kind,
        changes: new Map(),
        add: database.prepare(
          `insert into ${name} (${keys.join(', ')}, n) values (${given.join(', ')}, ?)
           on conflict do update set n = n + excluded.n`,
        ),
        remove: database.prepare(
          `delete from ${name} where ${keys.map((key, index) => `${key} = ${given[index]}`).join(' and ')} and n = 0`,
        ),
      }
    })
  }

  /** The counted values of a row in the table. */
  find(id: number): CountedRow {
    return this.#find.get(id) as unknown as CountedRow
  }

  /** `n`: 1 for an added row, -1 for a removed one. */
  change(row: CountedRow, n: 1 | -1): void {
    for (const { at, kind, changes } of this.#counters) {
      const values = at.map((index) => countedOf(row[index] ?? null, kind))
      const key = keyOf(values)
      const known = changes.get(key)
      if (known === undefined) changes.set(key, { values, n })
      else known.n += n
    }
  }

  /** The largest number of changed values in a count table. */
  get size(): number {
    return Math.max(...this.#counters.map(({ changes }) => changes.size))
  }

  write(): void {
    for (const { changes, add, remove, at } of this.#counters) {
      for (const { values, n } of changes.values()) {
        if (n === 0) continue
        const keys = at.length === 0 ? [1] : values
        add.run(...keys, n)
        if (n < 0) remove.run(...keys)
      }
      changes.clear()
    }
  }

  /** Drops unwritten changes of a transaction that was rolled back. */
  forget(): void {
    for (const { changes } of this.#counters) changes.clear()
  }

  /** Counts all rows again. */
  fill(): void {
    this.forget()
    this.#database.exec(fillCounts(this.#table))
  }
}

function countedOf(value: ColumnValue, kind: CountTable['kind']): ColumnValue {
  if (value === null || (kind !== 'day' && kind !== 'month')) return value
  const micros = BigInt(value as bigint | number)
  return kind === 'day' ? dayOf(micros) : monthOf(micros)
}

/** Null differs from all other values; a base is a number, so that the space ends it. */
function keyOf(values: readonly ColumnValue[]): string {
  const [first = null, second] = values
  const text = first === null ? '' : `=${String(first)}`
  return second === undefined ? text : `${text} ${String(second)}`
}
