/** Starts worker processes that answer at one port, and replaces those that die, unless several do so early. */
import { asSentence } from '../../util/text/messages.ts'
import cluster, { type Worker } from 'node:cluster'
import { setImmediate, setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fileIdentity } from '../../database/open.ts'
import { answerLimits } from '../../server/admission/limits/remote-counts.ts'
import type { Counts } from '../../server/admission/limits/counts.ts'
import type { UsageMeter } from '../../server/observe/usage.ts'
import { siblingModule } from '../../util/sibling-module.ts'
import type { startBackgroundTasks } from '../background/background-tasks.ts'
import { CommandError, type CommandContext, notify } from '../command.ts'
import { judgeRebuild, reloading } from './rebuild-watch.ts'
import type { Config } from '../settings/settings.ts'
import type { FromWorker, ToWorker, WorkerTask } from './serve-worker.ts'

interface WorkersGiven {
  readonly count: number
  /** Shared by all workers. */
  readonly counts: Counts
  readonly usage: UsageMeter
  /** Fingerprint of the lexicons at the start. */
  readonly fingerprint: string
  /** Restarted after all workers were, with the lexicons of a rebuilt index. */
  readonly background: Pick<ReturnType<typeof startBackgroundTasks>, 'awaits' | 'restart'>
}

/** Milliseconds in which a worker's death is early, and the number of early deaths in a row that end the service. */
const early = 10_000
const earlyDeaths = 5
/** Milliseconds before a worker is replaced after the first early death; doubled for each further one. */
const firstPause = 200
const longestPause = 8_000
/**
 * Half of what V8 takes for young objects. Long documents live for some turns of the event loop: sixty of them were
 * copied in pauses of up to 35 ms, and two workers kept 300 MB. Pages take as long as before.
 */
const youngGeneration = '--max-semi-space-size=16'

/** Disposal waits until all requests in flight are answered. */
export class Workers implements AsyncDisposable {
  readonly #context: CommandContext
  readonly #given: WorkersGiven
  readonly #answer: ReturnType<typeof answerLimits>
  readonly #file: ReturnType<typeof fileIdentity>
  readonly #stop = new AbortController()
  readonly #stopped = Promise.withResolvers<void>()
  readonly #refusal = new AbortController()
  /** Aborted when workers cannot answer, or no longer can; a `CommandError` is the reason. */
  readonly refused = this.#refusal.signal
  readonly #listening = Promise.withResolvers<string>()
  /** Resolves to the address once all workers listen; stays pending if they cannot. */
  readonly listening = this.#listening.promise
  /** Ids of workers that have listened since the start of the service. */
  readonly #everListened = new Set<number>()
  readonly #answering = new Set<number>()
  /** By the ids of running workers: ends the worker, so that another one takes its place. */
  readonly #current = new Map<number, AbortController>()
  /** By id: called when a worker listens or has ended. */
  readonly #settled = new Map<number, () => void>()
  readonly #running: readonly Promise<void>[]
  #share: Config
  #port: number
  #fingerprint: string
  #deaths = 0
  #isJudging = false

  constructor(context: CommandContext, given: WorkersGiven) {
    cluster.setupPrimary({ exec: fileURLToPath(siblingModule(import.meta.url, 'serve-worker')), args: [] })
    this.#context = context
    this.#given = given
    this.#answer = answerLimits(given.counts)
    this.#file = fileIdentity(context.config.database)
    // Settings that apply to all workers together are divided.
    const connections = Math.max(2, Math.ceil(context.config['database-connections'] / given.count))
    this.#share = { ...context.config, 'database-connections': connections }
    this.#port = context.config.port
    this.#fingerprint = given.fingerprint
    this.#stop.signal.addEventListener('abort', () => this.#stopped.resolve())
    this.#running = Array.from({ length: given.count }, (_, index) => this.#keepUp(index + 1))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
  }

  async #keepUp(id: number): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const started = performance.now()
      const end = await this.#runOnce(id)
      if (signal.aborted) return
      if (end === null) continue
      this.#settled.get(id)?.()
      // No worker is left to notice a rebuild of the index.
      if (end.kind === 'refused' && this.#everListened.has(id) && this.#answering.size === 0)
        void this.#onRebuilt()
      if (end.kind === 'refused' && !this.#everListened.has(id)) return this.#refuse(end.message)
      this.#deaths = performance.now() - started < early ? this.#deaths + 1 : 0
      if (end.kind === 'died' && this.#deaths >= earlyDeaths)
        return this.#refuse(
          `${earlyDeaths} workers in a row ended soon after their start, the last ${asSentence(end.message)}`,
        )
      process.stderr.write(
        end.kind === 'died'
          ? `A worker ended ${end.message} and is replaced.\n`
          : `A worker cannot start and tries again: ${end.message}\n`,
      )
      const wait = this.#deaths === 0 ? 0 : Math.min(longestPause, firstPause * 2 ** (this.#deaths - 1))
      await pause(wait, undefined, { signal }).catch(() => {})
    }
  }

