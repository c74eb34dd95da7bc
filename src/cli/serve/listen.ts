/** Runs a server until it is stopped; requests in flight are answered first. */
import { asSentence } from '../../util/text/messages.ts'
import { once } from 'node:events'
import type { IndexStatus, ReadDatabase } from '../../database/database.ts'
import { isPostgres } from '../../database/open.ts'
import type { AgentHttp } from '../../mcp/protocol/http.ts'
import { createApp } from '../../server/http/app.ts'
import { ServiceError } from '../../errors.ts'
import { createAuthentication } from '../../server/admission/authentication.ts'
import type { ConnectionLimits } from '../../server/http/connections.ts'
import { isLoopback } from '../../server/admission/limits/address.ts'
import type { Counts } from '../../server/admission/limits/counts.ts'
import { createLimiter } from '../../server/admission/limits/limiter.ts'
import type { Metrics } from '../../server/observe/metrics.ts'
import { listenAt } from '../../server/http/listening.ts'
import { createObserver } from '../../server/observe/observe.ts'
import { meterPoints, type UsageMeter } from '../../server/observe/usage.ts'
import { CommandError, notify, refuseAgents } from '../command.ts'
import { exampleQuery } from '../service/example-query.ts'
import { now } from '../../util/instant.ts'
import { openCounts, storeUsage } from '../service/callers.ts'
import { createLogs, type Logs } from '../log-stream.ts'
import { agentParts, openExplorer } from './explorer.ts'
import { trustedProxiesOf } from '../settings/inputs.ts'
import { stopping, stopSignal } from '../signals.ts'
import type { Config } from '../settings/settings.ts'
import type { ReadService } from '../service/service.ts'
import { loadTiers } from '../service/tiers.ts'
import { findKey } from '../../database/metadata/keys.ts'

/** Runs in this process alone. Resolves after a signal or `end` stopped the server. `onListening` gets its address. */
export async function listen(
  served: ReadService,
  config: Config,
  onListening: (address: string) => Promise<void>,
  end?: AbortSignal,
): Promise<void> {
  await using metering =
    config['metrics-port'] === null
      ? null
      : await (await import('./metrics.ts')).serveMetrics(config, served.database.read, false)
  const metrics = metering?.metrics ?? null
  await using counts = await openCounts(config)
  await using usage = storeUsage(config)
  const server = await startServer(served, config, { counts, usage: usage.meter, metrics, worker: null })
  const stop = AbortSignal.any([stopSignal(), ...(end === undefined ? [] : [end])])
  await onListening(server.address)
  if (!stop.aborted) await once(stop, 'abort')
  notify(config, stopping)
  await server.close()
}

interface ProcessParts {
  readonly counts: Counts
  readonly usage: UsageMeter
  /** Null where metrics are disabled. */
  readonly metrics: Metrics | null
  /** This process among those at the same port; null for the only one. */
  readonly worker: { readonly id: number; readonly of: number } | null
}

/** Seconds that keys in PostgreSQL are cached, to save round trips; a revoked key still works that long at most. */
const keySeconds = 5

