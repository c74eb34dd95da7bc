/**
 * Points that a shared store counts, and that this process counts while the store does not answer. It continues from
 * the latest answer, and charges points spent meanwhile once the store answers again. So an outage gives no caller a
 * second minute: each process without answers spends at most what was left in the latest one.
 */
import { LRUCache } from 'lru-cache'
import { atMost } from '../../../util/at-most.ts'
import { type PointStore, type Taken, maxKeys, secondsCounted } from './counts.ts'

interface Balance {
  /** Points left in the caller's minute, as far as this process knows. */
  remaining: number
  /** End of that minute, in milliseconds since 1970. */
  ends: number
  /** Points granted here that the shared store has not counted yet. */
  owed: number
}

export class ContinuedPoints implements PointStore {
  readonly #shared: PointStore
  readonly #fallback: Fallback
  readonly #balances = new LRUCache<string, Balance>(atMost(maxKeys))

  constructor(shared: PointStore, fallback: Fallback) {
    this.#shared = shared
    this.#fallback = fallback
  }

  take(key: string, limit: number, needed: number, wished: number): Promise<Taken> {
    return this.#fallback.run(
      () => this.#takeShared(key, limit, needed, wished),
      () => this.#takeOwn(key, limit, needed, wished),
    )
  }

  /** Returned points first reduce what is still owed to the shared store. */
  giveBack(key: string, points: number, ends: number): void {
    const balance = this.#find(key)
    const settled = Math.min(points, balance?.owed ?? 0)
    if (balance !== undefined) {
      balance.owed -= settled
      balance.remaining += settled
    }
    if (points > settled) this.#shared.giveBack(key, points - settled, ends)
  }

  async #takeShared(key: string, limit: number, needed: number, wished: number): Promise<Taken> {
    const owed = this.#settle(key)
    try {
      const { granted, remaining, ends } = await this.#shared.take(key, limit, needed + owed, wished + owed)
      const charged = granted > 0
      // Points granted here to other requests meanwhile are still to be charged.
      const owing = (this.#find(key)?.owed ?? 0) + (charged ? 0 : owed)
      const left = Math.max(0, remaining - owing)
      this.#balances.set(key, { remaining: left, ends, owed: owing })
      return { granted: charged ? granted - owed : 0, remaining: left, ends }
    } catch (error) {
      const balance = this.#find(key)
      if (balance !== undefined) balance.owed += owed
      throw error
    }
  }

  /** Returns the points owed and resets them, so that a concurrent request does not pay them again. */
  #settle(key: string): number {
    const balance = this.#find(key)
    const owed = balance?.owed ?? 0
    if (balance !== undefined) balance.owed = 0
    return owed
  }

  #takeOwn(key: string, limit: number, needed: number, wished: number): Taken {
    const balance = this.#find(key) ?? {
      remaining: limit,
      ends: Date.now() + secondsCounted * 1000,
      owed: 0,
    }
    this.#balances.set(key, balance)
    const fitting = Math.min(wished, balance.remaining)
    const granted = fitting >= needed ? fitting : 0
    balance.remaining -= granted
    balance.owed += granted
    return { granted, remaining: balance.remaining, ends: balance.ends }
  }

  #find(key: string): Balance | undefined {
    const balance = this.#balances.get(key)
    return balance !== undefined && Date.now() < balance.ends ? balance : undefined
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
