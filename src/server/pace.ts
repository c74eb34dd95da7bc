/**
 * Requests that are answered at once are answered one after the other, so that many of one caller would hold up those
 * of all others. Here each caller has a part of a turn of the event loop, and but some milliseconds of its work in a
 * while; further ones wait for the next, and what others ask meanwhile comes between. Nobody is refused for it.
 */

/** What each caller has in a while, until the next begins. */
class Share {
  readonly #next: (turn: () => void) => void
  readonly #values = new Map<string, number>()
  #waiting: (() => void)[] = []
  #isTurning = false

  /** `next` calls when the next while begins. */
  constructor(next: (turn: () => void) => void) {
    this.#next = next
  }

  get(caller: string): number | undefined {
    return this.#values.get(caller)
  }

  set(caller: string, value: number): void {
    this.#values.set(caller, value)
    this.#start()
  }

  /** Resolves when the next while begins, in the order of the calls. */
  next(): Promise<void> {
    this.#start()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #start(): void {
    if (this.#isTurning) return
    this.#isTurning = true
    this.#next(this.#turn)
  }

  readonly #turn = (): void => {
    this.#isTurning = false
    this.#values.clear()
    const waiting = this.#waiting
    this.#waiting = []
    for (const go of waiting) go()
  }
}

/** Milliseconds from the first request of a caller in a turn of the event loop, in which further ones may begin. */
const mostInTurn = 1
/** Milliseconds of a moment, and how many of them may be spent on the requests of one caller. */
const moment = 100
const mostInMoment = 5

export class CallerPace {
  /** When the first request of each caller in this turn began: what was done since, answering included, was its work. */
  readonly #turns = new Share((turn) => void setImmediate(turn))
  /** Milliseconds spent in this moment. */
  readonly #moments = new Share((turn) => void setTimeout(turn, moment).unref())
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
    if (before === undefined && this.#exhausted(caller) === null) return undefined
    const turn = this.#follow(before, caller).finally(() => {
      if (this.#last.get(caller) === turn) this.#last.delete(caller)
    })
    this.#last.set(caller, turn)
    return turn
  }

  /** So many milliseconds were spent on a request of that caller, in which nobody else was answered. */
  spend(caller: string, time: number): void {
    this.#moments.set(caller, (this.#moments.get(caller) ?? 0) + time)
  }

  async #follow(before: Promise<void> | undefined, caller: string): Promise<void> {
    await before
    for (let share = this.#exhausted(caller); share !== null; share = this.#exhausted(caller))
      await share.next()
  }

  /** Of what a caller has nothing left; null: a request begins. */
  #exhausted(caller: string): Share | null {
    if ((this.#moments.get(caller) ?? 0) >= mostInMoment) return this.#moments
    const began = this.#turns.get(caller)
    if (began === undefined) this.#turns.set(caller, this.#now())
    else if (this.#now() - began >= mostInTurn) return this.#turns
    return null
  }
}