/** `address`: such as `http://127.0.0.1:4000`. `close` awaits requests in flight. Throws a `CommandError`. */
export async function startServer(
  served: ReadService,
  config: Config,
  { counts, usage, metrics, worker }: ProcessParts,
) {
  const { engine, model, schema, database } = served
  const { read } = database
  const tiers = await loadTiers(config)
  const logs = createLogs(config, worker?.id ?? null)
  const limiter = meterPoints(createLimiter(counts), usage)
  const observer = createObserver({
    log: logs.requests,
    requests: config['request-log'],
    slow: config['slow-query'],
    variables: config['log-variables'],
    explain: (statement) => read.explain(statement),
    usage,
    metrics: metrics?.observer ?? null,
  })
  const readStatus = createReadiness(read)
  const app = createApp({
    engine,
    schema,
    readStatus,
    log: logs.framework,
    playground: {
      exampleQuery: async () => exampleQuery(model, await readStatus().catch(() => null)),
      lexicons: model.fingerprint,
    },
    authenticate: createAuthentication({
      findKey: (hash) => read.readSteps(() => findKey(hash)),
      tiers,
      limiter,
      now,
      cacheSeconds: isPostgres(config.database) ? keySeconds : 0,
      onNotice: (sentence) => notify(config, sentence),
    }),
    limiter,
    observer,
    trustedProxies: await trustedProxiesOf(config),
    connections: connectionsOf(config, worker?.of ?? 1),
    longestRequest: Math.max(...tiers.values().map(({ seconds }) => seconds)),
    cacheSeconds: config['cache-seconds'],
    agent: config.mcp ? await agentOf(served, config, logs) : null,
    explorer:
      config.explorer === 'off'
        ? null
        : await openExplorer(served, config, readStatus, (error) =>
            logs.framework[error instanceof ServiceError ? 'warn' : 'error'](
              { err: error },
              'A chart was not drawn.',
            ),
          ),
  })
  app.addHook('onClose', () => observer[Symbol.asyncDispose]())
  const { host, port } = config
  const address = await listenAt(app, { host, port }).catch(async (cause: NodeJS.ErrnoException) => {
    // A server that never listened emits no close event.
    await observer[Symbol.asyncDispose]()
    throw new CommandError(listenFailure(cause, host, port), { cause })
  })
  const warming = isPostgres(config.database) ? undefined : setTimeout(warmUp, warmUpPause, read)
  return {
    address,
    close: () => {
      clearTimeout(warming)
      return app.close()
    },
  }
}

/** Milliseconds: counting keeps a core busy, so frequent requests must not repeat it. */
const statusLifetime = 1_000

/** Checks that the database answers, once for all concurrent callers, and reads a status that may be a second old. */
export function createReadiness(
  database: Pick<ReadDatabase, 'readPlanState' | 'readStatus'>,
): () => Promise<IndexStatus> {
  let status: Promise<IndexStatus> | null = null
  let state: Promise<unknown> | null = null
  const forget = (): void => {
    status = null
  }
  return async () => {
    // Also fails after a rebuild for other lexicons: the database answers then, but this process cannot use it.
    state ??= database.readPlanState().finally(() => {
      state = null
    })
    await state
    if (status === null) {
      status = database.readStatus()
      status.then(() => setTimeout(forget, statusLifetime).unref(), forget)
    }
    return status
  }
}

/** Milliseconds after listening, so that requests that waited for the start come first. */
const warmUpPause = 1_000

/** Behind proxies, callers use the service's public host name, which is not known here. */
async function agentOf(served: ReadService, config: Config, logs: Logs): Promise<AgentHttp> {
  const { createAgentHttp } = await import('../../mcp/protocol/http.ts').catch(refuseAgents)
  return createAgentHttp({
    ...(await agentParts(served, served.root, config, logs.framework)),
    schema: served.schema,
    website: config['explorer-address'],
    isLocal: isLoopback(config.host) && config['trusted-proxies'] === null,
  })
}

/** Starts a query worker in advance, so that the first long query need not wait for it. */
function warmUp(read: ReadDatabase): void {
  const statement = { text: `select 0 as version, x'' as body`, values: [] }
  const { signal } = new AbortController()
  const request = { signal, caller: 'warming up', cost: 0, deadline: Number.POSITIVE_INFINITY }
  read.readAnswer(statement, { kind: 'long', ...request }).catch(() => undefined)
}

/** Processes at one port get equal shares of the connections. Behind proxies, all callers share few addresses. */
function connectionsOf(config: Config, processes: number): ConnectionLimits {
  const all = Math.ceil(config['max-connections'] / processes)
  return { all, each: config['trusted-proxies'] === null ? Math.ceil(all / 10) : null }
}

/** `option` is the name of the setting with the port. */
export function listenFailure(
  { code, message }: NodeJS.ErrnoException,
  host: string,
  port: number,
  option = '--port',
): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use; choose another with ${option}.`
    case 'EACCES':
      return `Port ${port} needs more rights than this user has; choose one from 1024 with ${option}.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine; ${option === '--port' ? '--host' : option} takes one, such as 127.0.0.1 or 0.0.0.0.`
    default:
      return `The server cannot listen on port ${port} of ${host}: ${asSentence(message)}`
  }
}
