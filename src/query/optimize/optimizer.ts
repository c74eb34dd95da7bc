/** The input of the optimizer: what it may know of a database. */
import type { PlanState } from '../../database/database.ts'
import type { Table } from '../../database/layout/tables.ts'
import type { Dialect } from '../../sql/dialect.ts'
import type { CandidatePath, CandidateSource } from '../plan/physical-plan.ts'
import type { BoundedStatistics } from './planning-budget.ts'

export interface Optimizer {
  readonly dialect: Dialect
  readonly state: PlanState
  readonly tables: readonly Table[]
  /** Null if no statistics may be used; answers are the same without them. */
  readonly statistics: BoundedStatistics | null
}

/** Estimated rows of a table; infinite without statistics. */
export function rowsOf({ statistics }: Optimizer, table: Table): number {
  return statistics === null ? Number.POSITIVE_INFINITY : statistics.rows(table)
}

/** Candidate sources in the form in which the engine reads them. */
export function candidatePath({ dialect }: Optimizer, sources: readonly CandidateSource[]): CandidatePath {
  const isFenced = dialect.plannerControl.kind === 'fences'
  return { kind: isFenced ? 'fenced-candidates' : 'candidate-ids', sources }
}
