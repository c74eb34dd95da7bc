/**
 * Runs long queries on a file in several processes, in fair order, and replaces processes that have ended. Processes
 * start on demand, also to replace others.
 */
import { FairSemaphore, type PermitRequest } from '../../../util/async/fair-semaphore.ts'
import { untilAborted } from '../../../util/async/promises.ts'
import { unavailable } from '../../refusals.ts'
import { errorOf } from '../failures.ts'
import {
  type Answer,
  type NamedFile,
  ProcessEndedError,
  type Question,
  QueryWorker,
  type Reply,
} from './query-worker.ts'

export type AnswerTo<Asked extends Question> = Extract<Answer, { readonly kind: Asked['kind'] }>

/** Holds one process at a time. */
interface Slot {
  process: QueryWorker | null
}

const mostWaiting = 1000

export class QueryWorkerPool implements AsyncDisposable {
  readonly #file: NamedFile
  readonly #slots: readonly Slot[]
  /** One per available permit. */
  readonly #free: Slot[]
  readonly #permits: FairSemaphore
  #isOver = false

  /** `count`: the number of concurrent questions. */
  constructor(file: NamedFile, count: number) {
    this.#file = file
    this.#slots = Array.from({ length: count }, () => ({ process: null }))
    this.#free = [...this.#slots]
    this.#permits = new FairSemaphore({ permits: count, mostWaiting })
  }

  /** Fails with the error of the query, or with the signal's reason as soon as that is aborted. */
  ask<Asked extends Question>(question: Asked, terms: PermitRequest): Promise<AnswerTo<Asked>> {
    return untilAborted(this.#askWorker(question, terms), terms.signal)
  }

  async #askWorker<Asked extends Question>(question: Asked, terms: PermitRequest): Promise<AnswerTo<Asked>> {
    using _permit = await this.#permits.acquire(terms)
    const { signal } = terms
    const slot = this.#takeSlot()
    try {
      const reply = await this.#askTwice(slot, question, signal)
      if (reply.kind === 'failed') throw errorOf(reply.failure)
      return reply as AnswerTo<Asked>
    } finally {
      this.#free.push(slot)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    this.#permits[Symbol.dispose]()
    await Promise.all(this.#slots.map(({ process }) => process?.[Symbol.asyncDispose]()))
  }

  /** Retries once, because a process may be killed from outside, for example when the system is short of memory. */
  async #askTwice(slot: Slot, question: Question, signal: AbortSignal): Promise<Reply> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#started(slot).ask(question, signal)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof ProcessEndedError)) throw error
        if (this.#isOver || attempt === 2) throw unavailable(error)
      }
    }
  }

  /** Prefers a slot with a running process: starting a process takes 50 ms of a core. */
  #takeSlot(): Slot {
    const started = this.#free.findLastIndex(({ process }) => process?.isOver === false)
    return this.#free.splice(started, 1)[0] as Slot
  }

  #started(slot: Slot): QueryWorker {
    if (slot.process === null || slot.process.isOver) slot.process = new QueryWorker(this.#file)
    return slot.process
  }
}
