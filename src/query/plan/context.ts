/** What building a plan needs besides the operation: the schema's side and the tables' side of the same model. */
import type { SelectionSetNode } from 'graphql'
import type { Table } from '../../database/tables.ts'
import type { Collection, Model } from '../../schema/model.ts'
import type { Selection } from '../parse/collect.ts'
import { assertWithin } from '../parse/limits.ts'
import type { Selected } from './plan.ts'

/** What is handed in. */
export interface PlanSetting {
  /** Of the program. */
  readonly version: string
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

export interface PlanContext extends PlanSetting {
  readonly asked: Asked
}

/**
 * Counts what all `where` of an operation say together. One variable can stand in a hundred of them, so that building
 * has to stop where it is too much.
 */
export class Asked {
  #conditions = 0
  #values = 0

  get conditions(): number {
    return this.#conditions
  }

  /** An operator, or an object around some. */
  countCondition(): void {
    this.#conditions += 1
    assertWithin('allConditions', this.#conditions, 'All `where` of the operation have too many conditions')
  }

  countValues(number: number): void {
    this.#values += number
    assertWithin('parameters', this.#values, 'The operation compares with too many values')
  }
}

export function tableOf({ tables }: PlanContext, collection: Collection): Table {
  return tables.find((table) => table.collection === collection) as Table
}
