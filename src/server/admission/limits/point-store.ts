/** Points that callers have used; each caller's minute begins with its first request. */
import { LRUCache } from 'lru-cache'
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import { atMost } from '../../../util/at-most.ts'

/** Result of an attempt to take points. */
export interface Taken {
  /** At least `needed` and at most `wished`, or 0. */
  readonly granted: number
  /** Points left in the caller's minute. */
  readonly remaining: number
  /** End of that minute, in milliseconds since 1970. */
  readonly ends: number
}

export interface PointStore {
  /** Takes `wished`, or what is left of `limit`; takes nothing if that is less than `needed`. */
  take(key: string, limit: number, needed: number, wished: number): Promise<Taken>
  /** Returns unused points of the minute that ends at `ends`. */
  giveBack(key: string, points: number, ends: number): void
}

export const secondsCounted = 60
/** Milliseconds before the end of a minute in which points are no longer returned. */
const lastMoment = 100

/** Settings of the library's counter. It only counts, because limits differ by tier and change. */
export const counting = { points: Number.MAX_SAFE_INTEGER, duration: secondsCounted, keyPrefix: '' }

/**
 * A point store over a counter of rate-limiter-flexible, in memory or in a database. It adds `wished` in one atomic
 * step and then subtracts the excess: a concurrent request may be refused, but never gets too much.
 */
export function createPointStore(counter: RateLimiterAbstract): PointStore {
  const takeOff = async (key: string, points: number): Promise<void> => {
    const { consumedPoints } = await counter.reward(key, points)
    // The next minute began meanwhile; it must not begin with extra points.
    if (consumedPoints < 0) await counter.delete(key)
  }
  const giveBack = (key: string, points: number, ends: number): void => {
    // Points that cannot be returned expire with their minute.
    if (Date.now() < ends - lastMoment) void takeOff(key, points).catch(() => undefined)
  }
  return {
    async take(key, limit, needed, wished) {
      const { consumedPoints, msBeforeNext } = await counter.penalty(key, wished)
      const ends = Date.now() + msBeforeNext
      const fitting = wished - Math.max(0, consumedPoints - limit)
      const granted = fitting >= needed ? fitting : 0
      if (granted < wished) giveBack(key, wished - granted, ends)
      const remaining = Math.max(0, limit - (consumedPoints - wished + granted))
      return { granted, remaining, ends }
    },
    giveBack,
  }
}

/** Maximum number of callers, half a kilobyte each. */
export const maxKeys = 100_000

/**
 * Counts in this process. Beyond the maximum it evicts the callers whose minutes began first: a caller with that many
 * addresses is unlimited in effect anyway, and must not fill the memory as well.
 */
export class MemoryCounter extends RateLimiterMemory {
  /** In the order in which the minutes began. The library itself removes minutes that have ended. */
  readonly #begun: LRUCache<string, true>

  constructor(mostKeys = maxKeys) {
    super(counting)
    const forget = (_: true, key: string, reason: LRUCache.DisposeReason): void => {
      if (reason === 'evict') void this.delete(key)
    }
    this.#begun = new LRUCache({ ...atMost(mostKeys), dispose: forget })
  }

  override async penalty(key: string, points: number): Promise<RateLimiterRes> {
    const counted = await super.penalty(key, points)
    if (counted.isFirstInDuration) this.#begun.set(key, true)
    return counted
  }
}

export function createMemoryPoints(): PointStore {
  return createPointStore(new MemoryCounter())
}
