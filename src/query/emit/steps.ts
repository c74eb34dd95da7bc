/** Queries in steps: common table expressions as data, in the order in which they were added, printed once. */
import { join, type Sql, sql } from '../../sql/sql.ts'
import type { Emitter } from './emitter.ts'

interface Step {
  readonly name: Sql
  readonly query: Sql
  /** Whether its rows are stored; otherwise the engine reads them where the step is named. */
  readonly isStored: boolean
}

/** Emits one query, whose parts may add steps. */
export interface StepEmitter extends Emitter {
  /** Adds a step, and returns its name. */
  step(query: Sql, isStored?: boolean): Sql
}

/** A subquery for a value, of the steps that it adds; without any, the value itself. `from`: where it is selected from. */
export function inSteps(
  emitter: Emitter,
  body: (steps: StepEmitter) => { readonly value: Sql; readonly from?: Sql },
): Sql {
  const steps: Step[] = []
  const step: StepEmitter['step'] = (query, isStored = true) => {
    const name = emitter.alias()
    steps.push({ name, query, isStored })
    return name
  }
  const { value, from } = body({ ...emitter, step })
  if (steps.length === 0) return value
  const tables = steps.map(
    ({ name, query, isStored }) => sql`${name} as ${isStored ? sql`` : sql`not `}materialized (${query})`,
  )
  return sql`(with ${join(tables, ', ')} select ${value}${from === undefined ? sql`` : sql` from ${from}`})`
}
