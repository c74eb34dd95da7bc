/**
 * Processes that run what may take long on a file: how many, who is the next to be served, and another for one that
 * has ended. They are started when there is something to do, the first time and each further one.
 */
import { FairSemaphore, type PermitRequest } from '../../../util/async/fair-semaphore.ts'
import { untilAborted } from '../../../util/async/until-aborted.ts'
import { unavailable } from '../../refusals.ts'
import { errorOf } from '../failures.ts'
import type { Question, Reply } from './query-messages.ts'
import { ProcessEndedError, QueryWorker } from './query-worker.ts'

/** An answer of the kind of its question. */
export type Answer = Exclude<Reply, { readonly kind: 'failed' }>

/** A process at a time. */
interface Slot {
  process: QueryWorker | null
}

const mostWaiting = 1000

export class QueryWorkerPool implements AsyncDisposable {
  readonly #path: string
  readonly #slots: readonly Slot[]
  /** As many as there are permits left. */
  readonly #free: Slot[]
  readonly #permits: FairSemaphore
  #isOver = false

  /** `count`: how many questions are answered at a time. */
  constructor(path: string, count: number) {
    this.#path = path
    this.#slots = Array.from({ length: count }, () => ({ process: null }))
    this.#free = [...this.#slots]
    this.#permits = new FairSemaphore({ permits: count, mostWaiting })
  }

  /** Fails like what was asked, or with the signal's reason as soon as that is aborted. */
  ask(question: Question, terms: PermitRequest): Promise<Answer> {
    return untilAborted(this.#askWorker(question, terms), terms.signal)
  }

  async #askWorker(question: Question, terms: PermitRequest): Promise<Answer> {
    using _permit = await this.#permits.acquire(terms)
    const { signal } = terms
    const slot = this.#takeSlot()
    try {
      const reply = await this.#askTwice(slot, question, signal)
      if (reply.kind === 'failed') throw errorOf(reply.failure)
      return reply
    } finally {
      this.#free.push(slot)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    this.#permits[Symbol.dispose]()
    await Promise.all(this.#slots.map(({ process }) => process?.[Symbol.asyncDispose]()))
  }

  /** A process may be killed by others, such as a system that is short of memory. */
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

  /** One with a process if there is one, or else the last: starting a process takes 50 ms of a core. */
  #takeSlot(): Slot {
    const started = this.#free.findLastIndex(({ process }) => process?.isOver === false)
    return this.#free.splice(started, 1)[0] as Slot
  }

  #started(slot: Slot): QueryWorker {
    if (slot.process === null || slot.process.isOver) slot.process = new QueryWorker(this.#path)
    return slot.process
  }
}
