/** Runs long queries on a file in other processes, so that this process goes on answering meanwhile. */
import { ServiceError } from '../../../errors.ts'
import { type PermitRequest, FairSemaphore } from '../../../util/async/fair-semaphore.ts'
import type { IndexStatus, Statement, StoredAnswer } from '../../database.ts'
import { identityOf } from '../open-file.ts'
import type { Answer, Method, NamedFile, Question } from './query-worker.ts'
import { ProcessEndedError, QueryWorker } from './query-worker.ts'
import { untilAborted } from '../../../util/async/promises.ts'
import { unavailable } from '../../refusals.ts'
import { errorOf } from '../failures.ts'

/** The timeout in seconds of a status query or a plan, once there is a process for it. */
const timeout = 10
/** The timeout in seconds of the start of that process, which a busy machine makes slow. */
const startTimeout = 60

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
    const answer = await this.#answers.ask({ method: 'readAnswer', given: { text, values } }, terms)
    // The body is a view of the message's memory.
    return { ...answer, isOwn: false }
  }

  /** `now` in microseconds since 1970. */
  readStatus(now: bigint): Promise<IndexStatus> {
    return this.#askForOperators({ method: 'readStatus', given: now }, 'Counting what is stored')
  }

  explain({ text, values }: Statement): Promise<readonly string[]> {
    return this.#askForOperators({ method: 'explain', given: { text, values } }, 'Planning a statement')
  }

  /** Uses the method as the caller, for fairness between kinds of questions. */
  async #askForOperators<Asked extends Method>(
    question: Question<Asked>,
    what: string,
  ): Promise<Answer<Asked>> {
    const late = new AbortController()
    const abortAfter = (seconds: number) => setTimeout(() => late.abort(tooLate(what)), 1000 * seconds)
    let timer = abortAfter(startTimeout)
    try {
      await untilAborted(this.#status.ready(), late.signal)
      clearTimeout(timer)
      timer = abortAfter(timeout)
      const request = {
        signal: late.signal,
        caller: question.method,
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

const mostWaiting = 1000

/** Several processes, in fair order, which start on demand, also to replace others that have ended. */
class QueryWorkerPool implements AsyncDisposable {
  readonly #file: NamedFile
  readonly #permits: FairSemaphore
  #workers: QueryWorker[] = []
  #isOver = false

  /** `count`: the number of concurrent questions. */
  constructor(file: NamedFile, count: number) {
    this.#file = file
    this.#permits = new FairSemaphore({ permits: count, mostWaiting })
  }

  /** Resolves when a process is ready for questions, or has failed to start. */
  async ready(): Promise<void> {
    if (!this.#isOver) await this.#worker(() => true).ready.catch(() => undefined)
  }

  /** Fails with the error of the query, or with the signal's reason as soon as that is aborted. */
  ask<Asked extends Method>(question: Question<Asked>, terms: PermitRequest): Promise<Answer<Asked>> {
    const asked = async () => {
      using _permit = await this.#permits.acquire(terms)
      return (await this.#askTwice(question, terms.signal)) as Answer<Asked>
    }
    return untilAborted(asked(), terms.signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    this.#permits[Symbol.dispose]()
    await Promise.all(this.#workers.map((worker) => worker[Symbol.asyncDispose]()))
  }

  /** Retries once, because a process may be killed from outside, for example when the system is short of memory. */
  async #askTwice(question: Question, signal: AbortSignal) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const reply = await this.#worker(({ isBusy }) => !isBusy).ask(question, signal)
        if ('failure' in reply) throw errorOf(reply.failure)
        return reply.answer
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof ProcessEndedError)) throw error
        if (this.#isOver || attempt === 2) throw unavailable(error)
      }
    }
  }

  /** A running process if one fits: starting one takes 50 ms of a core. */
  #worker(fits: (worker: QueryWorker) => boolean): QueryWorker {
    this.#workers = this.#workers.filter(({ isOver }) => !isOver)
    const running = this.#workers.find(fits)
    if (running !== undefined) return running
    const started = new QueryWorker(this.#file)
    this.#workers.push(started)
    return started
  }
}
