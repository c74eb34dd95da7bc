/**
 * Lets one piece of agents' work begin in each turn of the event loop, so that other requests are answered between two
 * pieces for any number of agents. A piece is the work of a message until it waits for the database.
 */
export class EventLoopQueue {
  #last = Promise.resolve()

  /** Await before a piece of work; pieces keep their order. */
  next(): Promise<void> {
    this.#last = this.#last.then(nextTurn)
    return this.#last
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
