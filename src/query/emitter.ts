/** What emitting SQL needs everywhere: the dialect, fresh aliases, and what is known of the database. */
import type { PlanState, Statistics } from '../database/database.ts'
import type { Table } from '../database/tables.ts'
import type { Dialect } from '../sql/dialect.ts'
import { identifier, raw, type Sql, sql } from '../sql/sql.ts'
import type { ListPlan } from './plan.ts'

export interface Emitter {
  readonly dialect: Dialect
  readonly state: PlanState
  readonly statistics: Statistics | null
  /** Of all collections. */
  readonly tables: readonly Table[]
  /** A list below a record; handed in because records and lists hold each other. */
  readonly list: (emitter: Emitter, list: ListPlan, parent: Sql) => Sql
  /** Told how many rows may be looked at where it is not the size of a page that bounds it. */
  addEstimatedRows(rows: number): void
  /** The sum of what was told. */
  readonly estimatedRows: () => number
  /** Told what of the plan's size, as cost.ts measures it, is not read after all: kept counts answer it. */
  addSavedSize(size: number): void
  /** The sum of that. */
  readonly savedSize: () => number
  /** A name no other row of the statement has. */
  alias(): Sql
  /** A table's rows that may be seen, under an alias; `scan` is the dialect's, where a road goes along an index. */
  rows(table: Table, alias: Sql, scan?: Sql): Sql
}

/** A record by its table's alias, or a JSON object inside one. */
export type Row =
  | { readonly kind: 'record'; readonly alias: Sql; readonly table: Table }
  | { readonly kind: 'json'; readonly value: Sql }

export type RecordRow = Extract<Row, { kind: 'record' }>

/** All rows of a table, roughly; without figures there may be any number. */
export function rowsOf({ statistics }: Emitter, table: Table): number {
  return statistics === null ? Number.POSITIVE_INFINITY : statistics.rows(table)
}

export function createEmitter(
  known: Omit<
    Emitter,
    'alias' | 'rows' | 'addEstimatedRows' | 'estimatedRows' | 'addSavedSize' | 'savedSize'
  >,
): Emitter {
  let aliases = 0
  let estimatedRows = 0
  let savedSize = 0
  return {
    ...known,
    addEstimatedRows: (rows) => {
      estimatedRows += rows
    },
    estimatedRows: () => estimatedRows,
    addSavedSize: (size) => {
      savedSize += size
    },
    savedSize: () => savedSize,
    alias: () => {
      aliases += 1
      return raw(`t${aliases}`)
    },
    rows: (table, alias, scan) => {
      const along = scan === undefined ? sql`` : sql` ${scan}`
      const name = identifier(table.name)
      if (!known.state.hiding) return sql`${name} ${alias}${along}`
      // The engine merges such a sub-query into what is around it, so that indexes and orders stay of use.
      return sql`(select * from ${name}${along} where base not in (select base from hidden)) ${alias}`
    },
  }
}
