/**
 * Counts for all processes of a node in one of them: the messages between them, and both ends. The leases of
 * limiter.ts make questions about points rare.
 *
 * After a timeout of a second, the asking process counts for itself, continuing from the latest balance
 * (continued-points.ts), until the other answers again. So silence neither refuses callers nor leaves them uncounted.
 */
import { within } from '../../../util/async/promises.ts'
import { continuePoints, createFallback } from './continued-points.ts'
import { type Counts, FailedKeys, type PointStore, type Taken } from './counts.ts'
import { KeyedSemaphore } from './keyed-semaphore.ts'

/** From a serving process to the one that counts for all; `id` where the sender waits for an answer. */
export type LimitQuestion =
  | {
      readonly kind: 'take'
      readonly id: number
      readonly key: string
      readonly limit: number
      readonly needed: number
      readonly wished: number
    }
  | { readonly kind: 'give-back'; readonly key: string; readonly points: number; readonly ends: number }
  | { readonly kind: 'enter'; readonly id: number; readonly key: string; readonly concurrent: number }
  | { readonly kind: 'leave'; readonly key: string }
  | { readonly kind: 'fail-key'; readonly id: number; readonly address: string }

export interface LimitAnswers {
  readonly take: Taken
  readonly enter: boolean
  readonly 'fail-key': number
}

export type LimitAnswer =
  | {
      readonly kind: 'counted'
      readonly id: number
      readonly answer: LimitAnswers[keyof LimitAnswers]
    }
  /** To all processes: do not check keys from this address until `ends`, in milliseconds since 1970. */
  | { readonly kind: 'pause'; readonly address: string; readonly ends: number }

/** Sends a message to another process; the message is lost if that process has ended. */
export type Send<Message> = (message: Message) => void

/** The connection of one process that asks. */
export interface Asker {
  readonly ask: (question: LimitQuestion) => Promise<void>
  /** The process has ended: ends its long requests; its points expire with their minute. */
  readonly end: () => void
}

/** The returned function adds a process, whose answers go to `send`. */
export function answerLimits(counts: Counts): (send: Send<LimitAnswer>) => Asker {
  const processes = new Set<Send<LimitAnswer>>()
  const giveUp = (longRequests: KeyedSemaphore): void => {
    for (const [key, held] of longRequests.releaseAll()) for (let n = 0; n < held; n += 1) counts.leave(key)
  }
  return (send) => {
    const longRequests = new KeyedSemaphore()
    processes.add(send)
    return {
      async ask(question) {
        switch (question.kind) {
          case 'take': {
            const { id, key, limit, needed, wished } = question
            return send({ kind: 'counted', id, answer: await counts.points.take(key, limit, needed, wished) })
          }
          case 'give-back':
            return counts.points.giveBack(question.key, question.points, question.ends)
          case 'enter': {
            const { id, key, concurrent } = question
            const answer = await counts.enter(key, concurrent)
            if (answer) longRequests.acquire(key, Number.POSITIVE_INFINITY)
            if (!processes.has(send)) return giveUp(longRequests)
            return send({ kind: 'counted', id, answer })
          }
          case 'leave':
            longRequests.release(question.key)
            return counts.leave(question.key)
          case 'fail-key': {
            const { id, address } = question
            const answer = await counts.failKey(address)
            send({ kind: 'counted', id, answer })
            const ends = Date.now() + answer * 1000
            if (answer > 0) for (const sendTo of processes) sendTo({ kind: 'pause', address, ends })
          }
        }
      },
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

type Asking = Extract<LimitQuestion, { readonly id: number }>
type Answer = LimitAnswers[keyof LimitAnswers]

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
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #lastId = 0

  constructor(send: Send<LimitQuestion>) {
    this.#send = send
    const shared: PointStore = {
      take: (key, limit, needed, wished) =>
        this.#ask({ kind: 'take', id: this.#nextId(), key, limit, needed, wished }, (late) => {
          const { granted, ends } = late as Taken
          if (granted > 0) shared.giveBack(key, granted, ends)
        }),
      giveBack: (key, points, ends) => send({ kind: 'give-back', key, points, ends }),
    }
    this.points = continuePoints(shared, this.#orInstead)
  }

  hear(message: LimitAnswer): void {
    switch (message.kind) {
      case 'counted':
        this.#waiting.get(message.id)?.(message.answer)
        this.#waiting.delete(message.id)
        return
      case 'pause':
        this.#failedKeys.beginPause(message.address, message.ends)
    }
  }

  enter(key: string, concurrent: number): Promise<boolean> {
    const leaveAgain = (entered: Answer): void => {
      if (entered === true) this.#send({ kind: 'leave', key })
    }
    return this.#orInstead(
      async () => {
        const entered = await this.#ask({ kind: 'enter', id: this.#nextId(), key, concurrent }, leaveAgain)
        return entered && this.#longRequests.acquire(key, Number.POSITIVE_INFINITY)
      },
      () => this.#ownLongRequests.acquire(key, concurrent - this.#longRequests.held(key)),
    )
  }

  leave(key: string): void {
    if (this.#ownLongRequests.held(key) > 0) return this.#ownLongRequests.release(key)
    this.#longRequests.release(key)
    this.#send({ kind: 'leave', key })
  }

  failKey(address: string): Promise<number> {
    return this.#orInstead(
      () => this.#ask({ kind: 'fail-key', id: this.#nextId(), address }),
      () => this.#failedKeys.fail(address),
    )
  }

  keyPause(address: string): number {
    return this.#failedKeys.pause(address)
  }

  #nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  #ask<Question extends Asking>(
    question: Question,
    onLate: (answer: Answer) => void = () => undefined,
  ): Promise<LimitAnswers[Question['kind']]> {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    this.#waiting.set(question.id, resolve)
    this.#send(question)
    return within(timeout, promise, () => {
      this.#waiting.set(question.id, onLate)
      // A late answer may never arrive.
      setTimeout(() => this.#waiting.delete(question.id), longestLate).unref()
      return new Error('The process that counts does not answer.')
    }) as Promise<LimitAnswers[Question['kind']]>
  }
}
