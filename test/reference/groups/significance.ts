/** The significance of groups, as docs/unusual.md defines it: log-odds with an informative Dirichlet prior. */

/** Numbers of records: in the group and in all, of the foreground and of the background. */
export interface Comparison {
  readonly count: number
  readonly total: number
  readonly againstCount: number
  readonly againstTotal: number
}

export interface Significance {
  readonly share: number
  readonly againstCount: number
  readonly againstShare: number
  readonly score: number
}

const priorRecords = 500

/** Null for groups that are not more frequent than in the background. */
export function significanceOf(compared: Comparison): Significance | null {
  const { count, total, againstCount, againstTotal } = compared
  const score = rounded(zScore(compared), 3)
  if (!(score > 0)) return null
  return {
    share: rounded(count / total, 6),
    againstCount,
    againstShare: rounded(againstCount / againstTotal, 6),
    score,
  }
}

/** The score without rounding. */
export function zScore({ count, total, againstCount, againstTotal }: Comparison): number {
  const prior = (priorRecords * (count + againstCount)) / (total + againstTotal)
  // A group of all records is as frequent on both sides.
  if (count + againstCount === total + againstTotal) return 0
  const logOdds = (records: number, all: number) =>
    Math.log((records + prior) / (all + priorRecords - records - prior))
  const delta = logOdds(count, total) - logOdds(againstCount, againstTotal)
  return delta / Math.sqrt(1 / (count + prior) + 1 / (againstCount + prior))
}

function rounded(value: number, digits: number): number {
  return Math.floor(value * 10 ** digits + 0.5) / 10 ** digits
}
