/** What choosing a physical plan needs to know of a database. */
import type { PlanState } from '../../database/database.ts'
import type { Table } from '../../database/tables.ts'
import type { Dialect } from '../../sql/dialect.ts'
import type { CandidatePath, CandidateSource } from '../plan/physical-plan.ts'
import type { BoundedStatistics } from './planning-budget.ts'

export interface Optimizer {
  readonly dialect: Dialect
  readonly state: PlanState
  readonly tables: readonly Table[]
  /** Null where nothing may be known: every plan is exact without. */
  readonly statistics: BoundedStatistics | null
}

/** Rows of a table, roughly; without statistics there may be any number. */
export function rowsOf({ statistics }: Optimizer, table: Table): number {
  return statistics === null ? Number.POSITIVE_INFINITY : statistics.rows(table)
}

/** Candidates in the form that the engine reads them in. */
export function candidatePath({ dialect }: Optimizer, sources: readonly CandidateSource[]): CandidatePath {
  const isFenced = dialect.plannerControl.kind === 'fences'
  return { kind: isFenced ? 'fenced-candidates' : 'candidate-ids', sources }
}
