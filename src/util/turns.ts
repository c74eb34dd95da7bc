/**
 * Places that are held for a while, fewer than those who want one: whoever asks finds one, or waits. Of those who
 * wait, callers take turns, so that who asks a hundred times waits longer than who asks once.
 */
import { ServiceError } from '../errors.ts'

export interface TurnsOptions {
  readonly places: number
  /** Who comes while so many wait is sent away. */
  readonly mostWaiting: number
}

export class Turns implements Disposable {
  /** By caller, in the order of their turns; nobody's is empty. */
  readonly #waiting = new Map<string, Set<Wish>>()
  readonly #mostWaiting: number
  #free: number
  #count = 0
  #isOver = false

  constructor({ places, mostWaiting }: TurnsOptions) {
    this.#free = places
    this.#mostWaiting = mostWaiting
  }

  /** How many wait. */
  get waiting(): number {
    return this.#count
  }

  /** A place, until it is disposed of. Fails with the signal's reason when that is aborted before there is one. */
  async take(caller: string, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#isOver) throw isClosing()
    if (this.#free > 0) {
      this.#free -= 1
      return this.#place()
    }
    if (this.#count >= this.#mostWaiting) throw isFull(this.#mostWaiting)
    const wish = Promise.withResolvers<Disposable>()
    const leave = (): void => {
      this.#remove(caller, wish)
      wish.reject(signal.reason)
    }
    this.#add(caller, wish)
    signal.addEventListener('abort', leave)
    try {
      return await wish.promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** Sends away who waits and whoever comes later. */
  [Symbol.dispose](): void {
    this.#isOver = true
    for (const wish of [...this.#waiting.values()].flatMap((wishes) => [...wishes])) wish.reject(isClosing())
    this.#waiting.clear()
    this.#count = 0
  }

  #place(): Disposable {
    let isHeld = true
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return
        isHeld = false
        this.#free += 1
        this.#admit()
      },
    }
  }

  #admit(): void {
    const [turn] = this.#waiting
    if (turn === undefined) return
    const [caller, wishes] = turn
    const [wish] = wishes
    if (wish === undefined) return
    this.#remove(caller, wish)
    // Behind all others.
    if (this.#waiting.delete(caller)) this.#waiting.set(caller, wishes)
    this.#free -= 1
    wish.resolve(this.#place())
  }

  #add(caller: string, wish: Wish): void {
    const wishes = this.#waiting.get(caller)
    if (wishes === undefined) this.#waiting.set(caller, new Set([wish]))
    else wishes.add(wish)
    this.#count += 1
  }

  #remove(caller: string, wish: Wish): void {
    const wishes = this.#waiting.get(caller)
    if (wishes === undefined || !wishes.delete(wish)) return
    this.#count -= 1
    if (wishes.size === 0) this.#waiting.delete(caller)
  }
}

type Wish = PromiseWithResolvers<Disposable>

function isFull(count: number): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    `${count} operations that take long wait already; try again in a moment, or ask for less.`,
    { retryAfter: 1 },
  )
}

function isClosing(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The service is stopping.', { retryAfter: 1 })
}
