/** What callers with keys use, added up by day in memory, so that nothing is written for a single request. */
import type { KeyUsage } from '../../database/metadata/metadata-store.ts'
import type { Caller } from '../admission/caller.ts'
import type { Limiter } from '../admission/limits/limiter.ts'
import type { Observer } from './observer.ts'

const prefix = 'key:'
const dayLength = 86_400_000

/** A day in UTC, as a number of days since 1970. */
export function dayAt(milliseconds: number): number {
  return Math.floor(milliseconds / dayLength)
}

/** Bounded by the keys that there are, since only those that hold are counted. */
export class UsageMeter {
  readonly #now: () => number
  #counted = new Map<string, KeyUsage>()

  /** `now`: milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now
  }

  count({ id }: Caller, requests: number, points: number): void {
    if (!id.startsWith(prefix)) return
    this.#add({ key: id.slice(prefix.length), day: dayAt(this.#now()), requests, points })
  }

  add(usage: readonly KeyUsage[]): void {
    for (const one of usage) this.#add(one)
  }

  /** All that was counted since it was taken last. */
  take(): readonly KeyUsage[] {
    const usage = [...this.#counted.values()]
    this.#counted = new Map()
    return usage
  }

  #add(one: KeyUsage): void {
    const place = `${one.day} ${one.key}`
    const { requests = 0, points = 0 } = this.#counted.get(place) ?? {}
    this.#counted.set(place, {
      ...one,
      requests: requests + one.requests,
      points: points + one.points,
    })
  }
}

/** Counts points where they are spent, whoever asks for them: queries, and messages of agents. */
export function meterPoints(limiter: Limiter, meter: UsageMeter): Limiter {
  return {
    ...limiter,
    spend(caller, points) {
      const spent = limiter.spend(caller, points)
      if (spent instanceof Promise)
        return spent.then((allowance) => {
          if (allowance?.granted !== false) meter.count(caller, 0, points)
          return allowance
        })
      if (spent?.granted !== false) meter.count(caller, 0, points)
      return spent
    },
  }
}

/** Counts requests, also those that are refused. */
export function meterRequests<Each extends Observer>(observer: Each, meter: UsageMeter): Each {
  return {
    ...observer,
    answered(request) {
      if (request.caller !== null) meter.count(request.caller, 1, 0)
      observer.answered(request)
    },
  }
}
