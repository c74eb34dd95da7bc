/**
 * A semaphore that admits waiting requests by their caller's recent use plus their own expected time, least first.
 * A request that cannot end by its deadline is rejected while it waits, because work on it would be wasted. It must
 * not know what a request does.
 */
import { addAbortListener } from 'node:events'
import { ServiceError } from '../../errors.ts'

export interface SemaphoreOptions {
  readonly permits: number
  /** Length of the queue above which requests are rejected. */
  readonly mostWaiting: number
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
}

export interface PermitRequest {
  readonly caller: string
  readonly signal: AbortSignal
  /** Points; the time per point is learned from earlier requests. 0: unknown. */
  readonly cost: number
  /** When the request must have ended, by the clock `now`. */
  readonly deadline: number
}

/** Thrown before any work was done for the request. */
export class OverloadedError extends ServiceError {}

interface Waiting extends PermitRequest, PromiseWithResolvers<Disposable> {}
interface Held extends Omit<PermitRequest, 'signal'> {
  readonly since: number
}

/** Initial estimate: milliseconds per point, and its weight in points. */
const assumed = { time: 5, points: 100 }
/** Points after which the weight of an older request is halved. */
const memory = 1_000
/** Milliseconds after which recorded use is halved. */
const halfLife = 10_000
/** Minimum milliseconds charged per request, so that callers with instant requests alternate. */
const leastUse = 1
/** Use below so many milliseconds counts as none. */
const negligible = 0.1
/** Number of callers above which those without use are removed. */
const mostCallers = 1_000

export class FairSemaphore implements Disposable {
  readonly #permits: number
  readonly #mostWaiting: number
  readonly #now: () => number
  /** In order of arrival. */
  #waiting: Waiting[] = []
  readonly #held = new Set<Held>()
  /** Decayed milliseconds (`time`) that each caller held permits, as of `at`. */
  readonly #used = new Map<string, { time: number; at: number }>()
  readonly #learned = { time: assumed.time * assumed.points, points: assumed.points }
  #isOver = false

  constructor({ permits, mostWaiting, now = () => performance.now() }: SemaphoreOptions) {
    this.#permits = permits
    this.#mostWaiting = mostWaiting
    this.#now = now
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /**
   * The caller holds the permit until disposing of it. Fails with the signal's reason when the signal is aborted first,
   * and with an OverloadedError as soon as the request is known to miss its deadline.
   */
  async acquire(request: PermitRequest): Promise<Disposable> {
    const { signal } = request
    signal.throwIfAborted()
    if (this.#isOver) throw isClosing()
    if (this.#held.size < this.#permits) return this.#permit(request)
    if (this.#waiting.length >= this.#mostWaiting) throw overloaded(0)
    const waiting: Waiting = { ...request, ...Promise.withResolvers<Disposable>() }
    this.#waiting.push(waiting)
    using _listener = addAbortListener(signal, () => {
      this.#waiting = this.#waiting.filter((one) => one !== waiting)
      waiting.reject(signal.reason)
    })
    this.#rejectLate()
    return await waiting.promise
  }

  /** Rejects waiting and later requests. */
  [Symbol.dispose](): void {
    this.#isOver = true
    for (const one of this.#waiting.splice(0)) one.reject(isClosing())
  }

  #permit({ caller, cost, deadline }: PermitRequest): Disposable {
    const held: Held = { caller, cost, deadline, since: this.#now() }
    this.#held.add(held)
    return {
      [Symbol.dispose]: () => {
        if (!this.#held.delete(held)) return
        this.#learn(held)
        this.#admit()
      },
    }
  }

  #learn({ caller, cost, since }: Held): void {
    const now = this.#now()
    const time = now - since
    const used = this.#usedBy(caller, now)
    this.#used.set(caller, { time: used + Math.max(leastUse, time), at: now })
    if (this.#used.size > mostCallers)
      for (const one of this.#used.keys()) if (this.#usedBy(one, now) === 0) this.#used.delete(one)
    if (cost === 0) return
    const kept = 2 ** (-cost / memory)
    this.#learned.time = this.#learned.time * kept + time
    this.#learned.points = this.#learned.points * kept + cost
  }

  #admit(): void {
    this.#rejectLate()
    const [next] = this.#inOrder()
    if (next === undefined) return
    this.#waiting = this.#waiting.filter((one) => one !== next)
    next.resolve(this.#permit(next))
  }

  #rejectLate(): void {
    const now = this.#now()
    let before = 0
    for (const held of this.#held) before += this.#left(held, now)
    const free = this.#permits - this.#held.size
    for (const [place, one] of this.#inOrder().entries()) {
      const own = this.#expected(one.cost)
      const wait = place < free ? 0 : before / this.#permits
      if (now + wait + own > one.deadline && place >= free) {
        this.#waiting = this.#waiting.filter((other) => other !== one)
        one.reject(overloaded(wait))
      } else before += own
    }
  }

  /** Ranks each further request of a caller as if the caller's earlier requests had been served. */
  #inOrder(): readonly Waiting[] {
    const now = this.#now()
    const used = new Map<string, number>()
    for (const { caller, cost } of this.#held)
      used.set(caller, (used.get(caller) ?? this.#usedBy(caller, now)) + this.#expected(cost))
    const ranked = this.#waiting.map((one) => {
      const rank = (used.get(one.caller) ?? this.#usedBy(one.caller, now)) + this.#expected(one.cost)
      used.set(one.caller, rank)
      return { one, rank }
    })
    return ranked.toSorted((a, b) => a.rank - b.rank).map(({ one }) => one)
  }

  /** Remaining milliseconds. A request that exceeds its estimate is expected to take as long again. */
  #left({ cost, since, deadline }: Held, now: number): number {
    const passed = now - since
    const expected = this.#expected(cost)
    return passed < expected ? expected - passed : Math.min(passed, Math.max(0, deadline - now))
  }

  #expected(cost: number): number {
    return (cost * this.#learned.time) / this.#learned.points
  }

  #usedBy(caller: string, now: number): number {
    const used = this.#used.get(caller)
    const left = used === undefined ? 0 : used.time * 2 ** ((used.at - now) / halfLife)
    return left < negligible ? 0 : left
  }
}

/** `wait`: milliseconds. */
function overloaded(wait: number): OverloadedError {
  return new OverloadedError(
    'UNAVAILABLE',
    'The service is busy with operations that take long, and yours could not end in time. Nothing was computed for it, and its points are given back. Send it again later, or ask for less.',
    { retryAfter: Math.max(1, Math.ceil(wait / 1000)) },
  )
}

function isClosing(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The service is stopping.', { retryAfter: 1 })
}
