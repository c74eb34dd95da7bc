/**
 * When answers leave. Writing to a socket wakes whoever reads it, which takes longer than making a short answer; who is
 * awake already need not be woken. So where one turn of the event loop answers several, they leave together at its end.
 */
import type { ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setFree } from '../util/set-free.ts'

/** Copying a longer answer would take longer than handing it to the system beside the head. */
const copiedUpTo = 4_096

export class Departures {
  #waiting: (() => void)[] = []
  /** The turn of the latest answer, and how many there were in it. */
  #turn = 0
  #inTurn = 0
  /** Whether the turn before it answered several; one alone leaves at once. */
  #isBusy = false

  /** The head is written already. `isOwn`: nobody else has the body, so that its memory is free once it is sent. */
  send(response: ServerResponse, body: Buffer, isOwn: boolean): void {
    const turn = performance.nodeTiming.uvMetricsInfo.loopCount
    if (turn !== this.#turn) {
      this.#isBusy = this.#inTurn > 1
      this.#turn = turn
      this.#inTurn = 0
    }
    this.#inTurn += 1
    if (!this.#isBusy) return end(response, body, isOwn)
    this.#waiting.push(() => end(response, body, isOwn))
    if (this.#waiting.length === 1) setImmediate(this.#leave)
  }

  readonly #leave = (): void => {
    const waiting = this.#waiting
    this.#waiting = []
    for (const leave of waiting) leave()
  }
}

function end(response: ServerResponse, body: Buffer, isOwn: boolean): void {
  // Of text the head and the body are written as one; in this encoding each byte stays what it is.
  if (body.length <= copiedUpTo) response.end(body.toString('latin1'), 'latin1')
  // Whoever is told of the answer may look at it until then.
  else if (isOwn) response.end(body, () => setImmediate(setFree, body))
  else response.end(body)
}
