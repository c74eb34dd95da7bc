/** `serve`: serves the database over HTTP until a signal; with `--ingest` it also follows sources. */
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import type { ReadDatabase } from '../../../database/database.ts'
import { ask, type Steps } from '../../../database/metadata/steps.ts'
import { isInMemory } from '../../../database/open.ts'
import { unservedTargets } from '../../../schema/model/build-references.ts'
import { CommandError, type CommandContext, notify } from '../../command.ts'
import { assertIngest, startBackgroundTasks } from '../../background/background-tasks.ts'
import {
  awaitStore,
  type ProjectContext,
  isStoreOutdated,
  lexiconDir,
  loadProject,
  openReadyStore,
  openStore,
  openExistingStore,
} from '../../store/project.ts'
import { openCounts, storeUsage } from '../../service/callers.ts'
import { type Preparation, startPreparation } from '../../background/preparation.ts'
import { judgeRebuild, reloading, watchIndex } from '../../serve/rebuild-watch.ts'
import type { Config } from '../../settings/settings.ts'
import { watchFile } from '../../store/file-watch.ts'
import { stopping, stopSignal } from '../../signals.ts'
import { withoutPassword } from '../../../database/postgres/url.ts'
import { identifier } from '../../../sql/sql.ts'
import { blockedPortProblem } from '../../serve/blocked-ports.ts'

/** Maximum milliseconds that stopping takes during a rebuild of the index. */
const longestStop = 1_500

export async function serve(context: CommandContext): Promise<void> {
  const { config } = context
  await assertIngest(config)
  // Other processes cannot read a database in memory.
  const workers = isInMemory(config.database) ? 1 : (config.workers ?? availableParallelism())
  if (workers > 1) return serveByWorkers(context, workers)
  let port: number | null = config.port
  while (port !== null) port = await serveOnce({ ...context, config: { ...config, port } })
}

/** Returns the port at which to continue with other lexicons; null after a signal to stop. */
async function serveOnce(context: CommandContext): Promise<number | null> {
  const { config, root } = context
  const { listen } = await import('../../serve/listen.ts')
  const { createService } = await import('../../service/service.ts')
  await using resources = new AsyncDisposableStack()
  const prepared = resources.use(await prepareStore(context, 1))
  const { project, preparation } = prepared
  const end = new AbortController()
  using _file = watchFile(config, (error) => end.abort(error))
  await using background = startBackgroundTasks(context, preparation, project)
  const read = prepared.read ?? resources.use(await awaitStore(config, project))
  const service = createService(config, root, project, read)
  const onRebuilt = async (): Promise<void> => {
    if (background.awaits) return
    const verdict = await judgeRebuild(context, project.lexicons.fingerprint)
    if (verdict !== null) end.abort(verdict)
  }
  using _watch = watchIndex(read, onRebuilt)
  let { port } = config
  const onListening = async (address: string): Promise<void> => {
    port = Number(new URL(address).port)
    void announce(config, prepared, address, 1)
  }
  await listen(service, config, onListening, AbortSignal.any([background.refused, end.signal]))
  background.refused.throwIfAborted()
  if (!end.signal.aborted) return null
  if (end.signal.reason instanceof CommandError) throw end.signal.reason
  notify(config, reloading)
  return port
}

async function serveByWorkers(context: CommandContext, count: number): Promise<void> {
  const { config } = context
  // The primary process answers nothing itself, so it does not load the modules for answering.
  const { Workers } = await import('../../serve/workers.ts')
  const stop = stopSignal()
  const prepared = await prepareStore(context, count)
  const { project, preparation } = prepared
  // Only the workers read the store.
  await prepared[Symbol.asyncDispose]()
  const replaced = new AbortController()
  using _file = watchFile(config, (error) => replaced.abort(error))
  await using background = startBackgroundTasks(context, preparation, project)
  await using measured = config['metrics-port'] === null ? null : await awaitStore(config, project)
  await using _metrics =
    measured && (await (await import('../../serve/metrics.ts')).serveMetrics(config, measured, true))
  await using counts = await openCounts(config)
  await using usage = storeUsage(config)
  await using workers = new Workers(context, {
    count,
    counts,
    fingerprint: project.lexicons.fingerprint,
    usage: usage.meter,
    background,
  })
  const end = AbortSignal.any([stop, replaced.signal, workers.refused, background.refused])
  const ended = end.aborted ? Promise.resolve() : once(end, 'abort').then(() => undefined)
  const address = await Promise.race([workers.listening, ended])
  if (address !== undefined) void announce(config, prepared, address, count)
  await ended
  // During a rebuild no answers are in flight, so workers, some of which may be starting, are not awaited for long.
  if (stop.aborted && background.awaits) setTimeout(() => process.exit(0), longestStop).unref()
  // First, because its computation would delay the rest of the shutdown.
  await preparation?.[Symbol.asyncDispose]()
  if (stop.aborted) notify(config, stopping)
  else throw end.reason
}

