/**
 * Requests that are answered at once are answered one after the other, so that many of one caller would hold up those
 * of all others. Here each caller has but a few in a turn of the event loop; further ones wait for the next turns, and
 * what others ask meanwhile comes between.
 */

/** Of one caller in one turn. */
const perTurn = 2

export class Pace {
  /** In this turn. */
  readonly #served = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()
  #isTurning = false

  /** To be waited for before a request is worked on; undefined when it may begin at once. */
  wait(caller: string): Promise<void> | undefined {
    if (!this.#isTurning) {
      this.#isTurning = true
      setImmediate(this.#turn)
    }
    const queue = this.#waiting.get(caller)
    const served = this.#served.get(caller) ?? 0
    if (queue === undefined && served < perTurn) {
      this.#served.set(caller, served + 1)
      return undefined
    }
    return new Promise((resolve) => {
      if (queue === undefined) this.#waiting.set(caller, [resolve])
      else queue.push(resolve)
    })
  }

  readonly #turn = (): void => {
    this.#isTurning = this.#served.size > 0 || this.#waiting.size > 0
    if (this.#isTurning) setImmediate(this.#turn)
    this.#served.clear()
    for (const [caller, queue] of this.#waiting) {
      const next = queue.splice(0, perTurn)
      this.#served.set(caller, next.length)
      if (queue.length === 0) this.#waiting.delete(caller)
      for (const begin of next) begin()
    }
  }
}
