/**
 * Maintains the materialized counts of one collection, and the sums that depend on its rows: adds up the changes of a
 * transaction in memory and writes them before it ends. It only learns of rows that are added, changed and removed.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type CountTable, countKeys, dayOf, monthOf } from '../../layout/counts.ts'
import { refersTo, type SumTable, sumColumns, summedValues } from '../../layout/sums.ts'
import type { ColumnValue } from '../../database.ts'
import { storedColumns, type Table } from '../../layout/tables.ts'
import { quote } from '../layout/ddl.ts'
import { missingKey } from '../dialect.ts'

/** The counted values of a row: its base, its `indexed_at`, and its stored columns. */
export type CountedRow = readonly ColumnValue[]

/** The columns of which a `CountedRow` has the values. */
export function countedColumns(table: Table): readonly string[] {
  return ['base', 'indexed_at', ...storedColumns(table).map(({ name }) => name)]
}

/** Amounts by key that are added up in memory, and added to a table before the transaction ends. */
class Totals {
  /** By the text of the key. */
  readonly #changes = new Map<string, { readonly key: readonly ColumnValue[]; readonly amounts: number[] }>()
  readonly #add: StatementSync
  /** Removes a row whose amounts are all 0. */
  readonly #remove: StatementSync
  readonly #isShared: boolean

  /** `isShared`: other writers add to the same rows, in any order. */
  constructor(
    database: DatabaseSync,
    name: string,
    keys: readonly string[],
    amounts: readonly string[],
    isShared: boolean,
  ) {
    const [table, given] = [quote(name), keys.map(() => `ifnull(?, ${missingKey})`)]
    this.#add = database.prepare(
      `insert into ${table} values (${given.join(', ')}${', ?'.repeat(amounts.length)})
       on conflict do update set ${amounts.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')}`,
    )
    const isIts = keys.map((key, index) => `${key} = ${given[index]}`)
    const isZero = amounts.map((column) => `${column} = 0`)
    this.#remove = database.prepare(`delete from ${table} where ${[...isIts, ...isZero].join(' and ')}`)
    this.#isShared = isShared
  }

  change(key: readonly ColumnValue[], amounts: readonly number[], sign: 1 | -1): void {
    const text = textOfKey(key)
    const known = this.#changes.get(text)
    if (known === undefined) this.#changes.set(text, { key, amounts: amounts.map((amount) => sign * amount) })
    else
      for (const [index, amount] of amounts.entries())
        known.amounts[index] = (known.amounts[index] ?? 0) + sign * amount
  }

  write(): void {
    for (const { key, amounts } of this.#changes.values()) {
      if (amounts.every((amount) => amount === 0)) continue
      this.#add.run(...key, ...amounts)
      if (this.#isShared || amounts.some((amount) => amount < 0)) this.#remove.run(...key)
    }
    this.forget()
  }

  /** Drops unwritten changes of a transaction that was rolled back. */
  forget(): void {
    this.#changes.clear()
  }
}

/** Null differs from all other values; a base is a number, so that the space ends it. */
function textOfKey([first = null, second]: readonly ColumnValue[]): string {
  const text = first === null ? '' : `=${String(first)}`
  return second === undefined ? text : `${text} ${String(second)}`
}

export type MaterializedWriter = ReturnType<typeof createMaterializedWriter>

