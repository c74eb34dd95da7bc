/** `serve`: the database over HTTP, until a signal; with `--ingest` it follows sources too. */
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { isInMemory } from '../../database/open.ts'
import { type CommandContext, notify } from '../command.ts'
import {
  type Foundation,
  lexiconDir,
  loadFoundation,
  openExistingStore,
  openReadyStore,
  openStore,
} from '../foundation.ts'
import type { IngestBeside } from '../ingest-beside.ts'
import { openCounts } from '../limiter.ts'
import { describeServed } from '../serve-summary.ts'
import type { Config } from '../settings.ts'
import { stopping, stopSignal } from '../signals.ts'
import { keepUsage } from '../usage.ts'
import { keepYoungGeneration } from '../young-generation.ts'

export async function serve(context: CommandContext): Promise<number> {
  const { config } = context
  if (config.ingest !== null || config.retain !== null)
    await (await import('../ingest-beside.ts')).assertIngest(context, config.ingest)
  // What is in the memory of one process cannot be read by another.
  const workers = isInMemory(config.database) ? 1 : (config.workers ?? availableParallelism())
  await (workers === 1 ? serveAlone(context) : serveByWorkers(context, workers))
  return 0
}

async function serveAlone(context: CommandContext): Promise<void> {
  const { config, root } = context
  const { listen } = await import('../listen.ts')
  const { openServed } = await import('../service.ts')
  await using service = await openServed(config, root)
  const served = await describeServed(config, service, service.database.read, 1)
  await using ingest = await startIngest(context)
  await listen(service, config, async (address) => tell(config, served, address), ingest?.refused)
  ingest?.refused.throwIfAborted()
}

async function serveByWorkers(context: CommandContext, count: number): Promise<void> {
  const { config } = context
  // This process answers nothing itself, and loads nothing of what does.
  const { startWorkers } = await import('../workers.ts')
  const stop = stopSignal()
  const { foundation, served } = await prepareStore(context, count)
  await using _metrics = await serveMetricsOfAll(config, foundation)
  await using counts = await openCounts(config)
  await using usage = keepUsage(config)
  await using ingest = await startIngest(context)
  await using workers = startWorkers(context, count, { counts, usage: usage.meter })
  using _young = keepYoungGeneration()
  const end = AbortSignal.any([stop, workers.refused, ...(ingest === null ? [] : [ingest.refused])])
  const ended = end.aborted ? Promise.resolve() : once(end, 'abort').then(() => undefined)
  const address = await Promise.race([workers.listening, ended])
  if (address !== undefined) tell(config, served, address)
  await ended
  if (stop.aborted) notify(config, stopping)
  else throw end.reason
}

/** The store is made, migrated or rebuilt if need be; the workers only read it. */
async function prepareStore({ config, root }: CommandContext, workers: number): Promise<PreparedStore> {
  const ready = await openReadyStore(config, root)
  await using read = ready?.read
  if (ready !== null && read !== undefined) {
    const { foundation } = ready
    return { foundation, served: await describeServed(config, foundation, read, workers) }
  }
  const foundation = await loadFoundation(lexiconDir(config, root))
  await using store = await openStore(config, foundation)
  return { foundation, served: await describeServed(config, foundation, store.read, workers) }
}

interface PreparedStore {
  readonly foundation: Foundation
  /** What it is, a line each. */
  readonly served: readonly string[]
}

async function serveMetricsOfAll(config: Config, foundation: Foundation): Promise<AsyncDisposable | null> {
  if (config['metrics-port'] === null) return null
  const { createMetrics, serveMetrics } = await import('../metrics.ts')
  await using resources = new AsyncDisposableStack()
  const database = resources.use(await openExistingStore(config, foundation))
  resources.use(await serveMetrics(config, { metrics: createMetrics(), database, workers: true }))
  return resources.move()
}

/** Null where no sources are followed and all records are kept, which what follows them is not loaded for. */
async function startIngest(context: CommandContext): Promise<IngestBeside | null> {
  const { ingest: from, retain } = context.config
  return from === null && retain === null
    ? null
    : (await import('../ingest-beside.ts')).ingestBeside(context, from)
}

function tell(config: Config, served: readonly string[], address: string): void {
  for (const line of served) notify(config, line)
  notify(
    config,
    `Lexigraph answers at ${address}/api/graphql${config.mcp ? `, agents at ${address}/mcp` : ''}.`,
  )
}
