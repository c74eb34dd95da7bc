/** Sources followed in a thread beside the server; a failure of it is told, and it is started anew. */
import { once } from 'node:events'
import { extname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { CommandError, type CommandContext } from './command.ts'
import type { IngestThreadData } from './ingest-thread.ts'
import { parseSources } from './sources.ts'

/** Milliseconds until a thread that failed is started anew. */
const restartPause = 5_000

/** Disposing of it waits until what has come is stored. */
export function ingestBeside({ config, root }: CommandContext): AsyncDisposable {
  const from = config.ingest
  if (from === null) return { [Symbol.asyncDispose]: async () => {} }
  parseSources(from)
  if (/^(sqlite:)?:memory:$/.test(config.database))
    throw new CommandError('--ingest needs a database in a file; name one with --database.')
  const stop = new AbortController()
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const failure = await runThread({ config, root: root.href, from }, stop.signal)
      if (failure === null) return
      process.stderr.write(`Following ${from} failed and starts anew: ${failure.message}\n`)
      await pause(restartPause, undefined, { signal: stop.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await running
    },
  }
}

/** Null when it ended as it should. */
async function runThread(data: IngestThreadData, signal: AbortSignal): Promise<Error | null> {
  // Its name ends as this file's does: sources run as they are, the package has them compiled.
  const url = new URL(`./ingest-thread${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(url, { workerData: data })
  const stop = (): void => worker.postMessage('stop')
  signal.addEventListener('abort', stop)
  let failure: Error | null = null
  worker.on('error', (error: Error) => {
    failure = error
  })
  await once(worker, 'exit')
  signal.removeEventListener('abort', stop)
  return failure
}
