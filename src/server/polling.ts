/**
 * A caller that asks one question after the other finds the process awake. Waking one that sleeps takes a system longer
 * than answering most questions does; looking whether there is something new takes a hundredth of that. So after an
 * answer the event loop goes on looking for a moment, as in the halt polling of Linux's KVM only while that pays.
 */
import { performance } from 'node:perf_hooks'

/** Milliseconds after an answer; who asks again at once has come by then. */
const moment = 0.2

export class Polling {
  #latest = Number.NEGATIVE_INFINITY
  /** Whose answer was the latest. */
  #connection: object | null = null
  #isPolling = false
  readonly #now: () => number
  readonly #inNextTurn: (poll: () => void) => unknown

  /** `now`: milliseconds that pass. `inNextTurn` calls in the next turn of the event loop, which waits for nothing else. */
  constructor(
    now: () => number = () => performance.now(),
    inNextTurn: (poll: () => void) => unknown = setImmediate,
  ) {
    this.#now = now
    this.#inNextTurn = inNextTurn
  }

  /**
   * A request that arrived at that time was answered. Where several connections are answered in turn, the process hardly
   * sleeps, and who shares the machine with it needs the time more.
   */
  answered(connection: object, arrived: number): void {
    const pays = connection === this.#connection && arrived - this.#latest < moment
    this.#connection = connection
    this.#latest = this.#now()
    if (!pays || this.#isPolling) return
    this.#isPolling = true
    this.#inNextTurn(this.#poll)
  }

  readonly #poll = (): void => {
    this.#isPolling = this.#now() - this.#latest < moment
    if (this.#isPolling) this.#inNextTurn(this.#poll)
  }
}
