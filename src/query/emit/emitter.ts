/** What emitting SQL needs everywhere: the dialect, fresh aliases, and which rows may be seen. */
import type { PlanState } from '../../database/database.ts'
import type { Table } from '../../database/tables.ts'
import type { Dialect } from '../../sql/dialect.ts'
import { identifier, raw, type Sql, sql } from '../../sql/sql.ts'
import type { PhysicalList } from '../plan/physical-plan.ts'

export interface Emitter {
  readonly dialect: Dialect
  readonly state: PlanState
  /** Of all collections. */
  readonly tables: readonly Table[]
  /** A list below a record; handed in because records and lists contain each other. */
  readonly list: (emitter: Emitter, list: PhysicalList, parent: Sql) => Sql
  /** A name that no other row of the statement has. */
  alias(): Sql
  /** A table's rows that may be seen, under an alias; by that index, or (null) in id order, where it is given. */
  rows(table: Table, alias: Sql, index?: string | null): Sql
}

/** A record by its table's alias, or a JSON object inside one. */
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
      // The engine merges such a sub-query into what is around it, so that indexes and orders stay of use.
      return sql`(select * from ${name}${along} where base not in (select base from hidden)) ${alias}`
    },
  }
}

function noList(): never {
  throw new Error('A probe has no lists.')
}
