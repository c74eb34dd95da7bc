/** The limits of callers as the server sees them: what they may spend, and what they are told about it. */
import { ServiceError } from '../../../errors.ts'
import type { MaybePromise } from '../../../util/async/promises.ts'
import { counted } from '../../../util/text/counted.ts'
import type { Caller, Tier } from '../tiers.ts'
import type { Counts, PointStore, Taken } from './counts.ts'

export type Allowance = ReturnType<typeof allowance>

export type Limiter = ReturnType<typeof createLimiter>

/** `counts` may be of this process or of another. */
export function createLimiter(counts: Counts) {
  const leases = new Leases(counts.points)
  return {
    /** Null for a tier without a limit. A refused request costs nothing. Synchronous where possible. */
    spend: ({ id, tier }: Caller, points: number): MaybePromise<Allowance | null> =>
      tier.pointsPerMinute === null ? null : leases.spend(id, tier.pointsPerMinute, points),
    /** Returns unused points of the minute that ends at `ends` (milliseconds since 1970). */
    refund({ id, tier }: Caller, points: number, ends: number) {
      if (tier.pointsPerMinute !== null) leases.refund(id, points, ends)
    },
    /** Starts a long request; false when the caller has as many as its tier allows. */
    enter: ({ id, tier }: Caller) => counts.enter(id, tier.concurrent),
    leave: ({ id }: Caller) => counts.leave(id),
    failKey: (address: string) => counts.failKey(address),
    keyPause: (address: string) => counts.keyPause(address),
  }
}

/**
 * `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers, such as `"public";q=6000;w=60`; null for a tier without a
 * limit. Tier names need no escapes.
 */
export function rateLimitPolicy({ name, pointsPerMinute }: Tier): string | null {
  return pointsPerMinute === null ? null : `"${name}";q=${pointsPerMinute};w=60`
}

/** `RateLimit`, such as `"public";r=5950;t=42`. */
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

interface Lease {
  /** Points that the lease holds. */
  held: number
  /** Points that the caller had left besides the lease, by the latest answer. */
  remaining: number
  /** End of the caller's minute, in milliseconds since 1970. */
  ends: number
  /** Requests for this many points or more are refused until `refusedUntil`. */
  refused: number
  refusedUntil: number
  /** True while a request for additional points is pending. */
  isGrowing: boolean
}

/** Milliseconds. */
const idle = 1_000
const share = 32

/**
 * Spends points from leases, so that most requests need no message to the point store.
 *
 * The point store may be another process or a database, and a message per request would often cost more than the
 * request itself. So:
 *
 * 1. The first request of a caller takes exactly the points it needs: most callers send one now and then.
 * 2. While a lease lasts, a request that needs more than the lease holds takes the difference and 1/32 of the caller's
 *    remaining points. With fewer than 32 points left, every request asks, and the limit is met exactly.
 * 3. A refusal is cached for a second, for all requests that need as much: callers over the limit cause no messages.
 * 4. A lease that was unused for a second is returned at most a second later. The lease of a process that dies ends
 *    with the caller's minute: nobody knows how much of it was spent.
 *
 * So all processes together never spend more than the limit in a minute. While others hold leases, a caller may be
 * refused points that they return within two seconds.
 */
export class Leases {
  readonly #points: PointStore
  /** Leases used since the last sweep, and between the two sweeps before it. */
  #recent = new Map<string, Lease>()
  #older = new Map<string, Lease>()
  #isSweeping = false

  constructor(points: PointStore) {
    this.#points = points
  }

  /** Synchronous if the lease holds enough points. */
  spend(key: string, limit: number, points: number): Allowance | Promise<Allowance> {
    const now = Date.now()
    const lease = this.#find(key, now)
    if (lease === undefined) return this.#askFirst(key, limit, points)
    if (lease.held >= points) {
      lease.held -= points
      return allowance(true, lease, now)
    }
    if (points >= lease.refused && now < lease.refusedUntil) return allowance(false, lease, now)
    return this.#askMore(key, limit, points, lease)
  }

  /** Returns unused points of the minute that ends at `ends`. */
  refund(key: string, points: number, ends: number): void {
    const lease = this.#find(key, Date.now())
    if (lease === undefined) this.#points.giveBack(key, points, ends)
    else if (Math.abs(lease.ends - ends) <= idle) lease.held += points
  }

  async #askFirst(key: string, limit: number, points: number): Promise<Allowance> {
    const taken = await this.#points.take(key, limit, points, points)
    // Another request may have created the lease meanwhile.
    const lease = this.#find(key, Date.now()) ?? this.#begin(key, taken)
    return settle(lease, taken, points, 0)
  }

  async #askMore(key: string, limit: number, points: number, lease: Lease): Promise<Allowance> {
    const held = lease.held
    lease.held = 0
    const isGrowing = !lease.isGrowing
    const ahead = isGrowing ? Math.floor(lease.remaining / share) : 0
    if (isGrowing) lease.isGrowing = true
    try {
      const taken = await this.#points.take(key, limit, points - held, points - held + ahead)
      return settle(this.#find(key, Date.now()) ?? this.#begin(key, taken), taken, points, held)
    } finally {
      if (isGrowing) lease.isGrowing = false
    }
  }

  #begin(key: string, { remaining, ends }: Taken): Lease {
    const lease = { held: 0, remaining, ends, refused: 0, refusedUntil: 0, isGrowing: false }
    this.#recent.set(key, lease)
    if (!this.#isSweeping) this.#sweepLater()
    return lease
  }

  #find(key: string, now: number): Lease | undefined {
    let lease = this.#recent.get(key)
    if (lease === undefined) {
      lease = this.#older.get(key)
      if (lease === undefined) return undefined
      this.#older.delete(key)
      this.#recent.set(key, lease)
    }
    if (now < lease.ends) return lease
    this.#recent.delete(key)
    return undefined
  }

  #sweepLater(): void {
    this.#isSweeping = true
    setTimeout(() => this.#giveBack(), idle).unref()
  }

  #giveBack(): void {
    for (const [key, { held, ends }] of this.#older) if (held > 0) this.#points.giveBack(key, held, ends)
    this.#older = this.#recent
    this.#recent = new Map()
    this.#isSweeping = false
    if (this.#older.size > 0) this.#sweepLater()
  }
}

/** Applies an answer to the lease, and derives the result of the request that asked. */
function settle(lease: Lease, taken: Taken, points: number, held: number): Allowance {
  const now = Date.now()
  // Both ends of a message read their own clock; a larger difference means that the caller's next minute began.
  if (taken.ends > lease.ends + idle) lease.held = 0
  lease.remaining = taken.remaining
  lease.ends = taken.ends
  const isGranted = taken.granted > 0 || points === held
  lease.held += isGranted ? taken.granted + held - points : held
  if (!isGranted) {
    lease.refused = points
    lease.refusedUntil = Math.min(now + idle, taken.ends)
  }
  return allowance(isGranted, lease, now)
}

/**
 * Result of an attempt to spend points. `remaining`: points left in the caller's current minute; `resetSeconds`: whole
 * seconds, at least 1, until all points are available again.
 */
function allowance(granted: boolean, { held, remaining, ends }: Lease, now: number) {
  return { granted, remaining: remaining + held, resetSeconds: Math.max(1, Math.ceil((ends - now) / 1000)) }
}