/** Amounts are read when a row is added or removed, as they are then: so sums are correct for any order of changes. */
export function createMaterializedWriter(database: DatabaseSync, table: Table) {
  const names = countedColumns(table)
  const selectRow = database.prepare(
    `select ${names.map(quote).join(', ')} from ${quote(table.name)} where id = ?`,
    { readBigInts: true, returnArrays: true },
  )
  const counters = table.counts.map((counts) => ({
    /** Positions of the counted columns in a row. */
    at: counts.columns.map((column) => names.indexOf(column)),
    kind: counts.kind,
    totals: new Totals(database, counts.name, countKeys(counts), ['n'], false),
  }))
  /** Of the table's own records and of records that refer to them. */
  const keepers = table.sums.map((sums) => createSumKeeper(database, table, sums))
  const all = [...counters, ...keepers].map(({ totals }) => totals)
  const find = (id: number): CountedRow => selectRow.get(id) as unknown as CountedRow
  const count = (row: CountedRow, n: 1 | -1): void => {
    for (const { at, kind, totals } of counters)
      totals.change(kind === 'total' ? [1] : at.map((index) => countedOf(row[index] ?? null, kind)), [1], n)
  }
  /** `former`: the keys before a change. */
  const enterSums = (id: number, former: readonly Key[]): void => {
    for (const [index, keeper] of keepers.entries())
      if (keeper.isOwn) keeper.totals.change(keyOf(keeper, id), amountsOf(keeper, id), 1)
      else move(keeper, id, former[index] ?? nowhere, keyOf(keeper, id))
  }
  return {
    find,
    /** Call it after a row was added. */
    enter(id: number, row: CountedRow): void {
      count(row, 1)
      enterSums(id, [])
    },
    /** Call it before a row is removed. */
    leave(id: number): void {
      count(find(id), -1)
      for (const keeper of keepers)
        if (keeper.isOwn) keeper.totals.change(keyOf(keeper, id), amountsOf(keeper, id), -1)
        else move(keeper, id, keyOf(keeper, id), nowhere)
    },
    update(id: number, former: CountedRow, row: CountedRow, work: () => void): void {
      count(former, -1)
      count(row, 1)
      const keys = keepers.map((keeper) => keyOf(keeper, id))
      for (const [index, keeper] of keepers.entries())
        if (keeper.isOwn) keeper.totals.change(keys[index] as Key, amountsOf(keeper, id), -1)
      work()
      enterSums(id, keys)
    },
    write: (): void => all.forEach((totals) => totals.write()),
    /** Drops unwritten changes of a transaction that was rolled back. */
    forget: (): void => all.forEach((totals) => totals.forget()),
  }
}

function countedOf(value: ColumnValue, kind: CountTable['kind']): ColumnValue {
  if (value === null || (kind !== 'day' && kind !== 'month')) return value
  const micros = BigInt(value as bigint | number)
  return kind === 'day' ? dayOf(micros) : monthOf(micros)
}

/** The two columns of a URI; both are null when there is none. */
type Key = readonly [base: ColumnValue, rkey: ColumnValue]

type SumKeeper = ReturnType<typeof createSumKeeper>

const nowhere: Key = [null, null]

function createSumKeeper(database: DatabaseSync, table: Table, sums: SumTable) {
  const [of, between] = [sums.of, sums.between].map(quote)
  const isOwn = sums.of === table.name
  const amounts = summedValues(sums, quote).join(', ')
  const second = `d.${quote(sums.second.base)}, d.${quote(sums.second.key)}`
  const prepare = (text: string): StatementSync => database.prepare(text, { returnArrays: true })
  return {
    /** True if the table's own records are summed; false if it is the table in between. */
    isOwn,
    /** Selects the key that a row's records are summed under, by the id of the row. */
    key: prepare(
      isOwn
        ? `select ${second} from ${of} c cross join ${between} d on ${refersTo(sums, quote)} where c.id = ?`
        : `select ${second} from ${between} d where d.id = ?`,
    ),
    /** Selects the amounts of the row itself, or of all rows that refer to it. */
    amounts: prepare(
      isOwn
        ? `select ${amounts} from ${of} c where c.id = ?`
        : `select ${amounts} from ${between} d cross join ${of} c on ${refersTo(sums, quote)} where d.id = ?`,
    ),
    totals: new Totals(database, sums.name, ['base', 'rkey'], sumColumns(sums), true),
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
  if (textOfKey(from) === textOfKey(to)) return
  const amounts = amountsOf(keeper, id)
  keeper.totals.change(from, amounts, -1)
  keeper.totals.change(to, amounts, 1)
}