/**
 * Creates the store if necessary. A slow update (`preparation`) runs in another process; until it ends, queries fail as
 * not ready, and there is no open store (`read`) and nothing to say of it (`served`).
 */
async function prepareStore(context: CommandContext, workers: number) {
  const { config, root } = context
  await using resources = new AsyncDisposableStack()
  const project = await loadProject(lexiconDir(config, root))
  let read = resources.use(await openReadyStore(config, project))
  let preparation: Preparation | null = null
  if (read === null && (await isStoreOutdated(config, project)))
    preparation = await startPreparation(context, project)
  else read ??= resources.use(await openStore(config, project, { tellsNew: true })).read
  const served = read === null ? [] : await describeServed(config, project, read, workers)
  const opened = resources.move()
  return { project, read, preparation, served, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** Prints the address, and what is served once that can be read. Failures of the preparation are reported elsewhere. */
async function announce(
  config: Config,
  { project, preparation, served: known }: Awaited<ReturnType<typeof prepareStore>>,
  address: string,
  workers: number,
): Promise<void> {
  const url = `${address}/api/graphql`
  let served = known
  try {
    if (preparation !== null) {
      const state = await Promise.race([
        preparation.ready.then(() => 'ready'),
        preparation.permitted.then(() => 'permitted'),
      ])
      if (state === 'permitted')
        notify(config, `Lexigraph listens at ${url} and answers when the index is ready.`)
      await preparation.ready
      await using read = await openExistingStore(config, project)
      served = await describeServed(config, project, read, workers)
    }
  } catch {
    return
  }
  for (const line of served) notify(config, line)
  // A proxy may listen at another port, so this is no failure.
  const problem = blockedPortProblem(Number(new URL(address).port))
  if (problem !== null)
    notify(config, `${problem} Choose another with --port, unless a proxy takes the requests.`)
  notify(config, `Lexigraph answers at ${url}${config.mcp ? `, agents at ${address}/mcp` : ''}.`)
}

/** One line each for the database, the lexicons, the collections, the serving processes and targets without lexicon. */
async function describeServed(
  config: Config,
  { dir, lexicons, tables }: ProjectContext,
  read: Pick<ReadDatabase, 'readSteps' | 'dialect'>,
  workers: number,
): Promise<readonly string[]> {
  return [
    `Database: ${withoutPassword(config.database)}${read.dialect.isSpread ? ', spread over the nodes of a cluster' : ''}`,
    `Lexicons: ${dir}`,
    `Collections and their records: ${await read.readSteps(() => readTotals(tables))}`,
    `Workers: ${workers}`,
    ...unservedTargets(lexicons),
  ]
}

/**
 * From the materialized counts: counting takes time in proportion to the records. Without a snapshot of all nodes, so that
 * a service starts while one of a cluster is away.
 */
function* readTotals(tables: ProjectContext['tables']): Steps<string> {
  const collections: string[] = []
  for (const { collection, counts } of tables)
    for (const { name } of counts.filter(({ kind }) => kind === 'total')) {
      const text = `select cast(coalesce(sum(n), 0) as bigint) as n from ${identifier(name).sql}`
      const [row] = yield* ask<{ readonly n: bigint }>(text)
      collections.push(`${collection.nsid} (${Number(row?.n).toLocaleString('en')})`)
    }
  return collections.join(', ')
}
