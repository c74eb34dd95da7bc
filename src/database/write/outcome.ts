/** Adds up the outcomes of batches. */
import type { BatchOutcome } from '../changes.ts'

export type Outcome = { -readonly [Key in keyof BatchOutcome]: BatchOutcome[Key] }

export function noOutcome(): Outcome {
  return {
    stored: 0,
    updated: 0,
    unchanged: 0,
    older: 0,
    deleted: 0,
    withheld: 0,
    purged: 0,
    expired: 0,
    rejected: 0,
  }
}

export function addOutcome(total: Outcome, more: BatchOutcome): void {
  for (const key of Object.keys(more) as (keyof BatchOutcome)[]) total[key] += more[key]
}
