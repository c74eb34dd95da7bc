/**
 * Requests that are answered at once are answered one after the other, so that many of one caller would hold up those
 * of all others. Here each caller has but a few in a while; further ones wait for the next, and what others ask
 * meanwhile comes between. Nobody is refused for it.
 */

export class Pace {
  readonly #next: (turn: () => void) => void
  /** In this while. */
  readonly #begun = new Map<string, number>()
  readonly #waiting = new Map<string, { readonly most: number; readonly queue: (() => void)[] }>()
  #isTurning = false

  /** `next` calls when the next while begins. */
  constructor(next: (turn: () => void) => void) {
    this.#next = next
  }

  /** To be waited for before a request is worked on, of which the caller has so many in a while; undefined: it may begin. */
  wait(caller: string, most: number): Promise<void> | undefined {
    if (!this.#isTurning) {
      this.#isTurning = true
      this.#next(this.#turn)
    }
    const waiting = this.#waiting.get(caller)
    const begun = this.#begun.get(caller) ?? 0
    if (waiting === undefined && begun < most) {
      this.#begun.set(caller, begun + 1)
      return undefined
    }
    return new Promise((resolve) => {
      if (waiting === undefined) this.#waiting.set(caller, { most, queue: [resolve] })
      else waiting.queue.push(resolve)
    })
  }

  readonly #turn = (): void => {
    this.#isTurning = this.#begun.size > 0 || this.#waiting.size > 0
    if (this.#isTurning) this.#next(this.#turn)
    this.#begun.clear()
    for (const [caller, { most, queue }] of this.#waiting) {
      const next = queue.splice(0, most)
      this.#begun.set(caller, next.length)
      if (queue.length === 0) this.#waiting.delete(caller)
      for (const begin of next) begin()
    }
  }
}

/** Requests of one caller in a turn of the event loop. */
const perTurn = 2
/** Milliseconds of a while, and how many times faster than on the average of its minute a caller may be in it. */
const moment = 100
const haste = 5
const leastInMoment = 5

/** Whoever could spend all points of a minute at once may spend them only a tenth of a second's worth, five times over, at a time. */
export class CallerPace {
  readonly #moments = new Pace((turn) => void setTimeout(turn, moment).unref())
  readonly #turns = new Pace((turn) => void setImmediate(turn))

  /** `pointsPerMinute` of the caller's tier; null: any number. */
  async wait(caller: string, pointsPerMinute: number | null): Promise<void> {
    if (pointsPerMinute !== null) {
      const most = Math.max(leastInMoment, Math.ceil((pointsPerMinute / 60_000) * moment * haste))
      const later = this.#moments.wait(caller, most)
      if (later !== undefined) await later
    }
    const turn = this.#turns.wait(caller, perTurn)
    if (turn !== undefined) await turn
  }
}
