/** Runs the ingest thread of `serve`; reports its failures and restarts it. */
import { UsageError } from '../../errors.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { isInMemory } from '../../database/open.ts'
import { siblingModule } from '../../util/sibling-module.ts'
import { CommandError, type CommandContext } from '../command.ts'
import type { IngestRefusal, IngestThreadData } from './ingest-thread.ts'
import { identityOptions, publisherNames } from './network.ts'
import { parseAges } from '../store/retention.ts'
import { parseSources } from './sources.ts'

/** Milliseconds until a failed thread is restarted. */
const restartPause = 5_000

/** Disposal waits until received events are stored. */
export interface BackgroundIngest extends AsyncDisposable {
  /** Restarts the thread with the current lexicons. */
  readonly restart: () => void
  /** Aborted when the settings cannot be followed; a `CommandError` or a `UsageError` is the reason. */
  readonly refused: AbortSignal
}

/** Checks `--ingest` and `--retain`, as far as possible before anything is opened. */
export async function assertIngest({ config }: CommandContext, from: string | null): Promise<void> {
  if (from !== null) await parseSources(from)
  parseAges(config.retain)
  identityOptions(config)
  publisherNames(config)
  if (isInMemory(config.database))
    throw new UsageError(
      `--${from === null ? 'retain' : 'ingest'} needs a database in a file; name one with --database.`,
    )
}

export function ingestInBackground({ config, root }: CommandContext, from: string | null): BackgroundIngest {
  const stop = new AbortController()
  const refusal = new AbortController()
  let again = new AbortController()
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      again = new AbortController()
      const { signal } = again
      const end = await runThread({ config, root: root.href, from }, AbortSignal.any([stop.signal, signal]))
      if (signal.aborted) continue
      if (end.kind === 'refused')
        refusal.abort(end.isUsage ? new UsageError(end.message) : new CommandError(end.message))
      if (end.kind !== 'failed') return
      process.stderr.write(
        `${from === null ? 'Removing old records' : 'Following the sources'} failed and starts anew: ${end.message}\n`,
      )
      await pause(restartPause, undefined, { signal: stop.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    refused: refusal.signal,
    restart: () => again.abort(),
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await running
    },
  }
}

type ThreadEnd =
  | { readonly kind: 'ended' }
  /** The settings cannot be followed. */
  | ({ readonly kind: 'refused' } & IngestRefusal)
  | { readonly kind: 'failed'; readonly message: string }

function runThread(data: IngestThreadData, signal: AbortSignal): Promise<ThreadEnd> {
  const worker = new Worker(siblingModule(import.meta.url, 'ingest-thread'), { workerData: data })
  const stop = (): void => worker.postMessage('stop')
  signal.addEventListener('abort', stop)
  let end: ThreadEnd = { kind: 'ended' }
  worker.on('message', (refused: IngestRefusal) => {
    end = { kind: 'refused', ...refused }
  })
  worker.on('error', ({ message }: Error) => {
    end = { kind: 'failed', message }
  })
  // `exit` follows an error too.
  return new Promise((resolve) => {
    worker.on('exit', () => {
      signal.removeEventListener('abort', stop)
      resolve(end)
    })
  })
}
