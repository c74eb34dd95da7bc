/** What building a plan needs besides the operation: the schema's side and the tables' side of the same model. */
import type { Table } from '../database/tables.ts'
import type { Collection, Model } from '../schema/model.ts'
import type { Selection } from './collect.ts'

export interface PlanContext {
  readonly model: Model
  readonly tables: readonly Table[]
  /** Largest `first` or `last`. */
  readonly maxPageSize: number
  readonly selection: Selection
}

export function tableOf({ tables }: PlanContext, collection: Collection): Table {
  return tables.find((table) => table.collection === collection) as Table
}
