/**
 * Schedules callers on the event loop. Short requests run one after the other, so that many of one caller would delay
 * all others. Each caller gets a share of each turn of the event loop, and some milliseconds of each longer interval;
 * its further requests wait, and requests of other callers run first. It refuses nobody.
 */

import { performance } from 'node:perf_hooks'

/** Milliseconds after a caller's first request in a turn of the event loop in which its further requests may begin. */
const mostInTurn = 1
/** Length of an interval in milliseconds, and how many of them the requests of one caller may use. */
const moment = 100
const mostInMoment = 5

export class ClientScheduler {
  /** Start of each caller's first request in this turn; the time since then, answering included, counts as its work. */
  readonly #began = new Map<string, number>()
  /** The turn of the event loop that `#began` belongs to. */
  #turn = 0
  /** Milliseconds used by each caller in this interval. */
  readonly #spent = new Map<string, number>()
  readonly #nextTurn = createNext((begin) => void setImmediate(begin), this.#began)
  readonly #nextMoment = createNext((begin) => void setTimeout(begin, moment).unref(), this.#spent)
  /** The last waiting request of each caller. */
  readonly #last = new Map<string, Promise<void>>()
  readonly #now: () => number

  /** `now`: monotonic time in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
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
    this.#nextMoment.prepare()
  }

  async #follow(before: Promise<void> | undefined, caller: string): Promise<void> {
    await before
    for (let next = this.#begin(caller); next !== null; next = this.#begin(caller)) await next.come()
  }

  /** Null when a request may begin; otherwise the turn or interval to wait for. */
  #begin(caller: string): Next | null {
    if ((this.#spent.get(caller) ?? 0) >= mostInMoment) return this.#nextMoment
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

/** The start of the next turn or interval, which resets what callers used; `call` schedules its argument for it. */
function createNext(call: (begin: () => void) => void, used: Map<string, number>) {
  const waiting: (() => void)[] = []
  let isPrepared = false
  const begin = (): void => {
    isPrepared = false
    used.clear()
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
