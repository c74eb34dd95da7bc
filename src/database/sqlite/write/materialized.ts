/**
 * Maintains the materialized counts of one collection, and the sums that depend on its rows: adds up the changes of a
 * transaction in memory and writes them before it ends. It only learns of rows that are added, changed and removed.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type CountTable, countKeys, dayOf, monthOf } from '../../layout/counts.ts'
import { refersTo, type SumTable, sumColumns, summedValues } from '../../layout/sums.ts'
import type { ColumnValue } from '../../database.ts'
import { storedColumns, type Table } from '../../layout/tables.ts'
import { fillCounts, quote } from '../layout/ddl.ts'
import { missingKey } from '../dialect.ts'

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
      { readBigInts: true, returnArrays: true },
    )
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
      const key = textOfValues(values)
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
function textOfValues(values: readonly ColumnValue[]): string {
  const [first = null, second] = values
  const text = first === null ? '' : `=${String(first)}`
  return second === undefined ? text : `${text} ${String(second)}`
}

/** The two columns of a URI; both are null when there is none. */
type Key = readonly [base: ColumnValue, rkey: ColumnValue]

interface SumKeeper {
  /** True if the table's own records are summed; false if it is the table in between. */
  readonly isOwn: boolean
  /** Selects the key that a row's records are summed under, by the id of the row. */
  readonly key: StatementSync
  /** Selects the amounts of the row itself, or of all rows that refer to it. */
  readonly amounts: StatementSync
  /** By the text of the key. */
  readonly changes: Map<string, { readonly key: Key; readonly amounts: number[] }>
  readonly add: StatementSync
  readonly remove: StatementSync
}

const nowhere: Key = [null, null]

/**
 * Sums of the table's own records and of records that refer to them. The amounts of a row are read when it is added or
 * removed, from the state at that moment, so that sums are correct for any order of changes.
 */
export class SumWriter {
  readonly #keepers: readonly SumKeeper[]

  constructor(database: DatabaseSync, table: Table) {
    this.#keepers = table.sums.map((sums) => createSumKeeper(database, table, sums))
  }

  /** Call it after a row was added. */
  enter(id: number): void {
    for (const keeper of this.#keepers)
      if (keeper.isOwn) change(keeper, keyOf(keeper, id), amountsOf(keeper, id), 1)
      else move(keeper, id, nowhere, keyOf(keeper, id))
  }

  /** Call it before a row is removed. */
  leave(id: number): void {
    for (const keeper of this.#keepers)
      if (keeper.isOwn) change(keeper, keyOf(keeper, id), amountsOf(keeper, id), -1)
      else move(keeper, id, keyOf(keeper, id), nowhere)
  }

  /** Runs an update of a row. */
  update(id: number, work: () => void): void {
    const before = this.#keepers.map((keeper) => keyOf(keeper, id))
    for (const [index, keeper] of this.#keepers.entries())
      if (keeper.isOwn) change(keeper, before[index] as Key, amountsOf(keeper, id), -1)
    work()
    for (const [index, keeper] of this.#keepers.entries())
      if (keeper.isOwn) change(keeper, keyOf(keeper, id), amountsOf(keeper, id), 1)
      else move(keeper, id, before[index] as Key, keyOf(keeper, id))
  }

  write(): void {
    for (const { changes, add, remove } of this.#keepers) {
      for (const { key, amounts } of changes.values()) {
        if (amounts.every((amount) => amount === 0)) continue
        add.run(...key, ...amounts)
        // Both tables' writers contribute, in any order: a row is removed when all its amounts are 0.
        remove.run(...key)
      }
      changes.clear()
    }
  }

  /** Drops unwritten changes of a transaction that was rolled back. */
  forget(): void {
    for (const { changes } of this.#keepers) changes.clear()
  }
}

function createSumKeeper(database: DatabaseSync, table: Table, sums: SumTable): SumKeeper {
  const [name, of, between] = [sums.name, sums.of, sums.between].map(quote)
  const isOwn = sums.of === table.name
  const amounts = summedValues(sums, quote).join(', ')
  const columns = sumColumns(sums)
  const second = `d.${quote(sums.second.base)}, d.${quote(sums.second.key)}`
  const prepare = (text: string): StatementSync => database.prepare(text, { returnArrays: true })
  return {
    isOwn,
    key: prepare(
      isOwn
        ? `select ${second} from ${of} c cross join ${between} d on ${refersTo(sums, quote)} where c.id = ?`
        : `select ${second} from ${between} d where d.id = ?`,
    ),
    amounts: prepare(
      isOwn
        ? `select ${amounts} from ${of} c where c.id = ?`
        : `select ${amounts} from ${between} d cross join ${of} c on ${refersTo(sums, quote)} where d.id = ?`,
    ),
    changes: new Map(),
    add: database.prepare(
      `insert into ${name} values (ifnull(?, ${missingKey}), ifnull(?, ${missingKey})${', ?'.repeat(columns.length)})
       on conflict do update set ${columns.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')}`,
    ),
    remove: database.prepare(
      `delete from ${name} where base = ifnull(?, ${missingKey}) and rkey = ifnull(?, ${missingKey})
       and ${columns.map((column) => `${column} = 0`).join(' and ')}`,
    ),
  }
}

function keyOf({ key }: SumKeeper, id: number): Key {
  return (key.get(id) as unknown as Key | undefined) ?? nowhere
}

function amountsOf({ amounts }: SumKeeper, id: number): readonly number[] {
  return amounts.get(id) as unknown as readonly number[]
}

/** Reads referring rows, of which there may be many, only if the key has changed. */
function move(keeper: SumKeeper, id: number, from: Key, to: Key): void {
  if (textOfValues(from) === textOfValues(to)) return
  const amounts = amountsOf(keeper, id)
  change(keeper, from, amounts, -1)
  change(keeper, to, amounts, 1)
}

function change({ changes }: SumKeeper, key: Key, amounts: readonly number[], sign: 1 | -1): void {
  const text = textOfValues(key)
  const known = changes.get(text)
  if (known === undefined) changes.set(text, { key, amounts: amounts.map((amount) => sign * amount) })
  else
    for (const [index, amount] of amounts.entries())
      known.amounts[index] = (known.amounts[index] ?? 0) + sign * amount
}
