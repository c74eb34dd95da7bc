/**
 * Schedules callers on the event loop. Short requests run one after the other, so that many of one caller would delay
 * all others. Each caller gets a share of each turn of the loop, and for longer work what a page and its parts need, which
 * comes back with time (a leaky bucket), the faster the more the loop is idle, so that a reader alone hardly waits. Its
 * further requests wait, and others run first; none is refused.
 */

import { performance } from 'node:perf_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { anonymousId } from './authentication.ts'
import { networkOf } from './limits/address.ts'
import { MemoryPoints } from './limits/counts.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `own`: the route waits itself. `probe`: a few requests a second need not wait. */
    readonly turn?: 'own' | 'probe'
  }
}

/** Milliseconds after a caller's first request in a turn of the event loop in which its further requests may begin. */
const mostInTurn = 1
/** Milliseconds that the requests of one caller may use at once, and how many it gets back in each interval at least. */
const mostSpent = 60
const interval = 100
const leastRestored = 5

export class ClientScheduler {
  /** Start of each caller's first request in this turn; the time since then, answering included, counts as its work. */
  readonly #began = new Map<string, number>()
  /** The turn of the event loop that `#began` belongs to. */
  #turn = 0
  /** Milliseconds used by each caller that it did not get back. */
  readonly #spent = new Map<string, number>()
  readonly #nextTurn = createNext(
    (begin) => void setImmediate(begin),
    () => this.#began.clear(),
  )
  readonly #nextInterval = createNext(
    (begin) => void setTimeout(begin, interval).unref(),
    () => this.#restore(),
  )
  /** The last waiting request of each caller. */
  readonly #last = new Map<string, Promise<void>>()
  readonly #now: () => number
  readonly #idle: () => number
  /** As it was when callers last got something back. */
  #idleBefore = 0

  /** `now`: monotonic time in milliseconds; `idle`: for how many of them the event loop has had nothing to do. */
  constructor(
    now: () => number = () => performance.now(),
    idle: () => number = () => performance.eventLoopUtilization().idle,
  ) {
    this.#now = now
    this.#idle = idle
  }

  /** Await before working on a request; undefined: it may begin now. Requests of one caller stay in order. */
  wait(caller: string): Promise<void> | undefined {
    const before = this.#last.get(caller)
    if (before === undefined && this.#begin(caller) === null) return undefined
    const turn = this.#follow(before, caller).finally(() => {
      if (this.#last.get(caller) === turn) this.#last.delete(caller)
    })
    this.#last.set(caller, turn)
    return turn
  }

  /** Adds the milliseconds for which a request of this caller blocked the event loop. */
  spend(caller: string, time: number): void {
    this.#spent.set(caller, (this.#spent.get(caller) ?? 0) + time)
    this.#nextInterval.prepare()
  }

  /** Callers share half of what the loop was idle; the other half is for those who come. */
  #restore(): void {
    const idle = this.#idle()
    const shared = Math.min(interval, idle - this.#idleBefore) / 2
    this.#idleBefore = idle
    const restored = Math.max(leastRestored, shared / this.#spent.size)
    for (const [caller, time] of this.#spent)
      if (time <= restored) this.#spent.delete(caller)
      else this.#spent.set(caller, time - restored)
    if (this.#spent.size > 0) this.#nextInterval.prepare()
  }

  async #follow(before: Promise<void> | undefined, caller: string): Promise<void> {
    await before
    for (let next = this.#begin(caller); next !== null; next = this.#begin(caller)) await next.come()
  }

  /** Null when a request may begin; otherwise the turn or interval to wait for. */
  #begin(caller: string): Next | null {
    if ((this.#spent.get(caller) ?? 0) >= mostSpent) return this.#nextInterval
    // A setImmediate callback per turn would cost more than all of this.
    const turn = performance.nodeTiming.uvMetricsInfo.loopCount
    if (turn !== this.#turn) this.#began.clear()
    this.#turn = turn
    const began = this.#began.get(caller)
    if (began === undefined) this.#began.set(caller, this.#now())
    else if (this.#now() - began >= mostInTurn) return this.#nextTurn
    return null
  }
}

type Next = ReturnType<typeof createNext>

/** The start of the next turn or interval, which gives callers back what they used; `call` schedules its argument for it. */
function createNext(call: (begin: () => void) => void, giveBack: () => void) {
  const waiting: (() => void)[] = []
  let isPrepared = false
  const begin = (): void => {
    isPrepared = false
    giveBack()
    for (const go of waiting.splice(0)) go()
  }
  const prepare = (): void => {
    if (!isPrepared) call(begin)
    isPrepared = true
  }
  return {
    prepare,
    /** Resolves at the start, in the order of the calls. */
    come(): Promise<void> {
      prepare()
      return new Promise((resolve) => waiting.push(resolve))
    },
  }
}

/** Does synchronous work; `worked` is told for how many milliseconds it blocked the event loop. */
export function timed<Result>(work: () => Result, worked: (time: number) => void): Result {
  const started = performance.now()
  try {
    return work()
  } finally {
    worked(performance.now() - started)
  }
}

/** Requests of one network in a second that are probes: balancers ask once a second, or a few times. */
const mostProbes = 20
const mostNetworks = 10_000

/** Await before an answer to a request without a key; undefined: it may be sent now. */
export function anonymousTurn(scheduler: ClientScheduler, { ip }: FastifyRequest): Promise<void> | undefined {
  return scheduler.wait(anonymousId(networkOf(ip)))
}

/**
 * Lets requests wait for the turn of their network at all routes that cost no points and are added later: at static
 * files, texts for crawlers, preflights, probes, and where nothing is. Other routes wait themselves, as soon as they know
 * the caller.
 */
export function scheduleRoutes(app: FastifyInstance, scheduler: ClientScheduler): void {
  const probes = new MemoryPoints(mostNetworks, 1)
  app.addHook('onRequest', (request, _reply, done) => {
    const { turn } = request.routeOptions.config
    if (turn === 'own') return done()
    const isProbe = turn === 'probe' && probes.take(networkOf(request.ip), mostProbes, 1, 1).granted > 0
    const waiting = isProbe ? undefined : anonymousTurn(scheduler, request)
    if (waiting === undefined) done()
    else void waiting.finally(done)
  })
}
