/** What is counted of all callers of one node: points, requests at once, keys that did not hold. */
import { LRUCache } from 'lru-cache'
import { atMost } from '../../../util/at-most.ts'
import { MemoryCounter, type PointStore } from './point-store.ts'

/** Asked by the limiters of one process, or of several by way of messages. */
export interface Counts extends PointStore {
  /** One more request of this caller that may take long; false when it has that many already. */
  enter(key: string, concurrent: number): boolean | Promise<boolean>
  leave(key: string): void
  /** Seconds to wait before more keys from this address are looked at, or 0. */
  failKey(address: string): number | Promise<number>
  keyPause(address: string): number
}

/** Of an address in a minute. */
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

/** How many requests of each caller may be taking long at the moment. */
export class LongRequests {
  readonly #taken = new Map<string, number>()

  enter(key: string, concurrent: number): boolean {
    const taken = this.#taken.get(key) ?? 0
    if (taken >= concurrent) return false
    this.#taken.set(key, taken + 1)
    return true
  }

  /** Whoever has none is not in here, so that this holds only those at work. */
  leave(key: string): void {
    const taken = this.#taken.get(key) ?? 0
    if (taken > 1) this.#taken.set(key, taken - 1)
    else this.#taken.delete(key)
  }

  count(key: string): number {
    return this.#taken.get(key) ?? 0
  }

  /** Each turn, named by its caller; then there are none. */
  clear(): readonly string[] {
    const longRequests = Array.from(this.#taken, ([key, taken]) =>
      Array.from({ length: taken }, () => key),
    ).flat()
    this.#taken.clear()
    return longRequests
  }
}

/** Addresses whose keys are not looked at for a while. */
export class Pauses {
  readonly #ends = new LRUCache<string, number>(atMost(addressesRemembered))

  /** The seconds that it lasts. */
  begin(address: string, ends: number): number {
    this.#ends.set(address, ends)
    return this.left(address)
  }

  left(address: string): number {
    const ends = this.#ends.get(address)
    return ends === undefined ? 0 : Math.max(0, Math.ceil((ends - Date.now()) / 1000))
  }
}
