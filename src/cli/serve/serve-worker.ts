/** A worker process of `serve --workers`: answers until its parent stops it or disconnects. */
import cluster from 'node:cluster'
import { setFlagsFromString } from 'node:v8'
import { sharedPath } from '../../database/open.ts'
import { assertSameFile } from '../../database/sqlite/open-file.ts'
import type { KeyUsage } from '../../database/metadata/metadata-store.ts'
import type { LimitAnswer, LimitQuestion } from '../../server/admission/limits/remote-counts.ts'
import { RemoteCounts } from '../../server/admission/limits/remote-counts.ts'
import { UsageMeter } from '../../server/observe/usage.ts'
import { endOnLostOutput } from '../closed-pipe.ts'
import { startServer } from './listen.ts'
import { watchIndex } from './rebuild-watch.ts'
import { openReader } from '../service/service.ts'
import type { Config } from '../settings/settings.ts'

/** Messages from `serve`. Metrics use the same channel, so unknown messages are ignored. */
export type ToWorker = WorkerTask | { readonly kind: 'stop' } | LimitAnswer

export interface WorkerTask {
  readonly kind: 'start'
  readonly config: Config
  readonly root: string
  /** The worker's number, and the number of workers. */
  readonly id: number
  readonly of: number
  /** Whether the database is still being updated to these lexicons. */
  readonly awaits: boolean
  /** Fingerprint of the lexicons of the service. */
  readonly fingerprint: string
  /** The file that the service began with; null for other engines. */
  readonly file: string | null
}

export type FromWorker =
  | { readonly kind: 'listening'; readonly address: string }
  /** The index has other lexicons now, or is not ready; repeated until the primary reacts. */
  | { readonly kind: 'rebuilt' }
  /** The worker cannot serve, and waits to be stopped. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Usage of keys since the previous message. */
  | { readonly kind: 'usage'; readonly usage: readonly KeyUsage[] }
  | LimitQuestion

const stopped = Promise.withResolvers<void>()
const counts = new RemoteCounts(send)
const usage = new UsageMeter(Date.now)
/** Milliseconds between reports of usage; a killed worker loses what it has not reported. */
const telling = 5_000

// The heap may grow by half before its garbage is collected; V8 would let it grow to several times what is in use.
setFlagsFromString('--heap-growing-percent=50')
endOnLostOutput()
// A terminal or a supervisor signals all processes of a group; only the primary process decides when workers stop. It
// stops them one by one: if all release the port at once, the primary closes it, and never answers a connection that a
// worker returns after that (nodejs/node#21746).
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('message', (message: ToWorker) => {
  switch (message?.kind) {
    case 'start':
      return void run(message)
    case 'stop':
      return stopped.resolve()
    case 'counted':
    case 'pause':
      return counts.hear(message)
  }
})

async function run({ config, root, id, of, awaits, fingerprint, file }: WorkerTask): Promise<void> {
  try {
    const metrics =
      config['metrics-port'] === null ? null : (await import('./metrics.ts')).createSharedMetrics()
    const path = sharedPath(config.database)
    if (path !== null) assertSameFile(path, file)
    await using service = await openReader(config, new URL(root), { awaits, fingerprint })
    const server = await startServer(service, config, { counts, usage, metrics, worker: { id, of } })
    using _watch = watchIndex(service.database.read, () => send({ kind: 'rebuilt' }))
    send({ kind: 'listening', address: server.address })
    const timer = setInterval(tellUsage, telling)
    await stopped.promise
    await server.close()
    clearInterval(timer)
    tellUsage()
  } catch (error) {
    if (config['log-level'] === 'debug') console.error(error)
    send({ kind: 'refused', message: (error as Error).message })
    await stopped.promise
  }
  // kill() first waits until the primary confirms that it sends no more connections, and returns those in transit; if
  // the process exited earlier, they would get no answer.
  cluster.worker?.kill()
}

function tellUsage(): void {
  const used = usage.take()
  if (used.length > 0) send({ kind: 'usage', usage: used })
}

function send(message: FromWorker): void {
  // The primary may have disconnected; this process ends then.
  if (process.connected) process.send?.(message, undefined, {}, () => undefined)
}
