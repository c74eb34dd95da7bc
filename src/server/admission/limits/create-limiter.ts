/** Creates the server's limiter over any implementation of counts. */
import type { Counts } from './counts.ts'
import { Leases } from './leases.ts'
import type { Limiter } from './limiter.ts'

/** `counts` may be of this process or of another. */
export function createLimiter(counts: Counts): Limiter {
  const leases = new Leases(counts)
  return {
    spend: ({ id, tier }, points) =>
      tier.pointsPerMinute === null ? null : leases.spend(id, tier.pointsPerMinute, points),
    refund: ({ id, tier }, points, ends) => {
      if (tier.pointsPerMinute !== null) leases.refund(id, points, ends)
    },
    enter: ({ id, tier }) => counts.enter(id, tier.concurrent),
    leave: ({ id }) => counts.leave(id),
    failKey: (address) => counts.failKey(address),
    keyPause: (address) => counts.keyPause(address),
  }
}
