/**
 * Maintains the sums that depend on one table's rows, of its own records and of records that refer to them: adds up the
 * changes of a transaction in memory and writes them before it ends. The amounts of a row are read when it is added or
 * removed, from the state at that moment, so that sums are correct for any order of changes.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ColumnValue } from '../../database.ts'
import { refersTo, type SumTable, sumColumns, summedValues } from '../../layout/sums.ts'
import type { Table } from '../../layout/tables.ts'
import { missingKey, quote } from '../layout/ddl.ts'

/** The two columns of a URI; both are null when there is none. */
type Key = readonly [base: ColumnValue, rkey: ColumnValue]

interface Keeper {
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

export class SumWriter {
  readonly #keepers: readonly Keeper[]

  constructor(database: DatabaseSync, table: Table) {
    this.#keepers = table.sums.map((sums) => createKeeper(database, table, sums))
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

function createKeeper(database: DatabaseSync, table: Table, sums: SumTable): Keeper {
  const [name, of, between] = [sums.name, sums.of, sums.between].map(quote)
  const isOwn = sums.of === table.name
  const amounts = summedValues(sums, quote).join(', ')
  const columns = sumColumns(sums)
  const second = `d.${quote(sums.second.base)}, d.${quote(sums.second.key)}`
  const prepare = (text: string): StatementSync => {
    const statement = database.prepare(text)
    statement.setReturnArrays(true)
    return statement
  }
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

function keyOf({ key }: Keeper, id: number): Key {
  return (key.get(id) as unknown as Key | undefined) ?? nowhere
}

function amountsOf({ amounts }: Keeper, id: number): readonly number[] {
  return amounts.get(id) as unknown as readonly number[]
}

/** Reads referring rows, of which there may be many, only if the key has changed. */
function move(keeper: Keeper, id: number, from: Key, to: Key): void {
  if (textOf(from) === textOf(to)) return
  const amounts = amountsOf(keeper, id)
  change(keeper, from, amounts, -1)
  change(keeper, to, amounts, 1)
}

function change({ changes }: Keeper, key: Key, amounts: readonly number[], sign: 1 | -1): void {
  const text = textOf(key)
  const known = changes.get(text)
  if (known === undefined) changes.set(text, { key, amounts: amounts.map((amount) => sign * amount) })
  else
    for (const [index, amount] of amounts.entries())
      known.amounts[index] = (known.amounts[index] ?? 0) + sign * amount
}

/** A base is a number, so that the space ends it. */
function textOf([base, rkey]: Key): string {
  return base === null ? '' : `${base} ${rkey}`
}
