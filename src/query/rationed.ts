/** Figures about the data within bounds: choosing a road must never take longer than a bad road would. */
import type { Statistics } from '../database/database.ts'

/** What asking takes, in looks at one trigram; counting takes one for so many rows. */
const costs = { trigram: 1, prefix: 50, countUpTo: 10 } as const
const rowsCounted = 40
/** Some ten milliseconds. */
const ration = 3_000

/** Once the ration of a statement is used up everything counts as common, which no answer depends on. */
export function rationed(statistics: Statistics): Statistics {
  let left = ration
  const affords = (kind: keyof typeof costs, rows = 0): boolean => {
    left -= costs[kind] + rows / rowsCounted
    return left >= 0
  }
  const { complete } = statistics
  return {
    rows: (table) => statistics.rows(table),
    countUpTo: (statement, limit) => {
      if (!affords('countUpTo', limit)) return limit
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
