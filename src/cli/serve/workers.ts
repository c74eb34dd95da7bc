/**
 * Starts and supervises worker processes that answer at one port; this process answers nothing itself. Workers that die
 * are replaced; repeated early deaths end the service.
 */
import cluster, { type Worker } from 'node:cluster'
import { setImmediate, setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fileIdentity } from '../../database/open.ts'
import { answerLimits, type LimitAnswer } from '../../server/admission/limits/remote-counts.ts'
import type { Counts } from '../../server/admission/limits/counts.ts'
import type { UsageMeter } from '../../server/observe/usage.ts'
import { siblingModule } from '../../util/sibling-module.ts'
import { CommandError, type CommandContext, notify } from '../command.ts'
import { judgeRebuild } from './rebuild-watch.ts'
import type { Config } from '../settings/settings.ts'
import type { FromWorker, ToWorker, WorkerTask } from './serve-worker.ts'

/** Disposal waits until all requests in flight are answered. */
export interface Workers extends AsyncDisposable {
  /** Resolves to the address once all workers listen; stays pending if they cannot. */
  readonly listening: Promise<string>
  /** Aborted when workers cannot answer, or no longer can; a `CommandError` is the reason. */
  readonly refused: AbortSignal
}

export interface WorkersGiven {
  readonly count: number
  /** Shared by all workers. */
  readonly counts: Counts
  readonly usage: UsageMeter
  /** Fingerprint of the lexicons at the start. */
  readonly fingerprint: string
  /** Whether the database is still being updated to these lexicons. */
  readonly awaits: () => boolean
  /** Called after all workers were restarted with the lexicons of a rebuilt index. */
  readonly onReload: () => void
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

export function startWorkers(
  context: CommandContext,
  { count, counts, usage, awaits, onReload, ...given }: WorkersGiven,
): Workers {
  const { config, root } = context
  const program = siblingModule(import.meta.url, 'serve-worker')
  cluster.setupPrimary({ exec: fileURLToPath(program), args: [] })
  const answer = answerLimits(counts)
  const file = fileIdentity(config.database)
  const stop = new AbortController()
  const stopped = Promise.withResolvers<void>()
  stop.signal.addEventListener('abort', () => stopped.resolve())
  const refusal = new AbortController()
  const listening = Promise.withResolvers<string>()
  /** Ids of workers that have listened since the start of the service. */
  const everListened = new Set<number>()
  const alive = new Set<number>()
  const answering = new Set<number>()
  let share = shareOf(config, count)
  let { port } = config
  let deaths = 0
  let { fingerprint } = given

  const current = new Map<number, AbortController>()
  const settled = new Map<number, () => void>()
  let isJudging = false

  /** Restarts workers one by one, so that the port stays open. */
  const reload = async (): Promise<void> => {
    for (const id of [...everListened].toSorted((a, b) => a - b)) {
      const again = Promise.withResolvers<void>()
      settled.set(id, again.resolve)
      current.get(id)?.abort()
      await Promise.race([again.promise, stopped.promise])
    }
    onReload()
  }
  const onRebuilt = async (): Promise<void> => {
    if (awaits() || isJudging || stop.signal.aborted) return
    isJudging = true
    try {
      const verdict = await judgeRebuild(context, fingerprint)
      if (verdict instanceof CommandError) refusal.abort(verdict)
      else if (verdict !== null) {
        fingerprint = verdict.lexicons.fingerprint
        notify(
          config,
          'The index was rebuilt for the lexicons as they are now; the service loads them again.',
        )
        await reload()
      }
    } finally {
      isJudging = false
    }
  }

  const keepUp = async (id: number): Promise<void> => {
    let astray = new AbortController()
    const onListening = (address: string): void => {
      const actual = Number(new URL(address).port)
      // The other workers released their port during the start, so this one got another free port: it restarts.
      if (everListened.size > 0 && actual !== port) {
        share = { ...share, port }
        return astray.abort()
      }
      port = actual
      everListened.add(id)
      answering.add(id)
      settled.get(id)?.()
      if (everListened.size === count) listening.resolve(address)
    }
    while (!stop.signal.aborted) {
      // Port 0: a restarted worker joins the port of the others, if there are any.
      if (alive.size === 0) share = { ...share, port }
      alive.add(id)
      const started = performance.now()
      const task: WorkerTask = {
        kind: 'start',
        config: share,
        root: root.href,
        id,
        of: count,
        awaits: awaits(),
        fingerprint,
        file,
      }
      astray = new AbortController()
      current.set(id, astray)
      const end = await runWorker(
        task,
        { answer, usage, onListening, onRebuilt: () => void onRebuilt() },
        AbortSignal.any([stop.signal, astray.signal]),
      )
      alive.delete(id)
      answering.delete(id)
      if (stop.signal.aborted) return
      if (astray.signal.aborted) continue
      settled.get(id)?.()
      // No worker is left to notice a rebuild of the index.
      if (end.kind === 'refused' && everListened.has(id) && answering.size === 0) void onRebuilt()
      if (end.kind === 'refused' && !everListened.has(id)) return refusal.abort(new CommandError(end.message))
      deaths = performance.now() - started < early ? deaths + 1 : 0
      if (end.kind === 'died' && deaths >= earlyDeaths)
        return refusal.abort(
          new CommandError(
            `${earlyDeaths} workers in a row ended soon after their start, the last ${end.message}.`,
          ),
        )
      process.stderr.write(
        end.kind === 'died'
          ? `A worker ended ${end.message} and is replaced.\n`
          : `A worker cannot start and tries again: ${end.message}\n`,
      )
      await pause(pauseAfter(deaths), undefined, { signal: stop.signal }).catch(() => {})
    }
  }

  const running = Array.from({ length: count }, (_, index) => keepUp(index + 1))
  return {
    listening: listening.promise,
    refused: refusal.signal,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await Promise.all(running)
    },
  }
}

