/** Figures about the data within bounds: choosing a road must never take longer than a bad road would. */
import type { Statistics } from '../database/database.ts'

/** What asking takes, in looks at one trigram; counting takes one for so many rows. */
const costs = { trigram: 1, prefix: 50, countUpTo: 10 } as const
const rowsCounted = 40
/** Of other records that are looked at to count any, it takes one for fewer: they are read, whether they count or not. */
const semiJoinRowsPerProbe = 4
/** Some ten milliseconds. */
const budget = 3_000

/** Once the ration of a statement is used up everything counts as common, which no answer depends on. */
export function withinPlanningBudget(statistics: Statistics): Statistics {
  let left = budget
  const affords = (kind: keyof typeof costs, more = 0): boolean => {
    const cost = costs[kind] + more
    // What is too much leaves the ration to what is less.
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
      // What was not there to be counted took nothing.
      left += (limit - counted) / rowsCounted
      return counted
    },
    trigram: (index, trigram) => (affords('trigram') ? statistics.trigram(index, trigram) : null),
    prefix: (index, needle) => (affords('prefix') ? statistics.prefix(index, needle) : null),
    ...(complete !== undefined && { complete: (signal) => complete.call(statistics, signal) }),
  }
}