  /** Null if the worker was ended to be started again. */
  async #runOnce(id: number): Promise<WorkerEnd | null> {
    // Port 0: a restarted worker joins the port of the others, if there are any.
    if (this.#current.size === 0) this.#share = { ...this.#share, port: this.#port }
    const task: WorkerTask = {
      kind: 'start',
      config: this.#share,
      root: this.#context.root.href,
      id,
      of: this.#given.count,
      awaits: this.#given.background.awaits,
      fingerprint: this.#fingerprint,
      file: this.#file,
    }
    const astray = new AbortController()
    this.#current.set(id, astray)
    const end = await this.#run(task, astray)
    this.#current.delete(id)
    this.#answering.delete(id)
    return astray.signal.aborted ? null : end
  }

  /** Resolves when the worker has ended. */
  #run(task: WorkerTask, astray: AbortController): Promise<WorkerEnd> {
    const signal = AbortSignal.any([this.#stop.signal, astray.signal])
    // Later options, those of the operator, win.
    const worker = cluster.fork({ NODE_OPTIONS: `${youngGeneration} ${process.env['NODE_OPTIONS'] ?? ''}` })
    const send = (message: ToWorker): void => {
      // Messages to a worker that has ended are lost, along with the requests that they concern.
      if (worker.isConnected()) worker.send(message, () => undefined)
    }
    const stop = (): void => send({ kind: 'stop' })
    const asker = this.#answer(send)
    let refused: string | null = null
    worker.on('message', (message: FromWorker) => {
      switch (message?.kind) {
        case 'listening':
          return this.#onListening(task.id, message.address, astray)
        case 'rebuilt':
          // A worker that is being replaced reports nothing new.
          return signal.aborted ? undefined : void this.#onRebuilt()
        case 'refused':
          refused = message.message
          return stop()
        case 'usage':
          return this.#given.usage.add(message.usage)
        case 'limits':
          // A worker without an answer counts for itself.
          return void asker.ask(message).catch(() => undefined)
      }
    })
    send(task)
    signal.addEventListener('abort', stop)
    const ended = Promise.withResolvers<WorkerEnd>()
    const end = (how: string): void => {
      signal.removeEventListener('abort', stop)
      asker.end()
      ended.resolve(refused === null ? { kind: 'died', message: how } : { kind: 'refused', message: refused })
    }
    worker.on('exit', (status, killer) => {
      void drainChannel(worker).then(() => end(killer === null ? `with status ${status}` : `by ${killer}`))
    })
    worker.on('error', ({ message }) => end(`because of an error: ${message}`))
    return ended.promise
  }

  #onListening(id: number, address: string, astray: AbortController): void {
    const actual = Number(new URL(address).port)
    // The other workers released their port during the start, so this one got another free port: it restarts.
    if (this.#everListened.size > 0 && actual !== this.#port) {
      this.#share = { ...this.#share, port: this.#port }
      return astray.abort()
    }
    this.#port = actual
    this.#everListened.add(id)
    this.#answering.add(id)
    this.#settled.get(id)?.()
    if (this.#everListened.size === this.#given.count) this.#listening.resolve(address)
  }

  async #onRebuilt(): Promise<void> {
    if (this.#given.background.awaits || this.#isJudging || this.#stop.signal.aborted) return
    this.#isJudging = true
    try {
      const verdict = await judgeRebuild(this.#context, this.#fingerprint)
      if (verdict instanceof CommandError) this.#refusal.abort(verdict)
      else if (verdict !== null) {
        this.#fingerprint = verdict.lexicons.fingerprint
        notify(this.#context.config, reloading)
        await this.#reload()
      }
    } finally {
      this.#isJudging = false
    }
  }

  /** Restarts workers one by one, so that the port stays open. */
  async #reload(): Promise<void> {
    for (const id of [...this.#everListened].toSorted((a, b) => a - b)) {
      const again = Promise.withResolvers<void>()
      this.#settled.set(id, again.resolve)
      this.#current.get(id)?.abort()
      await Promise.race([again.promise, this.#stopped.promise])
    }
    this.#given.background.restart()
  }

  #refuse(message: string): void {
    this.#refusal.abort(new CommandError(message))
  }
}

interface WorkerEnd {
  readonly kind: 'refused' | 'died'
  readonly message: string
}

/**
 * Resolves when the last messages of a worker that has exited are read. Node never emits `disconnect` for a worker that
 * died before it acknowledged a connection, and without that event the cluster keeps its listening socket open.
 */
async function drainChannel(worker: Worker): Promise<void> {
  let wasEmitted = !worker.isConnected()
  worker.once('disconnect', () => (wasEmitted = true))
  while (worker.isConnected()) await setImmediate()
  if (!wasEmitted) worker.process.emit('disconnect')
}
