/** What is read of a file in other processes, so that this one goes on answering meanwhile. */
import { ServiceError } from '../../errors.ts'
import type { IndexStatus, Statement, StoredAnswer } from '../database.ts'
import { type LongTerms, ReadingProcesses } from './reading-processes.ts'

export interface LongReadingOptions {
  /** How many statements run at a time. */
  readonly processes: number
  /** Start the processes now instead of when there is something for them to do. */
  readonly warm: boolean
}

export const defaultLongReading: LongReadingOptions = { processes: 1, warm: false }

/** Seconds that counting for a status may take. */
const statusPatience = 10

export class LongReadings implements AsyncDisposable {
  readonly #answers: ReadingProcesses
  /** Another, so that whether the service is well never waits for what callers ask. */
  readonly #status: ReadingProcesses

  constructor(path: string, { processes, warm }: LongReadingOptions) {
    this.#answers = new ReadingProcesses(path, processes)
    this.#status = new ReadingProcesses(path, 1)
    if (warm) this.#answers.start()
  }

  async readAnswer({ text, values }: Statement, terms: LongTerms): Promise<StoredAnswer> {
    const reply = await this.#answers.ask({ kind: 'answer', statement: { text, values } }, terms)
    if (reply.kind === 'answer') return reply.answer
    throw new Error(`The answer is a ${reply.kind}.`)
  }

  /** `now` in microseconds since 1970. */
  async readStatus(now: bigint): Promise<IndexStatus> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(tooLate()), 1000 * statusPatience)
    try {
      const reply = await this.#status.ask({ kind: 'status', now }, { signal: late.signal, caller: '' })
      if (reply.kind === 'status') return reply.status
      throw new Error(`The status is a ${reply.kind}.`)
    } finally {
      clearTimeout(timer)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#answers[Symbol.asyncDispose](), this.#status[Symbol.asyncDispose]()])
  }
}

function tooLate(): ServiceError {
  return new ServiceError('TIMEOUT', `Counting what is stored took more than ${statusPatience} seconds.`)
}