/** Divides settings that apply to all workers together. */
function shareOf(config: Config, count: number): Config {
  return { ...config, 'database-connections': Math.max(2, Math.ceil(config['database-connections'] / count)) }
}

function pauseAfter(deaths: number): number {
  return deaths === 0 ? 0 : Math.min(longestPause, firstPause * 2 ** (deaths - 1))
}

interface WorkerEnd {
  readonly kind: 'refused' | 'died'
  readonly message: string
}

interface WorkerListener {
  readonly answer: ReturnType<typeof answerLimits>
  readonly usage: UsageMeter
  readonly onListening: (address: string) => void
  readonly onRebuilt: () => void
}

/** Resolves when the worker has ended. */
function runWorker(
  task: WorkerTask,
  { answer, usage, onListening, onRebuilt }: WorkerListener,
  signal: AbortSignal,
): Promise<WorkerEnd> {
  // Later options, those of the operator, win.
  const worker = cluster.fork({ NODE_OPTIONS: `${youngGeneration} ${process.env['NODE_OPTIONS'] ?? ''}` })
  const send = (message: ToWorker): void => {
    // Messages to a worker that has ended are lost, along with the requests that they concern.
    if (worker.isConnected()) worker.send(message, () => undefined)
  }
  const stop = (): void => send({ kind: 'stop' })
  const asker = answer((message: LimitAnswer) => send(message))
  let refused: string | null = null
  worker.on('message', (message: FromWorker) => {
    switch (message?.kind) {
      case 'listening':
        return onListening(message.address)
      case 'rebuilt':
        // A worker that is being replaced reports nothing new.
        return signal.aborted ? undefined : onRebuilt()
      case 'refused':
        refused = message.message
        return stop()
      case 'usage':
        return usage.add(message.usage)
      case 'take':
      case 'give-back':
      case 'enter':
      case 'leave':
      case 'fail-key':
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
