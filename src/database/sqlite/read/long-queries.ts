/** Runs long queries on a file in other processes, so that this process goes on answering meanwhile. */
import { ServiceError } from '../../../errors.ts'
import type { PermitRequest } from '../../../util/async/fair-semaphore.ts'
import type { IndexStatus, Statement, StoredAnswer } from '../../database.ts'
import type { Question } from './query-messages.ts'
import { type Answer, QueryWorkerPool } from './query-worker-pool.ts'

/** The timeout in seconds of a status query or a plan. */
const timeout = 10

export class LongQueries implements AsyncDisposable {
  readonly #answers: QueryWorkerPool
  /** A pool of its own, so that health checks never wait for callers' queries. */
  readonly #status: QueryWorkerPool

  /** `readers`: the number of concurrent statements; each process of a server has a pool of its own. */
  constructor(path: string, readers = 1) {
    this.#answers = new QueryWorkerPool(path, readers)
    this.#status = new QueryWorkerPool(path, 1)
  }

  async readAnswer({ text, values }: Statement, terms: PermitRequest): Promise<StoredAnswer> {
    const reply = await this.#answers.ask({ kind: 'answer', statement: { text, values } }, terms)
    // The body is a view of the message's memory.
    if (reply.kind === 'answer') return { ...reply.answer, isOwn: false }
    throw new Error(`The answer is a ${reply.kind}.`)
  }

  /** `now` in microseconds since 1970. */
  async readStatus(now: bigint): Promise<IndexStatus> {
    const reply = await this.#askForOperators({ kind: 'status', now }, 'Counting what is stored')
    if (reply.kind === 'status') return reply.status
    throw new Error(`The status is a ${reply.kind}.`)
  }

  async explain({ text, values }: Statement): Promise<readonly string[]> {
    const question = { kind: 'explain', statement: { text, values } } as const
    const reply = await this.#askForOperators(question, 'Planning a statement')
    if (reply.kind === 'explain') return reply.steps
    throw new Error(`The plan is a ${reply.kind}.`)
  }

  /** Uses the kind of question as the caller, for fairness between kinds; the timeout starts with the request. */
  async #askForOperators(question: Question, what: string): Promise<Answer> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(tooLate(what)), 1000 * timeout)
    try {
      const request = {
        signal: late.signal,
        caller: question.kind,
        cost: 0,
        deadline: Number.POSITIVE_INFINITY,
      }
      return await this.#status.ask(question, request)
    } finally {
      clearTimeout(timer)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#answers[Symbol.asyncDispose](), this.#status[Symbol.asyncDispose]()])
  }
}

function tooLate(what: string): ServiceError {
  return new ServiceError('TIMEOUT', `${what} took more than ${timeout} seconds.`)
}
