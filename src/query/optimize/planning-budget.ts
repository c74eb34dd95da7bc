/** Statistics within a planning budget: choosing a plan must never take longer than a bad plan would. */
import type { Statistics } from '../../database/database.ts'

/** Statistics of one statement's planning. */
export interface BoundedStatistics extends Statistics {
  /** Whether candidate sources may compare with so many more values; if so, they count. */
  affordsValues(count: number): boolean
  /** Values that candidate sources compare with. */
  readonly sourceValues: number
}

/** Costs in units of reading the statistics of one trigram. Counting costs one more for so many rows. */
const costs = { trigram: 1, prefix: 50, countUpTo: 10 } as const
const rowsCounted = 40
/** Rows of semi-joins are read whether they count or not. */
const semiJoinRowsPerProbe = 4
/** Some ten milliseconds. */
const budget = 3_000
/** SQLite binds at most 32,766 values to a statement, and an operation may have 30,000 of its own. */
export const maxSourceValues = 2_000

/** When the budget of a statement is spent, everything counts as common; no answer depends on it. */
export function withinPlanningBudget(statistics: Statistics): BoundedStatistics {
  let left = budget
  let sourceValues = 0
  const affords = (kind: keyof typeof costs, more = 0): boolean => {
    const cost = costs[kind] + more
    // A probe that is too expensive leaves the budget to cheaper ones.
    if (cost > left) return false
    left -= cost
    return true
  }
  const { complete } = statistics
  return {
    rows: (table) => statistics.rows(table),
    countUpTo: (statement, limit, innerRows = 0) => {
      if (!affords('countUpTo', limit / rowsCounted + innerRows / semiJoinRowsPerProbe)) return limit
      const counted = statistics.countUpTo(statement, limit)
      // Rows that were not there to be counted cost nothing.
      left += (limit - counted) / rowsCounted
      return counted
    },
    trigram: (index, trigram) => (affords('trigram') ? statistics.trigram(index, trigram) : null),
    prefix: (index, needle) => (affords('prefix') ? statistics.prefix(index, needle) : null),
    affordsValues: (count) => {
      if (sourceValues + count > maxSourceValues) return false
      sourceValues += count
      return true
    },
    get sourceValues() {
      return sourceValues
    },
    ...(complete !== undefined && { complete: (signal) => complete.call(statistics, signal) }),
  }
}
