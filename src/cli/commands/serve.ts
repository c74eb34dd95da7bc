/** `serve`: the database over HTTP, until a signal; with `--ingest` it follows sources too. */
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { createMetrics } from '../../server/metrics.ts'
import { type CommandContext, notify } from '../command.ts'
import { type Foundation, lexiconDir, loadFoundation, openExistingStore, openStore } from '../foundation.ts'
import { assertIngest, ingestBeside, isInMemory } from '../ingest-beside.ts'
import { openCounts } from '../limiter.ts'
import { listen, stopping } from '../listen.ts'
import { serveMetrics } from '../metrics.ts'
import { openService } from '../service.ts'
import type { Config } from '../settings.ts'
import { stopSignal } from '../signals.ts'
import { startWorkers } from '../workers.ts'

export async function serve(context: CommandContext): Promise<number> {
  const { config } = context
  await assertIngest(context)
  // What is in the memory of one process cannot be read by another.
  const workers = isInMemory(config.database) ? 1 : (config.workers ?? availableParallelism())
  await (workers === 1 ? serveAlone(context) : serveByWorkers(context, workers))
  return 0
}

async function serveAlone(context: CommandContext): Promise<void> {
  const { config, root } = context
  await using service = await openService(config, root)
  await using ingest = ingestBeside(context)
  await listen(service, config, async (address) => tell(config, address), ingest.refused)
  ingest.refused.throwIfAborted()
}

async function serveByWorkers(context: CommandContext, count: number): Promise<void> {
  const { config } = context
  const stop = stopSignal()
  const foundation = await prepareStore(context)
  await using _metrics = await serveMetricsOfAll(config, foundation)
  await using counts = await openCounts(config)
  await using ingest = ingestBeside(context)
  await using workers = startWorkers(context, count, counts)
  const end = AbortSignal.any([stop, ingest.refused, workers.refused])
  const ended = end.aborted ? Promise.resolve() : once(end, 'abort').then(() => undefined)
  const address = await Promise.race([workers.listening, ended])
  if (address !== undefined) tell(config, address)
  await ended
  if (stop.aborted) notify(config, stopping)
  else throw end.reason
}

/** The store is made, migrated or rebuilt if need be; the workers only read it. */
async function prepareStore({ config, root }: CommandContext): Promise<Foundation> {
  const foundation = await loadFoundation(lexiconDir(config, root))
  await using _store = await openStore(config, foundation)
  return foundation
}

async function serveMetricsOfAll(config: Config, foundation: Foundation): Promise<AsyncDisposable | null> {
  if (config['metrics-port'] === null) return null
  await using resources = new AsyncDisposableStack()
  const database = resources.use(await openExistingStore(config, foundation))
  resources.use(await serveMetrics(config, { metrics: createMetrics(), database, workers: true }))
  return resources.move()
}

function tell(config: Config, address: string): void {
  notify(
    config,
    `Lexigraph answers at ${address}/api/graphql${config.mcp ? `, agents at ${address}/mcp` : ''}.`,
  )
}
