/** Serves metrics at the configured address, for this process or all its workers. Loaded only if they are enabled. */
import { asSentence } from '../../util/text/messages.ts'
import type { ReadDatabase } from '../../database/database.ts'
import { isLoopback } from '../../server/admission/limits/address.ts'
import { listenAt } from '../../server/http/listening.ts'
import { createMetrics, createMetricsApp, type Metrics, sumMetrics } from '../../server/observe/metrics.ts'
import { addIndexMetrics } from '../../server/observe/metrics-index.ts'
import { gatherMetrics, shareMetrics } from '../../server/observe/metrics-workers.ts'
import { CommandError, notify } from '../command.ts'
import type { Config } from '../settings/settings.ts'

/** The metrics of a worker, which it tells the primary process when asked. */
export function createSharedMetrics(): Metrics {
  const metrics = createMetrics()
  shareMetrics(metrics.registry)
  return metrics
}

/** Creates the metrics of this process, and serves them at a `url` such as `http://127.0.0.1:9090/metrics`. */
export async function serveMetrics(
  config: Config,
  database: Pick<ReadDatabase, 'readStatus' | 'readSize'>,
  workers: boolean,
) {
  await using stack = new AsyncDisposableStack()
  const metrics = createMetrics()
  const { registry } = metrics
  addIndexMetrics(registry, database)
  const gathering = workers ? stack.use(gatherMetrics(registry)) : null
  const render = async (): Promise<string> => {
    if (gathering === null) return registry.metrics()
    const below = await gathering.read()
    return sumMetrics([await registry.getMetricsAsJSON(), ...below]).metrics()
  }
  const host = config['metrics-host']
  const app = createMetricsApp({
    isOwnHost: (name) => !isLoopback(host) || isLoopback(name) || name === host,
    metrics: render,
    contentType: registry.contentType,
  })
  stack.defer(() => app.close())
  const wanted = config['metrics-port'] ?? 0
  const address = await listenAt(app, { host, port: wanted }).catch((cause: Error) => {
    const message = `Metrics cannot be served at port ${wanted} of ${host}: ${asSentence(cause.message)} Choose others with --metrics-port and --metrics-host.`
    throw new CommandError(message, { cause })
  })
  const url = `${address}/metrics`
  notify(config, `Metrics are at ${url}.`)
  const open = stack.move()
  return { url, metrics, [Symbol.asyncDispose]: () => open.disposeAsync() }
}
