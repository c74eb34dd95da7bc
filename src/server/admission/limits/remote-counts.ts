/**
 * Counts in another process, which counts for all processes of a node. Messages (messages.ts) carry questions, and
 * answer-limits.ts answers them; leases.ts makes questions about points rare.
 *
 * After a timeout of a second, this process counts for itself, continuing from the latest balance
 * (continued-points.ts), until the other answers again. So silence neither refuses callers nor leaves them uncounted.
 */
import { within } from '../../../util/async/within.ts'
import { ContinuedPoints } from './continued-points.ts'
import { type Counts, createCounts, Pauses, LongRequests } from './counts.ts'
import { Fallback } from './fallback.ts'
import type { LimitAnswer, LimitAnswers, LimitQuestion, Send } from './messages.ts'
import { createMemoryPoints, type PointStore, type Taken } from './point-store.ts'

/** Milliseconds. */
const timeout = 1_000
const longestLate = 60_000

type Asking = Extract<LimitQuestion, { readonly id: number }>
type Answer = LimitAnswers[keyof LimitAnswers]

export class RemoteCounts implements Counts {
  readonly #send: Send<LimitQuestion>
  readonly #fallback = new Fallback()
  readonly #points: PointStore
  /** Failed keys counted here during a timeout of the other process; null until the first one. */
  #own: Counts | null = null
  /** Long requests that the other process admitted, and those admitted here during its silence. */
  readonly #longRequests = new LongRequests()
  readonly #ownLongRequests = new LongRequests()
  readonly #pauses = new Pauses()
  /** Handlers by question, for late answers too. */
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #lastId = 0

  constructor(send: Send<LimitQuestion>) {
    this.#send = send
    const shared: PointStore = {
      take: (key, limit, needed, wished) =>
        this.#ask({ kind: 'take', id: this.#nextId(), key, limit, needed, wished }, (late) => {
          const { granted, ends } = late as Taken
          if (granted > 0) send({ kind: 'give-back', key, points: granted, ends })
        }),
      giveBack: (key, points, ends) => send({ kind: 'give-back', key, points, ends }),
    }
    this.#points = new ContinuedPoints(shared, this.#fallback)
  }

  /** Handles a message from the other process. */
  hear(message: LimitAnswer): void {
    switch (message.kind) {
      case 'counted': {
        const take = this.#waiting.get(message.id)
        this.#waiting.delete(message.id)
        take?.(message.answer)
        return
      }
      case 'pause':
        this.#pauses.begin(message.address, message.ends)
    }
  }

  take(...request: Parameters<PointStore['take']>): Promise<Taken> {
    return this.#points.take(...request)
  }

  giveBack(...unused: Parameters<PointStore['giveBack']>): void {
    this.#points.giveBack(...unused)
  }

  enter(key: string, concurrent: number): Promise<boolean> {
    const leaveAgain = (entered: Answer): void => {
      if (entered === true) this.#send({ kind: 'leave', key })
    }
    return this.#fallback.run(
      async () => {
        const entered = await this.#ask({ kind: 'enter', id: this.#nextId(), key, concurrent }, leaveAgain)
        return entered && this.#longRequests.enter(key, Number.POSITIVE_INFINITY)
      },
      () => this.#ownLongRequests.enter(key, concurrent - this.#longRequests.count(key)),
    )
  }

  leave(key: string): void {
    if (this.#ownLongRequests.count(key) > 0) return this.#ownLongRequests.leave(key)
    this.#longRequests.leave(key)
    this.#send({ kind: 'leave', key })
  }

  failKey(address: string): Promise<number> {
    return this.#fallback.run(
      () => this.#ask({ kind: 'fail-key', id: this.#nextId(), address }),
      () => this.#ownCounts().failKey(address),
    )
  }

  keyPause(address: string): number {
    return Math.max(this.#pauses.left(address), this.#own?.keyPause(address) ?? 0)
  }

  #ownCounts(): Counts {
    this.#own ??= createCounts(createMemoryPoints())
    return this.#own
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
