/** What a process of tests found. */
export interface Outcome {
  readonly tests: number
  readonly failed: number
  /** How many tests were skipped, by the reason they give. */
  readonly skips: Readonly<Record<string, number>>
}

export function sumOutcomes(outcomes: readonly Outcome[]): Outcome {
  const skips: Record<string, number> = {}
  for (const outcome of outcomes)
    for (const [reason, count] of Object.entries(outcome.skips)) skips[reason] = (skips[reason] ?? 0) + count
  return {
    tests: outcomes.reduce((sum, { tests }) => sum + tests, 0),
    failed: outcomes.reduce((sum, { failed }) => sum + failed, 0),
    skips,
  }
}

/** One line; empty when nothing was skipped. */
export function skippedLine(skips: Outcome['skips']): string {
  const reasons = Object.entries(skips).map(([reason, count]) => `${count} (${reason.replace(/\.$/, '')})`)
  return reasons.length === 0 ? '' : `Skipped: ${reasons.join(', ')}.`
}
