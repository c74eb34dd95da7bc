/** The context of emitting SQL: the dialect, unique aliases, and which rows are visible. */
import type { PlanState } from '../../database/database.ts'
import type { Table } from '../../database/layout/tables.ts'
import type { Dialect } from '../../sql/dialect.ts'
import { identifier, raw, type Sql, sql } from '../../sql/sql.ts'
import type { PhysicalList } from '../plan/physical-plan.ts'

export interface Emitter {
  readonly dialect: Dialect
  readonly state: PlanState
  /** The tables of all collections. */
  readonly tables: readonly Table[]
  /** Emits a list below a record. It is passed in because records and lists contain each other. */
  readonly list: (emitter: Emitter, list: PhysicalList, parent: Sql) => Sql
  /** An alias that is unique in the statement. */
  alias(): Sql
  /** The visible rows of a table under an alias; scanned by `index`, or (null) in id order, if it is given. */
  rows(table: Table, alias: Sql, index?: string | null): Sql
}

/** A record by the alias of its table, or a JSON object inside one. */
export type Row =
  | { readonly kind: 'record'; readonly alias: Sql; readonly table: Table }
  | { readonly kind: 'json'; readonly value: Sql }

export type RecordRow = Extract<Row, { kind: 'record' }>

export function createEmitter(
  { dialect, state, tables }: Pick<Emitter, 'dialect' | 'state' | 'tables'>,
  list: Emitter['list'] = noList,
): Emitter {
  let aliases = 0
  return {
    dialect,
    state,
    tables,
    list,
    alias: () => {
      aliases += 1
      return raw(`t${aliases}`)
    },
    rows: (table, alias, index) => {
      const along = index === undefined ? sql`` : dialect.scan(index)
      const name = identifier(table.name)
      if (!state.hiding) return sql`${name} ${alias}${along}`
      // The engine flattens this subquery into the outer query, so that indexes and orders stay usable.
      return sql`(select * from ${name}${along} where base not in (select base from hidden)) ${alias}`
    },
  }
}

function noList(): never {
  throw new Error('A probe has no lists.')
}
