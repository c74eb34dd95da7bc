/**
 * How callers learn their limits: the headers of draft-ietf-httpapi-ratelimit-headers, and the refusals.
 * `Retry-After` follows from a refusal's `retryAfter`, as for every error.
 */
import { ServiceError } from '../../../errors.ts'
import type { Caller } from '../caller.ts'
import type { Tier } from '../tiers.ts'
import type { Allowance } from './limiter.ts'
import { counted } from '../../../util/text/counted.ts'

/** `RateLimit-Policy`, such as `"public";q=1200;w=60`; null for a tier without a limit. Tier names need no escapes. */
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
