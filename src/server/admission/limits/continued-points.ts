/**
 * Points that a shared store counts, and that this process counts while the store does not answer. It continues from
 * the latest answer, and charges points spent meanwhile once the store answers again. So an outage gives no caller a
 * second minute: each process without answers spends at most what was left in the latest one.
 */
import { MemoryPoints, type PointStore, type Taken } from './counts.ts'

export function continuePoints(shared: PointStore, orInstead: Fallback): PointStore {
  /** Has the latest answers of the shared store. */
  const own = new MemoryPoints()
  /** Returns the points owed and resets them, so that a concurrent request does not pay them again. */
  const settle = (key: string): number => {
    const minute = own.find(key)
    const owed = minute?.owed ?? 0
    if (minute !== undefined) minute.owed = 0
    return owed
  }
  const takeShared = async (...[key, limit, needed, wished]: Request): Promise<Taken> => {
    const owed = settle(key)
    try {
      const { granted, remaining, ends } = await shared.take(key, limit, needed + owed, wished + owed)
      const charged = granted > 0
      // Points granted here to other requests meanwhile are still to be charged.
      const owing = (own.find(key)?.owed ?? 0) + (charged ? 0 : owed)
      const left = Math.max(0, remaining - owing)
      own.begin(key, { used: limit - left, owed: owing, ends })
      return { granted: charged ? granted - owed : 0, remaining: left, ends }
    } catch (error) {
      const minute = own.find(key)
      if (minute !== undefined) minute.owed += owed
      throw error
    }
  }
  const takeOwn = (...request: Request): Taken => {
    const taken = own.take(...request)
    const minute = own.find(request[0])
    if (minute !== undefined) minute.owed += taken.granted
    return taken
  }
  return {
    take: (...request) =>
      orInstead(
        () => takeShared(...request),
        () => takeOwn(...request),
      ),
    // Returned points first reduce what is still owed to the shared store.
    giveBack(key, points, ends) {
      const minute = own.find(key)
      const settled = Math.min(points, minute?.owed ?? 0)
      if (minute !== undefined) {
        minute.owed -= settled
        minute.used -= settled
      }
      if (points > settled) shared.giveBack(key, points - settled, ends)
    },
  }
}

type Request = Parameters<PointStore['take']>

/** Milliseconds from a failure until one request retries; the others do not wait for it. */
const pause = 5_000

export type Fallback = ReturnType<typeof createFallback>

/**
 * Replaces an operation that fails, and retries it at intervals instead of for every request. `onChange` receives the
 * error when the operation starts to fail, and null when it works again.
 */
export function createFallback(onChange: (failure: Error | null) => void = () => undefined) {
  let hasFailed = false
  let retryAt = 0
  const report = (failure: Error | null): void => {
    const hadFailed = hasFailed
    hasFailed = failure !== null
    if (hasFailed !== hadFailed) onChange(failure)
  }
  return async <Result>(
    work: () => Promise<Result>,
    instead: () => Result | Promise<Result>,
  ): Promise<Result> => {
    if (hasFailed) {
      if (Date.now() < retryAt) return instead()
      retryAt = Date.now() + pause
    }
    try {
      const result = await work()
      report(null)
      return result
    } catch (error) {
      retryAt = Date.now() + pause
      report(error as Error)
      return instead()
    }
  }
}
