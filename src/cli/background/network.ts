/** What commands that use the network share: identities, publishers, clocks, hosts, and a log. */
import { UsageError } from '../../errors.ts'
import { createIngestLog, type IngestLog } from '../../ingest/log.ts'
import type { IdentityOptions } from '../../ingest/sources/repos/identity.ts'
import { notify } from '../command.ts'
import { now } from '../../util/instant.ts'
import { parseList } from '../../util/text/list.ts'
import type { ProjectContext } from '../store/project.ts'
import type { Config } from '../settings/settings.ts'

export function identityOptions(config: Config): IdentityOptions {
  for (const name of ['plc', 'handle-resolver'] as const) {
    const url = config[name]
    if (url !== null && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
      throw new UsageError(`--${name} must be the URL of a service, not ${JSON.stringify(url)}.`)
  }
  return { plcUrl: config.plc, handleResolver: config['handle-resolver'] }
}

/** The DIDs and handles of `--publishers`; null for all accounts. */
export function publisherNames({ publishers }: Config): readonly string[] | null {
  if (publishers === null) return null
  const names = parseList(publishers)
  if (names.length === 0) throw new UsageError('--publishers names nobody; leave it out to take all.')
  return names
}

/** The network as the settings describe it; null when the signal came during the resolution of publishers. */
export async function openNetwork(
  config: Config,
  { lexicons, tables }: ProjectContext,
  log: IngestLog,
  signal: AbortSignal,
) {
  // Loaded here, because `serve` only checks the settings.
  const { createClock } = await import('../../ingest/sources/clock.ts')
  const { resolvePublishers } = await import('../../ingest/sources/publishers.ts')
  const { createHosts } = await import('../../ingest/sources/repos/hosts.ts')
  const { createIdentity } = await import('../../ingest/sources/repos/identity.ts')
  const identity = createIdentity(identityOptions(config))
  const names = publisherNames(config)
  let publishers: ReadonlySet<string> | null = null
  try {
    if (names !== null) publishers = await resolvePublishers(names, identity, log, signal)
  } catch (error) {
    if (signal.aborted) return null
    throw error
  }
  const maxClockSkew = config['max-clock-skew']
  return {
    reader: { lexicons, tables, publishers, maxClockSkew },
    identity,
    clock: createClock({ maxClockSkew, plcUrl: config.plc }),
    hosts: createHosts(identity.fetch),
    parallel: config.parallel,
    now,
    onNotice: log.warn,
  }
}

/** Writes lines to standard error, according to the log level. */
export function createLog(config: Config): IngestLog {
  return createIngestLog((level, text) => notify(config, text, level), Date.now)
}
