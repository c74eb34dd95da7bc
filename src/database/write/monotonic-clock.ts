/** Moments for records that have none of their own. */

/** Microseconds: so far ahead another process's clock may be. */
const clockTolerance = 1_000_000n

/**
 * Strictly rising, so that records keep the order they came in; also when another process has written in this
 * very moment, or by a clock that is a little ahead.
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

  /** When the last record was stored, as the database has it. */
  follow(stored: bigint): void {
    this.#stored = stored
  }

  /** What is stored after this moment does not count. */
  get horizon(): bigint {
    return this.#now() + clockTolerance
  }
}
