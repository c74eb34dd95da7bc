/** The limits of callers as the server sees them: what they may spend, and what they are told about it. */
import { ServiceError } from '../../../errors.ts'
import { counted } from '../../../util/text/counted.ts'
import type { Caller, Tier } from '../tiers.ts'
import type { Counts } from './counts.ts'
import { type Allowance, Leases } from './leases.ts'

export interface Limiter extends Pick<Counts, 'failKey' | 'keyPause'> {
  /** Null for a tier without a limit. A refused request costs nothing. Synchronous where possible. */
  spend(caller: Caller, points: number): Allowance | null | Promise<Allowance | null>
  /** Returns unused points of the minute that ends at `ends` (milliseconds since 1970). */
  refund(caller: Caller, points: number, ends: number): void
  /** Starts a long request; false when the caller has as many as its tier allows. */
  enter(caller: Caller): boolean | Promise<boolean>
  /** Ends a long request. */
  leave(caller: Caller): void
}

/** `counts` may be of this process or of another. */
export function createLimiter(counts: Counts): Limiter {
  const leases = new Leases(counts.points)
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

/**
 * `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers, such as `"public";q=1200;w=60`; null for a tier without a
 * limit. Tier names need no escapes.
 */
export function rateLimitPolicy({ name, pointsPerMinute }: Tier): string | null {
  return pointsPerMinute === null ? null : `"${name}";q=${pointsPerMinute};w=60`
}

/** `RateLimit`, such as `"public";r=1150;t=42`. */
export function rateLimit({ name }: Tier, { remaining, resetSeconds }: Allowance): string {
  return `"${name}";r=${remaining};t=${resetSeconds}`
}

/** The error of a caller with fewer points left than the request needs. */
export function rateLimited(
  { tier }: Pick<Caller, 'tier'>,
  { remaining, resetSeconds }: Allowance,
  points: number,
): ServiceError {
  const needed = `The request needs ${counted(points, 'point')}, but ${remaining} of the ${tier.pointsPerMinute}`
  const when = `Send it again in ${counted(resetSeconds, 'second')}`
  return new ServiceError(
    'RATE_LIMITED',
    `${needed} that the tier "${tier.name}" has for a minute are left. ${when}, or ask for less.`,
    { retryAfter: resetSeconds, needed: points, remaining },
  )
}

/** The error of a caller that reached its limit of concurrent long requests. */
export function tooManyAtOnce({ tier }: Pick<Caller, 'tier'>): ServiceError {
  return new ServiceError(
    'RATE_LIMITED',
    `The tier "${tier.name}" has ${counted(tier.concurrent, 'request')} worked on at once that may take long. Wait for one of yours to be answered.`,
    { retryAfter: 1, limit: tier.concurrent },
  )
}
