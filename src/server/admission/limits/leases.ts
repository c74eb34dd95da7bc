/**
 * Spends points that were taken ahead, so that most requests ask nobody.
 *
 * Whoever counts (counts.ts) may be another process or a database, and asking for every request would cost more than
 * many a request. So:
 *
 * 1. The first request of a caller asks for what it needs and no more: most callers send one now and then.
 * 2. While its lease lasts, a request that needs more than is in hand asks for that and for a 32nd of what the caller
 *    has left. Less than 32 points are left: every request asks, and the limit is met exactly.
 * 3. A refusal holds for a second, for all that need as much: who is over the limit costs nobody a message.
 * 4. A lease that was not used for a second is given back, at most a second later. That of a process that dies ends
 *    with the caller's minute: nobody knows how much of it was spent.
 *
 * So never more than the limit is spent in a minute, whoever else spends. While others hold leases, a caller may be
 * refused what they are going to give back within two seconds.
 */
import type { Allowance } from './limiter.ts'
import type { PointStore, Taken } from './point-store.ts'

interface Lease {
  /** Points in hand. */
  held: number
  /** What the caller had left beside them, when it was last heard. */
  remaining: number
  /** When its minute ends. */
  ends: number
  /** So many points and more were refused, until then. */
  refused: number
  refusedUntil: number
  /** Whether points ahead are being asked for already. */
  isGrowing: boolean
}

/** Milliseconds. */
const idle = 1_000
const share = 32

export class Leases {
  readonly #points: PointStore
  /** Used since the last sweep, and in the time before it. */
  #recent = new Map<string, Lease>()
  #older = new Map<string, Lease>()
  #isSweeping = false

  constructor(points: PointStore) {
    this.#points = points
  }

  /** At once, if it is in hand. */
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

  /** Points that were spent for nothing, of the minute that ends then. */
  refund(key: string, points: number, ends: number): void {
    const lease = this.#find(key, Date.now())
    if (lease === undefined) this.#points.giveBack(key, points, ends)
    else if (Math.abs(lease.ends - ends) <= idle) lease.held += points
  }

  async #askFirst(key: string, limit: number, points: number): Promise<Allowance> {
    const taken = await this.#points.take(key, limit, points, points)
    // Another request may have asked meanwhile.
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

/** What the answer means for the request that asked and for those that come after it. */
function settle(lease: Lease, taken: Taken, points: number, held: number): Allowance {
  const now = Date.now()
  // Clocks are read at both ends of a message; what differs by more is the caller's next minute.
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

function allowance(granted: boolean, { held, remaining, ends }: Lease, now: number): Allowance {
  return { granted, remaining: remaining + held, resetSeconds: Math.max(1, Math.ceil((ends - now) / 1000)) }
}
