/** Points that callers have used, each caller's in a minute of its own that begins with its first request. */
import { LRUCache } from 'lru-cache'
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import { atMost } from '../../../util/at-most.ts'

/** What became of a wish for points. */
export interface Taken {
  /** From what was needed to what was wished for, or 0. */
  readonly granted: number
  /** Points left in the caller's minute. */
  readonly remaining: number
  /** When that minute ends, in milliseconds since 1970. */
  readonly ends: number
}

export interface PointStore {
  /** Takes what is wished for or what is left of `limit`, but nothing where that is less than what is needed. */
  take(key: string, limit: number, needed: number, wished: number): Promise<Taken>
  /** What was taken and not used, of the minute that ends then. */
  giveBack(key: string, points: number, ends: number): void
}

export const secondsCounted = 60
/** Milliseconds before the end of a minute in which it is too late to give anything back. */
const lastMoment = 100

/** Settings of a counter of the library; it only counts, because tiers differ in their limits and change. */
export const counting = { points: Number.MAX_SAFE_INTEGER, duration: secondsCounted, keyPrefix: '' }

/**
 * Over a counter of rate-limiter-flexible, in memory or in a database. All that is wished for is added, which is one
 * step there, and what was too much is taken off again: whoever asks in between may be refused, but never given more.
 */
export function createPointStore(counter: RateLimiterAbstract): PointStore {
  const takeOff = async (key: string, points: number): Promise<void> => {
    const { consumedPoints } = await counter.reward(key, points)
    // It took so long that the next minute has begun, which shall not begin with a present.
    if (consumedPoints < 0) await counter.delete(key)
  }
  const giveBack = (key: string, points: number, ends: number): void => {
    // What cannot be given back ends with its minute.
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

/** Callers whose points are remembered, half a kilobyte each. */
export const maxKeys = 100_000

/**
 * Counts in this process. When there are too many keys, those whose minute began first are forgotten: whoever has so
 * many addresses has as good as no limit anyway, and shall not have all memory as well.
 */
export class MemoryCounter extends RateLimiterMemory {
  /** In the order in which their minutes began. The library forgets by itself those that have ended. */
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
