/** The limiters that the server is given, whoever counts. */
import { type Counts, createCounts } from './counts.ts'
import { Leases } from './leases.ts'
import type { Limiter } from './limiter.ts'
import { createMemoryPoints } from './point-store.ts'

/** Of one process, which counts for itself. */
export function createMemoryLimiter(): Limiter {
  return createLimiter(createCounts(createMemoryPoints()))
}

export function createLimiter(counts: Counts): Limiter {
  const leases = new Leases(counts)
  return {
    spend: ({ id, tier }, points) =>
      tier.pointsPerMinute === null ? null : leases.spend(id, tier.pointsPerMinute, points),
    enter: ({ id, tier }) => counts.enter(id, tier.concurrent),
    leave: ({ id }) => counts.leave(id),
    failKey: (address) => counts.failKey(address),
    keyPause: (address) => counts.keyPause(address),
  }
}
