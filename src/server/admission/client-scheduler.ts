/**
 * Requests that are answered at once are answered one after the other, so that many of one caller would hold up those
 * of all others. Here each caller has a part of a turn of the event loop, and but some milliseconds of its work in a
 * while; further ones wait for the next, and what others ask meanwhile comes between. Nobody is refused for it.
 */

import { performance } from 'node:perf_hooks'

/** Milliseconds from the first request of a caller in a turn of the event loop, in which further ones may begin. */
const mostInTurn = 1
/** Milliseconds of a moment, and how many of them may be spent on the requests of one caller. */
const moment = 100
const mostInMoment = 5

export class ClientScheduler {
  /** When the first request of each caller in this turn began: what was done since, answering included, was its work. */
  readonly #began = new Map<string, number>()
  /** The turn that they began in. */
  #turn = 0
  /** Milliseconds spent on each caller in this moment. */
  readonly #spent = new Map<string, number>()
  readonly #nextTurn = new Next((begin) => void setImmediate(begin), this.#began)
  readonly #nextMoment = new Next((begin) => void setTimeout(begin, moment).unref(), this.#spent)
  /** Of each caller the request that is the last to wait. */
  readonly #last = new Map<string, Promise<void>>()
  readonly #now: () => number

  /** `now`: milliseconds that pass. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** To be waited for before a request is worked on; undefined: it may begin. Requests of one caller keep their order. */
  wait(caller: string): Promise<void> | undefined {
    const before = this.#last.get(caller)
    if (before === undefined && this.#begin(caller) === null) return undefined
    const turn = this.#follow(before, caller).finally(() => {
      if (this.#last.get(caller) === turn) this.#last.delete(caller)
    })
    this.#last.set(caller, turn)
    return turn
  }

  /** So many milliseconds were spent on a request of that caller, in which nobody else was answered. */
  spend(caller: string, time: number): void {
    this.#spent.set(caller, (this.#spent.get(caller) ?? 0) + time)
    this.#nextMoment.prepare()
  }

  async #follow(before: Promise<void> | undefined, caller: string): Promise<void> {
    await before
    for (let next = this.#begin(caller); next !== null; next = this.#begin(caller)) await next.come()
  }

  /** Null when a request may begin, or what has to come before. */
  #begin(caller: string): Next | null {
    if ((this.#spent.get(caller) ?? 0) >= mostInMoment) return this.#nextMoment
    // To be told of each turn by setImmediate would take longer than all of this.
    const turn = performance.nodeTiming.uvMetricsInfo.loopCount
    if (turn !== this.#turn) this.#began.clear()
    this.#turn = turn
    const began = this.#began.get(caller)
    if (began === undefined) this.#began.set(caller, this.#now())
    else if (this.#now() - began >= mostInTurn) return this.#nextTurn
    return null
  }
}

/** The beginning of the next while, from when on what callers used in the last one does not count. */
class Next {
  readonly #call: (begin: () => void) => void
  readonly #used: Map<string, number>
  #waiting: (() => void)[] = []
  #isPrepared = false

  /** `call` calls when it begins. */
  constructor(call: (begin: () => void) => void, used: Map<string, number>) {
    this.#call = call
    this.#used = used
  }

  prepare(): void {
    if (this.#isPrepared) return
    this.#isPrepared = true
    this.#call(this.#begin)
  }

  /** Resolves when it begins, in the order of the calls. */
  come(): Promise<void> {
    this.prepare()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  readonly #begin = (): void => {
    this.#isPrepared = false
    this.#used.clear()
    const waiting = this.#waiting
    this.#waiting = []
    for (const go of waiting) go()
  }
}
