/** `serve`: serves the database over HTTP until a signal; with `--ingest` it also follows sources. */
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { isInMemory } from '../../../database/open.ts'
import { CommandError, type CommandContext, notify } from '../../command.ts'
import { startBackgroundTasks } from '../../background/background-tasks.ts'
import {
  awaitStore,
  type ProjectContext,
  isStoreOutdated,
  lexiconDir,
  loadProject,
  openReadyStore,
  openStore,
} from '../../store/project.ts'
import { openCounts } from '../../service/limiter.ts'
import { type Preparation, startPreparation } from '../../background/preparation.ts'
import { judgeRebuild, watchIndex } from '../../serve/rebuild-watch.ts'
import { announce, describeServed } from '../../serve/serve-summary.ts'
import type { Config } from '../../settings/settings.ts'
import { stopping, stopSignal } from '../../signals.ts'
import { storeUsage } from '../../serve/usage.ts'

/** Maximum milliseconds that stopping takes during a rebuild of the index. */
const longestStop = 1_500

export async function serve(context: CommandContext): Promise<number> {
  const { config } = context
  if (config.ingest !== null || config.retain !== null)
    await (await import('../../background/background-ingest.ts')).assertIngest(context, config.ingest)
  // Other processes cannot read a database in memory.
  const workers = isInMemory(config.database) ? 1 : (config.workers ?? availableParallelism())
  await (workers === 1 ? serveAlone(context) : serveByWorkers(context, workers))
  return 0
}

async function serveAlone(context: CommandContext): Promise<void> {
  let port: number | null = context.config.port
  while (port !== null) port = await serveOnce({ ...context, config: { ...context.config, port } })
}

/** Returns the port at which to continue with other lexicons; null after a signal to stop. */
async function serveOnce(context: CommandContext): Promise<number | null> {
  const { config } = context
  const { listen } = await import('../../serve/listen.ts')
  const { openServed } = await import('../../service/service.ts')
  await using opened = await openServed(context)
  const { service, preparation } = opened
  const served = preparation === null ? await describeServed(config, service, service.database.read, 1) : []
  await using background = await startBackgroundTasks(context, preparation)
  const end = new AbortController()
  const onRebuilt = async (): Promise<void> => {
    if (background.awaits) return
    const verdict = await judgeRebuild(context, service.lexicons.fingerprint)
    if (verdict !== null) end.abort(verdict)
  }
  using _watch = watchIndex(service.database.read, onRebuilt)
  let { port } = config
  const onListening = async (address: string): Promise<void> => {
    port = Number(new URL(address).port)
    void announce(config, { address, project: service, preparation, served, workers: 1 })
  }
  await listen(service, config, onListening, AbortSignal.any([background.refused, end.signal]))
  background.refused.throwIfAborted()
  if (!end.signal.aborted) return null
  if (end.signal.reason instanceof CommandError) throw end.signal.reason
  notify(config, 'The index was rebuilt for the lexicons as they are now: they are loaded anew.')
  return port
}

async function serveByWorkers(context: CommandContext, count: number): Promise<void> {
  const { config } = context
  // The primary process answers nothing itself, so it does not load the modules for answering.
  const { startWorkers } = await import('../../serve/workers.ts')
  const stop = stopSignal()
  const { project, preparation, served } = await prepareStore(context, count)
  await using background = await startBackgroundTasks(context, preparation)
  await using _metrics = await serveMetricsOfAll(config, project)
  await using counts = await openCounts(config)
  await using usage = storeUsage(config)
  await using workers = startWorkers(context, {
    count,
    counts,
    fingerprint: project.lexicons.fingerprint,
    usage: usage.meter,
    awaits: () => background.awaits,
    onReload: () => background.restart(),
  })
  const end = AbortSignal.any([stop, workers.refused, background.refused])
  const ended = end.aborted ? Promise.resolve() : once(end, 'abort').then(() => undefined)
  const address = await Promise.race([workers.listening, ended])
  if (address !== undefined) void announce(config, { address, project, preparation, served, workers: count })
  await ended
  // During a rebuild no answers are in flight, so workers, some of which may be starting, are not awaited for long.
  if (stop.aborted && background.awaits) setTimeout(() => process.exit(0), longestStop).unref()
  // First, because its computation would delay the rest of the shutdown.
  await preparation?.[Symbol.asyncDispose]()
  if (stop.aborted) notify(config, stopping)
  else throw end.reason
}

/** Creates the store if necessary; another process migrates or rebuilds it, and the workers only read it. */
async function prepareStore(context: CommandContext, workers: number): Promise<PreparedStore> {
  const { config, root } = context
  const project = await loadProject(lexiconDir(config, root))
  await using ready = await openReadyStore(config, project)
  if (ready !== null) {
    const served = await describeServed(config, project, ready, workers)
    return { project, preparation: null, served }
  }
  if (await isStoreOutdated(config, project))
    return { project, preparation: await startPreparation(context, project), served: [] }
  await using store = await openStore(config, project)
  const served = await describeServed(config, project, store.read, workers)
  return { project, preparation: null, served }
}

interface PreparedStore {
  readonly project: ProjectContext
  /** Null if the database needs no slow update. */
  readonly preparation: Preparation | null
  /** One line per fact about what is served; empty during the preparation. */
  readonly served: readonly string[]
}

async function serveMetricsOfAll(config: Config, project: ProjectContext): Promise<AsyncDisposable | null> {
  if (config['metrics-port'] === null) return null
  const { createMetrics, serveMetrics } = await import('../../serve/metrics.ts')
  await using resources = new AsyncDisposableStack()
  const database = resources.use(await awaitStore(config, project))
  resources.use(await serveMetrics(config, { metrics: createMetrics(), database, workers: true }))
  return resources.move()
}
