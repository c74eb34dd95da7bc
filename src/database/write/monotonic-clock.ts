/** Times for records that bring none. */

/** Microseconds that the clock of another process may be ahead. */
const clockTolerance = 1_000_000n

/**
 * Strictly increasing, so that records keep their order of arrival, even if another process has just written or has a
 * clock that is slightly ahead.
 */
export class MonotonicClock {
  readonly #now: () => bigint
  #last = 0n
  #stored = 0n

  constructor(now: () => bigint) {
    this.#now = now
  }

  next(): bigint {
    const now = this.#now()
    const ahead = this.#stored > this.#last && this.#stored - now < clockTolerance
    const last = ahead ? this.#stored : this.#last
    this.#last = now > last ? now : last + 1n
    return this.#last
  }

  /** `stored`: the time of the last stored record in the database. */
  follow(stored: bigint): void {
    this.#stored = stored
  }

  /** Later times in the database are ignored. */
  get horizon(): bigint {
    return this.#now() + clockTolerance
  }
}
