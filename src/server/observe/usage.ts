/** Adds up the usage of keys by day, in memory, so that single requests write nothing. */
import type { KeyUsage } from '../../database/metadata/metadata-store.ts'
import { andThen } from '../../util/async/promises.ts'
import type { Caller } from '../admission/tiers.ts'
import type { Limiter } from '../admission/limits/limiter.ts'

const prefix = 'key:'
const dayLength = 86_400_000

/** The UTC day, as the number of days since 1970. */
export function dayAt(milliseconds: number): number {
  return Math.floor(milliseconds / dayLength)
}

/** Bounded by the number of keys, since only valid keys are counted. */
export class UsageMeter {
  readonly #now: () => number
  #counted = new Map<string, KeyUsage>()

  /** `now`: milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now
  }

  count({ id }: Caller, requests: number, points: number): void {
    if (!id.startsWith(prefix)) return
    this.add([{ key: id.slice(prefix.length), day: dayAt(this.#now()), requests, points }])
  }

  add(usage: readonly KeyUsage[]): void {
    for (const one of usage) {
      const dayAndKey = `${one.day} ${one.key}`
      const { requests = 0, points = 0 } = this.#counted.get(dayAndKey) ?? {}
      const sum = { requests: requests + one.requests, points: points + one.points }
      this.#counted.set(dayAndKey, { ...one, ...sum })
    }
  }

  /** Returns and resets the usage since the previous call. */
  take(): readonly KeyUsage[] {
    const usage = [...this.#counted.values()]
    this.#counted = new Map()
    return usage
  }
}

/** Counts points where they are spent, for queries and for messages of agents alike. */
export function meterPoints(limiter: Limiter, meter: UsageMeter): Limiter {
  return {
    ...limiter,
    spend: (caller, points) =>
      andThen(limiter.spend(caller, points), (allowance) => {
        if (allowance?.granted !== false) meter.count(caller, 0, points)
        return allowance
      }),
  }
}
