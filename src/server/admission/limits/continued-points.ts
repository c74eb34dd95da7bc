/**
 * Points that a shared store counts, and that this process counts while the store does not answer. It continues from
 * the latest answer, and charges points spent meanwhile once the store answers again. So an outage gives no caller a
 * second minute: each process without answers spends at most what was left in the latest one.
 */
import { MemoryPoints, type PointStore, type Taken } from './counts.ts'

export class ContinuedPoints implements PointStore {
  readonly #shared: PointStore
  readonly #fallback: Fallback
  /** Has the latest answers of the shared store. */
  readonly #own = new MemoryPoints()

  constructor(shared: PointStore, fallback: Fallback) {
    this.#shared = shared
    this.#fallback = fallback
  }

  take(...request: Parameters<PointStore['take']>): Promise<Taken> {
    return this.#fallback.run(
      () => this.#takeShared(...request),
      () => this.#takeOwn(...request),
    )
  }

  /** Returned points first reduce what is still owed to the shared store. */
  giveBack(key: string, points: number, ends: number): void {
    const minute = this.#own.find(key)
    const settled = Math.min(points, minute?.owed ?? 0)
    if (minute !== undefined) {
      minute.owed -= settled
      minute.used -= settled
    }
    if (points > settled) this.#shared.giveBack(key, points - settled, ends)
  }

  async #takeShared(key: string, limit: number, needed: number, wished: number): Promise<Taken> {
    const owed = this.#settle(key)
    try {
      const { granted, remaining, ends } = await this.#shared.take(key, limit, needed + owed, wished + owed)
      const charged = granted > 0
      // Points granted here to other requests meanwhile are still to be charged.
      const owing = (this.#own.find(key)?.owed ?? 0) + (charged ? 0 : owed)
      const left = Math.max(0, remaining - owing)
      this.#own.begin(key, { used: limit - left, owed: owing, ends })
      return { granted: charged ? granted - owed : 0, remaining: left, ends }
    } catch (error) {
      const minute = this.#own.find(key)
      if (minute !== undefined) minute.owed += owed
      throw error
    }
  }

  /** Returns the points owed and resets them, so that a concurrent request does not pay them again. */
  #settle(key: string): number {
    const minute = this.#own.find(key)
    const owed = minute?.owed ?? 0
    if (minute !== undefined) minute.owed = 0
    return owed
  }

  #takeOwn(key: string, limit: number, needed: number, wished: number): Taken {
    const taken = this.#own.take(key, limit, needed, wished)
    const minute = this.#own.find(key)
    if (minute !== undefined) minute.owed += taken.granted
    return taken
  }
}

/** Milliseconds from a failure until one request retries; the others do not wait for it. */
const pause = 5_000

/** Replaces an operation that fails, and retries it at intervals instead of for every request. */
export class Fallback {
  readonly #onChange: (failure: Error | null) => void
  #hasFailed = false
  #retryAt = 0

  /** `onChange` receives the error when the operation starts to fail, and null when it works again. */
  constructor(onChange: (failure: Error | null) => void = () => undefined) {
    this.#onChange = onChange
  }

  async run<Result>(work: () => Promise<Result>, instead: () => Result | Promise<Result>): Promise<Result> {
    if (this.#hasFailed) {
      if (Date.now() < this.#retryAt) return instead()
      this.#retryAt = Date.now() + pause
    }
    try {
      const result = await work()
      this.#report(null)
      return result
    } catch (error) {
      this.#retryAt = Date.now() + pause
      this.#report(error as Error)
      return instead()
    }
  }

  #report(failure: Error | null): void {
    const hadFailed = this.#hasFailed
    this.#hasFailed = failure !== null
    if (this.#hasFailed !== hadFailed) this.#onChange(failure)
  }
}
