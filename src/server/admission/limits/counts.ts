/** Owns the counts of one node's callers: points, concurrent long requests, failed keys. */

/** Called by the limiters of one process, or of several through messages. */
export interface Counts {
  readonly points: PointStore
  /** Starts a long request of this caller; false if it already has `concurrent` of them. */
  enter(key: string, concurrent: number): boolean | Promise<boolean>
  leave(key: string): void
  /** Records a failed key of this address; returns the seconds until further keys are checked, or 0. */
  failKey(address: string): number | Promise<number>
  /** The same seconds, without recording a failure. */
  keyPause(address: string): number
}

/** Points that callers have used; each caller's minute begins with its first request. */
export interface PointStore {
  /** Takes `wished`, or what is left of `limit`; takes nothing if that is less than `needed`. */
  take(key: string, limit: number, needed: number, wished: number): Taken | Promise<Taken>
  /** Returns unused points of the minute that ends at `ends`. */
  giveBack(key: string, points: number, ends: number): void
}

export interface Taken {
  /** At least `needed` and at most `wished`, or 0. */
  readonly granted: number
  /** Points left in the caller's minute. */
  readonly remaining: number
  /** End of that minute, in milliseconds since 1970. */
  readonly ends: number
}

export function createCounts(points: PointStore): Counts {
  const longRequests = new KeyedSemaphore()
  const failedKeys = new FailedKeys()
  return {
    points,
    enter: (key, concurrent) => longRequests.acquire(key, concurrent),
    leave: (key) => longRequests.release(key),
    failKey: (address) => failedKeys.fail(address),
    keyPause: (address) => failedKeys.pause(address),
  }
}

/** Counts what each key holds of something limited; nobody waits. Keys that hold nothing take no memory. */
export class KeyedSemaphore {
  readonly #held = new Map<string, number>()

  /** False if the key would then hold more than `limit`. */
  acquire(key: string, limit: number, amount = 1): boolean {
    const held = this.held(key) + amount
    if (held > limit) return false
    this.#held.set(key, held)
    return true
  }

  release(key: string, amount = 1): void {
    const held = this.held(key) - amount
    if (held > 0) this.#held.set(key, held)
    else this.#held.delete(key)
  }

  held(key: string): number {
    return this.#held.get(key) ?? 0
  }

  /** Releases everything; returns what was held. */
  releaseAll(): ReadonlyMap<string, number> {
    const held = new Map(this.#held)
    this.#held.clear()
    return held
  }
}

/** Maximum number of callers, a fifth of a kilobyte each. */
const maxCallers = 100_000
export const secondsCounted = 60

interface Minute {
  used: number
  /** Of these, points that a shared store has not counted yet; only continued-points.ts has them. */
  owed: number
  /** In milliseconds since 1970. */
  readonly ends: number
}

/**
 * What each key used of its allowance, such as points of a minute, counted in this process. Beyond the maximum it forgets the
 * keys whose time began first: a caller with that many addresses is unlimited anyway, and must not fill the memory as well.
 */
export class MemoryPoints implements PointStore {
  /** In the order in which the minutes began. */
  readonly minutes = new Map<string, Minute>()
  readonly #most: number
  readonly #seconds: number

  constructor(most = maxCallers, seconds = secondsCounted) {
    this.#most = most
    this.#seconds = seconds
  }

  take(key: string, limit: number, needed: number, wished: number): Taken {
    const minute =
      this.find(key) ?? this.begin(key, { used: 0, owed: 0, ends: Date.now() + this.#seconds * 1000 })
    const fitting = Math.min(wished, limit - minute.used)
    const granted = fitting >= needed ? fitting : 0
    minute.used += granted
    return { granted, remaining: Math.max(0, limit - minute.used), ends: minute.ends }
  }

  giveBack(key: string, points: number, ends: number): void {
    const minute = this.find(key)
    // The next minute must not begin with extra points.
    if (minute !== undefined && minute.ends <= ends) minute.used = Math.max(0, minute.used - points)
  }

  find(key: string): Minute | undefined {
    const minute = this.minutes.get(key)
    return minute !== undefined && Date.now() < minute.ends ? minute : undefined
  }

  /** Replaces the caller's minute, and removes those that have ended. */
  begin(key: string, minute: Minute): Minute {
    this.minutes.delete(key)
    const now = Date.now()
    for (const [first, { ends }] of this.minutes) {
      if (this.minutes.size < this.#most && now < ends) break
      this.minutes.delete(first)
    }
    this.minutes.set(key, minute)
    return minute
  }
}

/** Per address and minute; the last starts a pause until the end of the minute. */
const mostFailures = 10
const addressesRemembered = 10_000

/** Failed keys of addresses, and the pauses in which no keys of theirs are checked, in seconds. */
export class FailedKeys {
  readonly #failures = new MemoryPoints(addressesRemembered)

  /** Returns the pause, or 0. */
  fail(address: string): number {
    this.#failures.take(address, mostFailures, 1, 1)
    return this.pause(address)
  }

  /** `ends`: milliseconds since 1970. */
  beginPause(address: string, ends: number): void {
    this.#failures.begin(address, { used: mostFailures, owed: 0, ends })
  }

  pause(address: string): number {
    const minute = this.#failures.find(address)
    return minute?.used === mostFailures ? Math.ceil((minute.ends - Date.now()) / 1000) : 0
  }
}
