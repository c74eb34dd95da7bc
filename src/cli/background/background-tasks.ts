/**
 * Runs the background work of `serve`: first the database is updated to its lexicons, then a thread follows sources,
 * removes expired records and derives stories. Reports failures of the thread and restarts it.
 */
import { UsageError } from '../../errors.ts'
import { addAbortListener, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { fileIdentity, isInMemory } from '../../database/open.ts'
import { siblingModule } from '../../util/sibling-module.ts'
import { CommandError, type CommandContext } from '../command.ts'
import type { IngestRefusal, IngestThreadData } from './ingest-thread.ts'
import { identityOptions, publisherNames } from './network.ts'
import type { Preparation } from './preparation.ts'
import type { Config } from '../settings/settings.ts'
import type { ProjectContext } from '../store/project.ts'
import { parseAges } from '../store/store-options.ts'
import { parseSources } from './sources.ts'

/** Milliseconds until a failed thread is restarted. */
const restartPause = 5_000

/** Checks `--ingest` and `--retain`, as far as possible before anything is opened. */
export async function assertIngest(config: Config): Promise<void> {
  const { ingest, retain, database } = config
  if (ingest === null && retain === null) return
  if (ingest !== null) await parseSources(ingest)
  parseAges(retain)
  identityOptions(config)
  publisherNames(config)
  if (isInMemory(database))
    throw new UsageError(
      `--${ingest === null ? 'retain' : 'ingest'} needs a database in a file; name one with --database.`,
    )
}

/** Disposal waits until received events are stored. */
export function startBackgroundTasks(
  { config, root }: CommandContext,
  preparation: Preparation | null,
  { tables }: Pick<ProjectContext, 'tables'>,
) {
  const stop = new AbortController()
  const refusal = new AbortController()
  let restart = new AbortController()
  let awaits = preparation !== null
  const file = fileIdentity(config.database)
  const work = async (): Promise<void> => {
    await preparation?.ready
    awaits = false
    const hasStories = !isInMemory(config.database) && tables.some(({ stories }) => stories !== null)
    if (config.ingest === null && config.retain === null && !hasStories) return
    while (!stop.signal.aborted) {
      restart = new AbortController()
      const { signal } = restart
      try {
        const end = AbortSignal.any([stop.signal, signal])
        const refused = await runThread({ config, root: root.href, file }, end)
        if (signal.aborted) continue
        if (refused !== null)
          refusal.abort(refused.isUsage ? new UsageError(refused.message) : new CommandError(refused.message))
        return
      } catch (error) {
        if (signal.aborted) continue
        const work = config.ingest === null ? 'The work on stored records' : 'Following the sources'
        process.stderr.write(`${work} failed and starts anew: ${(error as Error).message}\n`)
        await pause(restartPause, undefined, { signal: stop.signal }).catch(() => {})
      }
    }
  }
  const working = work().catch((error: unknown) => refusal.abort(error))
  return {
    /** Whether the database is not ready yet. */
    get awaits() {
      return awaits
    },
    /** Aborted when the database cannot be updated, or the settings cannot be followed. */
    refused: refusal.signal,
    restart: () => restart.abort(),
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await preparation?.[Symbol.asyncDispose]()
      await working
    },
  }
}

/** Resolves when the thread has ended, to the reason if the settings cannot be followed. */
async function runThread(data: IngestThreadData, signal: AbortSignal): Promise<IngestRefusal | null> {
  const worker = new Worker(siblingModule(import.meta.url, 'ingest-thread'), { workerData: data })
  using _listener = addAbortListener(signal, () => worker.postMessage('stop'))
  let refused: IngestRefusal | null = null
  worker.on('message', (message: IngestRefusal) => {
    refused = message
  })
  // Rejects when the thread fails.
  await once(worker, 'exit')
  return refused
}
