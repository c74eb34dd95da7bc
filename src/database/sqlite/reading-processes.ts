/**
 * Processes that run what may take long on a file: how many, who is the next to be served, and another for one that
 * has ended. They are started when there is something to do, the first time and each further one.
 */
import { Turns } from '../../util/turns.ts'
import { untilAborted } from '../../util/until-aborted.ts'
import { unavailable } from '../refusals.ts'
import { errorOf } from './failures.ts'
import type { Question, Reply } from './reading-messages.ts'
import { ProcessEndedError, ReadingProcess } from './reading-process.ts'

/** When a question is given up, and whose it is. */
export interface LongTerms {
  readonly signal: AbortSignal
  readonly caller: string
}

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
  /** As many as there are turns left. */
  readonly #free: Lane[]
  readonly #turns: Turns
  #isOver = false

  /** `count`: how many questions are answered at a time. */
  constructor(path: string, count: number) {
    this.#path = path
    this.#lanes = Array.from({ length: count }, () => ({ process: null }))
    this.#free = [...this.#lanes]
    this.#turns = new Turns({ places: count, mostWaiting })
  }

  /** Fails like what was asked, or with the signal's reason as soon as that is aborted. */
  ask(question: Question, terms: LongTerms): Promise<Answer> {
    return untilAborted(this.#askInTurn(question, terms), terms.signal)
  }

  async #askInTurn(question: Question, { signal, caller }: LongTerms): Promise<Answer> {
    using _turn = await this.#turns.take(caller, signal)
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
    this.#turns[Symbol.dispose]()
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
