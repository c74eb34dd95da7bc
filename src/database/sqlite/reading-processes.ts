/**
 * Processes that run what may take long on a file: how many, who is the next to be served, and another for one that
 * has ended. They are started when there is something to do, the first time and each further one.
 */
import { FairSemaphore, type PermitRequest } from '../../util/fair-semaphore.ts'
import { untilAborted } from '../../util/until-aborted.ts'
import { unavailable } from '../refusals.ts'
import { errorOf } from './failures.ts'
import type { Question, Reply } from './reading-messages.ts'
import { ProcessEndedError, ReadingProcess } from './reading-process.ts'

/** An answer of the kind of its question. */
export type Answer = Exclude<Reply, { readonly kind: 'failed' }>

/** A process at a time. */
interface Lane {
  process: ReadingProcess | null
}

const mostWaiting = 1000

export class ReadingProcesses implements AsyncDisposable {
  readonly #path: string
  readonly #lanes: readonly Lane[]
  /** As many as there are permits left. */
  readonly #free: Lane[]
  readonly #permits: FairSemaphore
  #isOver = false

  /** `count`: how many questions are answered at a time. */
  constructor(path: string, count: number) {
    this.#path = path
    this.#lanes = Array.from({ length: count }, () => ({ process: null }))
    this.#free = [...this.#lanes]
    this.#permits = new FairSemaphore({ permits: count, mostWaiting })
  }

  /** Fails like what was asked, or with the signal's reason as soon as that is aborted. */
  ask(question: Question, terms: PermitRequest): Promise<Answer> {
    return untilAborted(this.#askInTurn(question, terms), terms.signal)
  }

  async #askInTurn(question: Question, terms: PermitRequest): Promise<Answer> {
    using _permit = await this.#permits.acquire(terms)
    const { signal } = terms
    const lane = this.#takeLane()
    try {
      const reply = await this.#askTwice(lane, question, signal)
      if (reply.kind === 'failed') throw errorOf(reply.failure)
      return reply
    } finally {
      this.#free.push(lane)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    this.#permits[Symbol.dispose]()
    await Promise.all(this.#lanes.map(({ process }) => process?.[Symbol.asyncDispose]()))
  }

  /** A process may be killed by others, such as a system that is short of memory. */
  async #askTwice(lane: Lane, question: Question, signal: AbortSignal): Promise<Reply> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#started(lane).ask(question, signal)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof ProcessEndedError)) throw error
        if (this.#isOver || attempt === 2) throw unavailable(error)
      }
    }
  }

  /** One with a process if there is one, or else the last: starting a process takes 50 ms of a core. */
  #takeLane(): Lane {
    const started = this.#free.findLastIndex(({ process }) => process?.isOver === false)
    return this.#free.splice(started, 1)[0] as Lane
  }

  #started(lane: Lane): ReadingProcess {
    if (lane.process === null || lane.process.isOver) lane.process = new ReadingProcess(this.#path)
    return lane.process
  }
}
