/** What building a plan needs besides the operation: the schema's side and the tables' side of the same model. */
import type { SelectionSetNode } from 'graphql'
import type { Table } from '../database/tables.ts'
import type { Collection, Model } from '../schema/model.ts'
import type { Selection } from './collect.ts'
import type { Selected } from './plan.ts'

export interface PlanContext {
  readonly model: Model
  readonly tables: readonly Table[]
  /** Largest `first` or `last`. */
  readonly maxPageSize: number
  readonly selection: Selection
  /** What is selected of a record; handed in because records and lists hold each other. */
  readonly record: (
    context: PlanContext,
    table: Table,
    sets: readonly SelectionSetNode[],
  ) => readonly Selected[]
}

export function tableOf({ tables }: PlanContext, collection: Collection): Table {
  return tables.find((table) => table.collection === collection) as Table
}
