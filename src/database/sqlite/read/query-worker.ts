/** One query worker process, from its start to its end; it runs `query-child.ts`. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { siblingModule } from '../../../util/sibling-module.ts'
import { untilAborted } from '../../../util/async/promises.ts'
import type { Failure } from '../failures.ts'
import type { Queries } from './query-connection.ts'

export type ToReader =
  /** The first message; the reply is `ready`. */
  NamedFile | Question

/** The file that a process has open; another that has its name by now is not opened. */
export interface NamedFile {
  readonly path: string
  readonly identity: string | null
}

export type Method = 'readAnswer' | 'readStatus' | 'explain'

/** A call of the worker's `Queries`. */
export interface Question<Asked extends Method = Method> {
  readonly method: Asked
  readonly given: Parameters<Queries[Asked]>[0]
}

export type Answer<Asked extends Method> = ReturnType<Queries[Asked]>

export type Reply = { readonly answer: Answer<Method> } | { readonly failure: Failure }

export type FromReader = 'ready' | Reply

/** The process ended, or could not be started, before it answered. */
export class ProcessEndedError extends Error {
  override name = 'ProcessEndedError'
}

/** Milliseconds in which a cancelled statement may end: callers could cheaply provoke starts of processes. */
const gracePeriod = 50
/** The number of last characters of stderr that are stored. */
const lastWords = 2000

export class QueryWorker implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #ready = Promise.withResolvers<void>()
  readonly #closed: Promise<unknown>
  #reply: PromiseWithResolvers<Reply> | null = null
  #words = ''
  /** True when the process answers no more questions. */
  isOver = false
  /** Whether a question is being answered. */
  isBusy = false
  /** Disposal waits for the end of the process, even when no question does. */
  #isWaitedFor = false

  constructor(file: NamedFile) {
    const child = fork(module, {
      serialization: 'advanced',
      // The parent's arguments may start a debugger or preload a file. The worker calls the collector itself.
      execArgv: ['--disable-warning=ExperimentalWarning', '--expose-gc'],
      // Nothing is written to stdin: its end tells the worker that the parent has ended.
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
    })
    this.#child = child
    this.#closed = once(child, 'close').catch(() => undefined)
    child.on('message', (message: FromReader) => {
      if (message === 'ready') this.#ready.resolve()
      else this.#reply?.resolve(message)
    })
    child.stderr?.setEncoding('utf8').on('data', (words: string) => {
      this.#words = (this.#words + words).slice(-lastWords)
    })
    child.on('close', (code, signal) => this.#fail(`ended with ${signal ?? `code ${code}`}. ${this.#words}`))
    child.on('error', (cause) => this.#fail('failed.', cause))
    // Callers of `ask` receive the error.
    this.#ready.promise.catch(() => undefined)
    this.#hold(false)
    this.#send(file)
  }

  /** Resolves when questions can be asked; rejects if the process ends before. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  /** One question at a time. Fails with the reason of the signal when the statement has ended or was killed. */
  async ask(question: Question, signal: AbortSignal): Promise<Reply> {
    this.isBusy = true
    this.#hold(true)
    let timer: NodeJS.Timeout | undefined
    const abort = (): void => {
      timer = setTimeout(() => this.#fail('was asked too much.'), gracePeriod)
    }
    try {
      await untilAborted(this.#ready.promise, signal)
      signal.throwIfAborted()
      const reply = Promise.withResolvers<Reply>()
      this.#reply = reply
      this.#send(question)
      signal.addEventListener('abort', abort)
      return await reply.promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      this.#reply = null
      this.isBusy = false
      this.#hold(false)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hold(true)
    this.#isWaitedFor = true
    this.#fail('was ended.')
    await this.#closed
  }

  #fail(what: string, cause?: Error): void {
    this.isOver = true
    this.#child.kill('SIGKILL')
    const error = new ProcessEndedError(`A process that reads the database ${what}`.trim(), { cause })
    this.#ready.reject(error)
    this.#reply?.reject(error)
  }

  #send(message: ToReader): void {
    // A failure to send is followed by `close`, which is handled.
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  /** Whether the process keeps the event loop of the parent alive. */
  #hold(isAwaited: boolean): void {
    const { channel, stdin, stderr } = this.#child
    const all = [this.#child, channel, stdin as Socket | null, stderr as Socket | null]
    for (const one of all) {
      if (isAwaited) one?.ref()
      else if (!this.#isWaitedFor) one?.unref()
    }
  }
}

const module = siblingModule(import.meta.url, 'query-child')
