/** Owns the counts of one node's callers: points, concurrent long requests, failed keys. */
import { LRUCache } from 'lru-cache'
import { atMost } from '../../../util/at-most.ts'
import { MemoryCounter, type PointStore } from './point-store.ts'

/** Called by the limiters of one process, or of several through messages. */
export interface Counts extends PointStore {
  /** Starts a long request of this caller; false if it already has `concurrent` of them. */
  enter(key: string, concurrent: number): boolean | Promise<boolean>
  leave(key: string): void
  /** Seconds until further keys from this address are checked, or 0. */
  failKey(address: string): number | Promise<number>
  keyPause(address: string): number
}

/** Per address and minute. */
const failuresAllowed = 10
const addressesRemembered = 10_000

export function createCounts(points: PointStore): Counts {
  const longRequests = new LongRequests()
  const failures = new MemoryCounter(addressesRemembered)
  const pauses = new Pauses()
  return {
    take: (...request) => points.take(...request),
    giveBack: (...unused) => points.giveBack(...unused),
    enter: (key, concurrent) => longRequests.enter(key, concurrent),
    leave: (key) => longRequests.leave(key),
    async failKey(address) {
      const { consumedPoints, msBeforeNext } = await failures.penalty(address, 1)
      return consumedPoints < failuresAllowed ? 0 : pauses.begin(address, Date.now() + msBeforeNext)
    },
    keyPause: (address) => pauses.left(address),
  }
}

/** Number of long requests that each caller is running. */
export class LongRequests {
  readonly #taken = new Map<string, number>()

  enter(key: string, concurrent: number): boolean {
    const taken = this.#taken.get(key) ?? 0
    if (taken >= concurrent) return false
    this.#taken.set(key, taken + 1)
    return true
  }

  /** Removes callers without long requests, so that the map is bounded by the requests that run. */
  leave(key: string): void {
    const taken = this.#taken.get(key) ?? 0
    if (taken > 1) this.#taken.set(key, taken - 1)
    else this.#taken.delete(key)
  }

  count(key: string): number {
    return this.#taken.get(key) ?? 0
  }

  /** Ends all long requests; returns one caller for each. */
  clear(): readonly string[] {
    const longRequests = Array.from(this.#taken, ([key, taken]) =>
      Array.from({ length: taken }, () => key),
    ).flat()
    this.#taken.clear()
    return longRequests
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
