/** What is read of a file in other processes, so that this one goes on answering meanwhile. */
import { ServiceError } from '../../errors.ts'
import type { IndexStatus, Statement, StoredAnswer } from '../database.ts'
import { type LongTerms, ReadingProcesses } from './reading-processes.ts'

/** Seconds that counting for a status may take. */
const statusPatience = 10

export class LongReadings implements AsyncDisposable {
  readonly #answers: ReadingProcesses
  /** Another, so that whether the service is well never waits for what callers ask. */
  readonly #status: ReadingProcesses

  /** `processes`: how many statements run at a time; each worker of a server has its own. */
  constructor(path: string, processes = 1) {
    this.#answers = new ReadingProcesses(path, processes)
    this.#status = new ReadingProcesses(path, 1)
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
