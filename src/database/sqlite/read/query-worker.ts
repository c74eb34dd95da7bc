/** A process that reads a file for this one, from its start to its end; `query-child.ts` is what runs there. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { siblingModule } from '../../../util/sibling-module.ts'
import { untilAborted } from '../../../util/async/until-aborted.ts'
import type { FromReader, Question, Reply, ToReader } from './query-messages.ts'

/** The process ended, or could not be started, before it had answered. */
export class ProcessEndedError extends Error {
  override name = 'ProcessEndedError'
}

/**
 * Milliseconds that a statement nobody waits for is given to end by itself. Another process takes as long to start,
 * and would be cheap to provoke.
 */
const gracePeriod = 50
/** Characters of its last words that are kept. */
const lastWords = 2000

export class QueryWorker implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #ready = Promise.withResolvers<void>()
  readonly #closed: Promise<unknown>
  #reply: PromiseWithResolvers<Reply> | null = null
  #words = ''
  #isOver = false
  /** Its end is waited for, whoever else no longer waits for anything of it. */
  #isWaitedFor = false

  constructor(path: string) {
    const child = fork(module, {
      serialization: 'advanced',
      // Ours may say that a debugger waits, or which file is to be run first. It calls the collector itself.
      execArgv: ['--disable-warning=ExperimentalWarning', '--expose-gc'],
      // Nothing is written to the first: its end tells the process of ours.
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
    })
    this.#child = child
    this.#closed = once(child, 'close').catch(() => undefined)
    child.on('message', (message: FromReader) => {
      if (message.kind === 'ready') this.#ready.resolve()
      else this.#reply?.resolve(message)
    })
    child.stderr?.setEncoding('utf8').on('data', (words: string) => {
      this.#words = (this.#words + words).slice(-lastWords)
    })
    child.on('close', (code, signal) => this.#fail(`ended with ${signal ?? `code ${code}`}. ${this.#words}`))
    child.on('error', (cause) => this.#fail('failed.', cause))
    // Whoever waits for it is told.
    this.#ready.promise.catch(() => undefined)
    this.#hold(false)
    this.#send({ kind: 'open', path })
  }

  /** Whether it answers nothing any more. */
  get isOver(): boolean {
    return this.#isOver
  }

  /**
   * One question at a time. When the signal is aborted this fails with its reason, but not before what was asked has
   * ended: with the process, if need be.
   */
  async ask(question: Question, signal: AbortSignal): Promise<Reply> {
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
      this.#hold(false)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hold(true)
    this.#isWaitedFor = true
    this.#fail('was ended.')
    await this.#closed
  }

  #kill(): void {
    this.#isOver = true
    this.#child.kill('SIGKILL')
  }

  #fail(what: string, cause?: Error): void {
    this.#kill()
    const error = new ProcessEndedError(`A process that reads the database ${what}`.trim(), { cause })
    this.#ready.reject(error)
    this.#reply?.reject(error)
  }

  #send(message: ToReader): void {
    // A failure is followed by an end, which is told.
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  /** Whether this process has to stay for it. */
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
