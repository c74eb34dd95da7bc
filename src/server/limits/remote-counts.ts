/**
 * Counts that another process keeps for all processes of a node. It is asked by messages (messages.ts) and answers
 * each (answer-limits.ts); leases.ts sees to it that points are rarely asked for.
 *
 * When it says nothing for a second, this process counts for itself until it answers again. So nobody is turned away
 * for its silence, and nobody goes uncounted: of each such process a caller has its limit for as long as that lasts.
 */
import { type Counts, createCounts, Pauses, LongRequests } from './counts.ts'
import { Fallback } from './fallback.ts'
import type { LimitAnswer, LimitAnswers, LimitQuestion, Send } from './messages.ts'
import { createMemoryPoints, type Taken } from './point-store.ts'

/** Milliseconds. */
const patience = 1_000
const longestLate = 60_000

type Asking = Extract<LimitQuestion, { readonly id: number }>
type Answer = LimitAnswers[keyof LimitAnswers]

export class RemoteCounts implements Counts {
  readonly #send: Send<LimitQuestion>
  readonly #fallback = new Fallback()
  /** What is counted while the other process is silent; null as long as it never was. */
  #own: Counts | null = null
  readonly #ownTurns = new LongRequests()
  readonly #pauses = new Pauses()
  /** What to do with an answer; of those that come too late as well. */
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #lastId = 0

  constructor(send: Send<LimitQuestion>) {
    this.#send = send
  }

  /** Takes what the other process says. */
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

  take(key: string, limit: number, needed: number, wished: number): Promise<Taken> {
    return this.#fallback.run(
      () => this.#ask({ kind: 'take', id: this.#nextId(), key, limit, needed, wished }),
      () => this.#ownCounts().take(key, limit, needed, wished),
    )
  }

  giveBack(key: string, points: number, ends: number): void {
    this.#send({ kind: 'give-back', key, points, ends })
  }

  enter(key: string, concurrent: number): Promise<boolean> {
    const leaveAgain = (entered: Answer): void => {
      if (entered === true) this.#send({ kind: 'leave', key })
    }
    return this.#fallback.run(
      () => this.#ask({ kind: 'enter', id: this.#nextId(), key, concurrent }, leaveAgain),
      () => this.#ownTurns.enter(key, concurrent),
    )
  }

  leave(key: string): void {
    if (this.#ownTurns.has(key)) this.#ownTurns.leave(key)
    else this.#send({ kind: 'leave', key })
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
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.set(question.id, onLate)
        // An answer may come late, or never.
        setTimeout(() => this.#waiting.delete(question.id), longestLate).unref()
        reject(new Error('The process that counts does not answer.'))
      }, patience)
      this.#waiting.set(question.id, (answer) => {
        clearTimeout(timer)
        resolve(answer as LimitAnswers[Question['kind']])
      })
      this.#send(question)
    })
  }
}
