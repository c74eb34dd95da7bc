/** What the optimizer may know, in a budget: choosing a plan must not take longer than a bad plan. */
import type { PlanState, Statistics } from '../../database/database.ts'
import type { Table } from '../../database/layout/tables.ts'
import type { Dialect } from '../../sql/dialect.ts'
import type { CandidatePath, CandidateSource } from '../plan/physical-plan.ts'
import type { ListPlan } from '../plan/plan.ts'

export interface Optimizer {
  readonly dialect: Dialect
  readonly state: PlanState
  readonly tables: readonly Table[]
  readonly statistics: BoundedStatistics
  /** Estimates of all parts that are planned so far. */
  readonly estimate: { rows: number; savedSize: number }
}

/** Records of a table that meet a condition; and those of them that refer by a link to the outer row. */
export type Records = Pick<ListPlan, 'table' | 'where'>
export type LinkedRecords = Records & Partial<Pick<ListPlan, 'link'>>

/** Estimated rows of a table. */
export function rowsOf({ statistics }: Optimizer, table: Table): number {
  return statistics.rows(table)
}

/** Whether the engine takes no optimizer hints. */
export function isUnhinted({ dialect }: Optimizer): boolean {
  return dialect.plannerControl.kind === 'opaque'
}

/** Candidate sources in the form in which the engine reads them. */
export function candidatePath(optimizer: Optimizer, sources: readonly CandidateSource[]): CandidatePath {
  return { kind: isUnhinted(optimizer) ? 'candidate-rows' : 'candidate-ids', sources }
}

/** Statistics for planning one statement. */
export interface BoundedStatistics extends Omit<Statistics, 'complete'> {
  /** Whether a count up to the limit is one, and not the limit because the budget is spent. */
  affordsCount(limit: number): boolean
  /** Whether candidate sources may compare with `count` more values; if so, adds them to `sourceValues`. */
  affordsValues(count: number): boolean
  /** Number of values that candidate sources compare with. */
  readonly sourceValues: number
}

/** Costs in units of one trigram's statistics. Counting costs one unit more for each `rowsCounted` rows. */
const costs = { trigram: 1, word: 50, prefix: 50, countUpTo: 10 } as const
const rowsCounted = 40
/** About five milliseconds. */
const budget = 1_500
/** SQLite binds at most 32,766 values to a statement, of which the operation itself may use 30,000. */
const maxSourceValues = 2_000

/** Once the budget of a statement is spent, everything counts as common; no answer depends on it. */
export function withinPlanningBudget(statistics: Statistics): BoundedStatistics {
  let left = budget
  let sourceValues = 0
  const known = new Map<string, unknown>()
  const once = <Value>(key: string, read: () => Value): Value => {
    if (!known.has(key)) known.set(key, read())
    return known.get(key) as Value
  }
  const affords = (kind: keyof typeof costs, more = 0): boolean => {
    const cost = costs[kind] + more
    // A probe that is too expensive leaves the budget for cheaper ones.
    if (cost > left) return false
    left -= cost
    return true
  }
  return {
    rows: (table) => once(table.name, () => statistics.rows(table)),
    countUpTo: (statement, limit, innerRows = 0) => {
      if (!affords('countUpTo', limit / rowsCounted + innerRows)) return limit
      const counted = statistics.countUpTo(statement, limit)
      // The budget for rows that did not exist is returned.
      left += (limit - counted) / rowsCounted
      return counted
    },
    affordsCount: (limit) => costs.countUpTo + limit / rowsCounted <= left,
    trigram: (index, trigram) => (affords('trigram') ? statistics.trigram(index, trigram) : null),
    word: (index, word, isPrefix) =>
      once(`${index.name} ${isPrefix} ${word}`, () =>
        affords('word') ? statistics.word(index, word, isPrefix) : Number.POSITIVE_INFINITY,
      ),
    prefix: (index, needle, limit) => (affords('prefix') ? statistics.prefix(index, needle, limit) : null),
    affordsValues: (count) => {
      if (sourceValues + count > maxSourceValues) return false
      sourceValues += count
      return true
    },
    get sourceValues() {
      return sourceValues
    },
  }
}
