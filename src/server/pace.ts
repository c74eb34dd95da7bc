/**
 * Requests that are answered at once are answered one after the other, so that many of one caller would hold up those
 * of all others. Here each caller has one in a turn of the event loop, and but some milliseconds of its work in a
 * while; further ones wait for the next, and what others ask meanwhile comes between. Nobody is refused for it.
 */

/** What each caller has in a while, until the next begins. */
class Share {
  readonly #next: (turn: () => void) => void
  readonly #most: number
  readonly #used = new Map<string, number>()
  #waiting: (() => void)[] = []
  #isTurning = false

  /** `next` calls when the next while begins; `most`: how much a caller may have used before it waits. */
  constructor(most: number, next: (turn: () => void) => void) {
    this.#most = most
    this.#next = next
  }

  isUsedUp(caller: string): boolean {
    return (this.#used.get(caller) ?? 0) >= this.#most
  }

  use(caller: string, amount: number): void {
    this.#used.set(caller, (this.#used.get(caller) ?? 0) + amount)
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
    this.#used.clear()
    const waiting = this.#waiting
    this.#waiting = []
    for (const go of waiting) go()
  }
}

/** Milliseconds of a moment, and how many of them may be spent on the requests of one caller. */
const moment = 100
const mostInMoment = 5

export class CallerPace {
  readonly #turns = new Share(1, (turn) => void setImmediate(turn))
  readonly #moments = new Share(mostInMoment, (turn) => void setTimeout(turn, moment).unref())
  /** Of each caller the request that is the last to wait. */
  readonly #last = new Map<string, Promise<void>>()

  /** To be waited for before a request is worked on; undefined: it may begin. Requests of one caller keep their order. */
  wait(caller: string): Promise<void> | undefined {
    const before = this.#last.get(caller)
    if (before === undefined && this.#exhausted(caller) === null) {
      this.#turns.use(caller, 1)
      return undefined
    }
    const turn = this.#follow(before, caller).finally(() => {
      if (this.#last.get(caller) === turn) this.#last.delete(caller)
    })
    this.#last.set(caller, turn)
    return turn
  }

  /** So many milliseconds were spent on a request of that caller, in which nobody else was answered. */
  spend(caller: string, time: number): void {
    this.#moments.use(caller, time)
  }

  async #follow(before: Promise<void> | undefined, caller: string): Promise<void> {
    await before
    for (let share = this.#exhausted(caller); share !== null; share = this.#exhausted(caller))
      await share.next()
    this.#turns.use(caller, 1)
  }

  #exhausted(caller: string): Share | null {
    return [this.#moments, this.#turns].find((share) => share.isUsedUp(caller)) ?? null
  }
}
