/** Runs long queries on a file in other processes, so that this process goes on answering meanwhile. */
import { ServiceError } from '../../../errors.ts'
import type { PermitRequest } from '../../../util/async/fair-semaphore.ts'
import type { IndexStatus, Statement, StoredAnswer } from '../../database.ts'
import { identityOf } from '../open-file.ts'
import type { NamedFile, Question } from './query-worker.ts'
import { type AnswerTo, QueryWorkerPool } from './query-worker-pool.ts'

/** The timeout in seconds of a status query or a plan. */
const timeout = 10

export class LongQueries implements AsyncDisposable {
  readonly file: NamedFile
  readonly #answers: QueryWorkerPool
  /** A pool of its own, so that health checks never wait for callers' queries. */
  readonly #status: QueryWorkerPool

  /** `readers`: the number of concurrent statements; each process of a server has a pool of its own. */
  constructor(path: string, readers = 1) {
    this.file = { path, identity: identityOf(path) }
    this.#answers = new QueryWorkerPool(this.file, readers)
    this.#status = new QueryWorkerPool(this.file, 1)
  }

  async readAnswer({ text, values }: Statement, terms: PermitRequest): Promise<StoredAnswer> {
    const { answer } = await this.#answers.ask({ kind: 'answer', statement: { text, values } }, terms)
    // The body is a view of the message's memory.
    return { ...answer, isOwn: false }
  }

  /** `now` in microseconds since 1970. */
  async readStatus(now: bigint): Promise<IndexStatus> {
    return (await this.#askForOperators({ kind: 'status', now }, 'Counting what is stored')).status
  }

  async explain({ text, values }: Statement): Promise<readonly string[]> {
    const question = { kind: 'explain', statement: { text, values } } as const
    return (await this.#askForOperators(question, 'Planning a statement')).steps
  }

  /** Uses the kind of question as the caller, for fairness between kinds; the timeout starts with the request. */
  async #askForOperators<Asked extends Question>(question: Asked, what: string): Promise<AnswerTo<Asked>> {
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
