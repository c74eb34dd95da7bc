/** The input of plan building besides the operation: the schema and the tables of one model. */
import type { SelectionSetNode } from 'graphql'
import type { Table } from '../../database/layout/tables.ts'
import type { Collection, Model } from '../../schema/model/model.ts'
import type { Selection } from '../parse/collect.ts'
import { assertWithin } from '../parse/limits.ts'
import type { Selected } from './plan.ts'

/** The input that the caller provides. */
export interface PlanSetting {
  /** Version of the program. */
  readonly version: string
  readonly model: Model
  readonly tables: readonly Table[]
  /** Maximum value of `first` and `last`. */
  readonly maxPageSize: number
  readonly selection: Selection
  /** Builds the selected fields of a record. It is passed in because records and lists contain each other. */
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
 * Counts the conditions and values of all `where` of an operation. A variable can be used in a hundred of them, so
 * building must stop as soon as a limit is exceeded.
 */
export class Asked {
  #conditions = 0
  #values = 0

  get conditions(): number {
    return this.#conditions
  }

  /** Counts an operator, or an object of operators. */
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
