/** Owns the counts of one node's callers: points, concurrent long requests, failed keys. */
import { LRUCache } from 'lru-cache'
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import { atMost } from '../../../util/at-most.ts'

/** Called by the limiters of one process, or of several through messages. */
export interface Counts {
  readonly points: PointStore
  /** Starts a long request of this caller; false if it already has `concurrent` of them. */
  enter(key: string, concurrent: number): boolean | Promise<boolean>
  leave(key: string): void
  /** Seconds until further keys from this address are checked, or 0. */
  failKey(address: string): number | Promise<number>
  keyPause(address: string): number
}

/** Points that callers have used; each caller's minute begins with its first request. */
export interface PointStore {
  /** Takes `wished`, or what is left of `limit`; takes nothing if that is less than `needed`. */
  take(key: string, limit: number, needed: number, wished: number): Promise<Taken>
  /** Returns unused points of the minute that ends at `ends`. */
  giveBack(key: string, points: number, ends: number): void
}

/** Result of an attempt to take points. */
export interface Taken {
  /** At least `needed` and at most `wished`, or 0. */
  readonly granted: number
  /** Points left in the caller's minute. */
  readonly remaining: number
  /** End of that minute, in milliseconds since 1970. */
  readonly ends: number
}

/** Per address and minute. */
const failuresAllowed = 10
const addressesRemembered = 10_000

export function createCounts(points: PointStore): Counts {
  const longRequests = new LongRequests()
  const failures = new MemoryCounter(addressesRemembered)
  const pauses = new Pauses()
  return {
    points,
    enter: (key, concurrent) => longRequests.enter(key, concurrent),
    leave: (key) => longRequests.leave(key),
    async failKey(address) {
      const { consumedPoints, msBeforeNext } = await failures.penalty(address, 1)
      return consumedPoints < failuresAllowed ? 0 : pauses.begin(address, Date.now() + msBeforeNext)
    },
    keyPause: (address) => pauses.left(address),
  }
}

export function createMemoryPoints(): PointStore {
  return createPointStore(new MemoryCounter())
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

/** Number of long requests that each caller is running. */
export class LongRequests {
  readonly #counts = new Map<string, number>()

  enter(key: string, concurrent: number): boolean {
    const count = this.count(key)
    if (count >= concurrent) return false
    this.#counts.set(key, count + 1)
    return true
  }

  /** Removes callers without long requests, so that the map is bounded by the requests that run. */
  leave(key: string): void {
    const count = this.count(key)
    if (count > 1) this.#counts.set(key, count - 1)
    else this.#counts.delete(key)
  }

  count(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  /** Ends all long requests; returns one caller for each. */
  clear(): readonly string[] {
    const keys = [...this.#counts].flatMap(([key, count]) => Array<string>(count).fill(key))
    this.#counts.clear()
    return keys
  }
}

/** Addresses whose keys are not checked for a while. */
export class Pauses {
  readonly #ends = new LRUCache<string, number>(atMost(addressesRemembered))

  /** Returns the length of the pause in seconds. */
  begin(address: string, ends: number): number {
    this.#ends.set(address, ends)
    return this.left(address)
  }

  left(address: string): number {
    const ends = this.#ends.get(address)
    return ends === undefined ? 0 : Math.max(0, Math.ceil((ends - Date.now()) / 1000))
  }
}
