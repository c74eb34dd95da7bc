/**
 * Counts for all processes of a node in one of them: the messages between them, and both ends. The leases of
 * limiter.ts make questions about points rare.
 *
 * After a timeout of a second, the asking process counts for itself, continuing from the latest balance
 * (continued-points.ts), until the other answers again. So silence neither refuses callers nor leaves them uncounted.
 */
import { within } from '../../../util/async/promises.ts'
import { continuePoints, createFallback } from './continued-points.ts'
import { type Counts, FailedKeys, KeyedSemaphore, type PointStore } from './counts.ts'

type Methods = Pick<PointStore, 'take' | 'giveBack'> & Pick<Counts, 'enter' | 'leave' | 'failKey'>
type Method = keyof Methods
type Answer<M extends Method = Method> = Awaited<ReturnType<Methods[M]>>

/** From a serving process to the one that counts for all; `id`: 0 where the sender waits for no answer. */
export type LimitQuestion = {
  readonly [M in Method]: {
    readonly kind: 'limits'
    readonly id: number
    readonly method: M
    readonly values: Parameters<Methods[M]>
  }
}[Method]

export type LimitAnswer =
  | { readonly kind: 'counted'; readonly id: number; readonly answer: Answer }
  /** To all processes: do not check keys from this address until `ends`, in milliseconds since 1970. */
  | { readonly kind: 'pause'; readonly address: string; readonly ends: number }

/** Sends a message to another process; the message is lost if that process has ended. */
export type Send<Message> = (message: Message) => void

/** The returned function adds a process that asks, whose answers go to `send`. */
export function answerLimits(counts: Counts) {
  const processes = new Set<Send<LimitAnswer>>()
  const giveUp = (longRequests: KeyedSemaphore): void => {
    for (const [key, held] of longRequests.releaseAll()) for (let n = 0; n < held; n += 1) counts.leave(key)
  }
  return (send: Send<LimitAnswer>) => {
    const longRequests = new KeyedSemaphore()
    processes.add(send)
    return {
      async ask({ id, method, values }: LimitQuestion) {
        switch (method) {
          case 'take':
            return send({ kind: 'counted', id, answer: await counts.points.take(...values) })
          case 'giveBack':
            return counts.points.giveBack(...values)
          case 'enter': {
            const answer = await counts.enter(...values)
            if (answer) longRequests.acquire(values[0], Number.POSITIVE_INFINITY)
            if (!processes.has(send)) return giveUp(longRequests)
            return send({ kind: 'counted', id, answer })
          }
          case 'leave':
            longRequests.release(...values)
            return counts.leave(...values)
          case 'failKey': {
            const [address] = values
            const answer = await counts.failKey(address)
            send({ kind: 'counted', id, answer })
            const ends = Date.now() + answer * 1000
            if (answer > 0) for (const sendTo of processes) sendTo({ kind: 'pause', address, ends })
          }
        }
      },
      /** The process has ended: ends its long requests; its points expire with their minute. */
      end() {
        processes.delete(send)
        giveUp(longRequests)
      },
    }
  }
}

/** Milliseconds. */
const timeout = 1_000
const longestLate = 60_000

export class RemoteCounts implements Counts {
  readonly points: PointStore
  readonly #send: Send<LimitQuestion>
  readonly #orInstead = createFallback()
  /** Pauses told by the other process, and failed keys counted here during its silence. */
  readonly #failedKeys = new FailedKeys()
  /** Long requests that the other process admitted, and those admitted here during its silence. */
  readonly #longRequests = new KeyedSemaphore()
  readonly #ownLongRequests = new KeyedSemaphore()
  /** Handlers by question, for late answers too. */
  readonly #waiting = new Map<number, (answer: never) => void>()
  #lastId = 0

  constructor(send: Send<LimitQuestion>) {
    this.#send = send
    const shared: PointStore = {
      take: (...values) =>
        this.#ask('take', values, ({ granted, ends }) => {
          if (granted > 0) shared.giveBack(values[0], granted, ends)
        }),
      giveBack: (...values) => send({ kind: 'limits', id: 0, method: 'giveBack', values }),
    }
    this.points = continuePoints(shared, this.#orInstead)
  }

  hear(message: LimitAnswer): void {
    if (message.kind === 'pause') return this.#failedKeys.beginPause(message.address, message.ends)
    this.#waiting.get(message.id)?.(message.answer as never)
    this.#waiting.delete(message.id)
  }

  enter(key: string, concurrent: number): Promise<boolean> {
    const leave = (): void => this.#send({ kind: 'limits', id: 0, method: 'leave', values: [key] })
    return this.#orInstead(
      async () => {
        const entered = await this.#ask('enter', [key, concurrent], (late) => late && leave())
        return entered && this.#longRequests.acquire(key, Number.POSITIVE_INFINITY)
      },
      () => this.#ownLongRequests.acquire(key, concurrent - this.#longRequests.held(key)),
    )
  }

  leave(key: string): void {
    if (this.#ownLongRequests.held(key) > 0) return this.#ownLongRequests.release(key)
    this.#longRequests.release(key)
    this.#send({ kind: 'limits', id: 0, method: 'leave', values: [key] })
  }

  failKey(address: string): Promise<number> {
    return this.#orInstead(
      () => this.#ask('failKey', [address]),
      () => this.#failedKeys.fail(address),
    )
  }

  keyPause(address: string): number {
    return this.#failedKeys.pause(address)
  }

  #ask<M extends Method>(
    method: M,
    values: Parameters<Methods[M]>,
    onLate: (answer: Answer<M>) => void = () => undefined,
  ): Promise<Answer<M>> {
    this.#lastId += 1
    const id = this.#lastId
    const { promise, resolve } = Promise.withResolvers<Answer<M>>()
    this.#waiting.set(id, resolve)
    this.#send({ kind: 'limits', id, method, values } as LimitQuestion)
    return within(timeout, promise, () => {
      this.#waiting.set(id, onLate)
      // A late answer may never arrive.
      setTimeout(() => this.#waiting.delete(id), longestLate).unref()
      return new Error('The process that counts does not answer.')
    })
  }
}
