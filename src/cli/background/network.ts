/** What commands that use the network share: identities, publishers, and a log. */
import { UsageError } from '../../errors.ts'
import { createIngestLog, type IngestLog } from '../../ingest/log.ts'
import type { IdentityOptions } from '../../ingest/sources/repos/identity.ts'
import { notify } from '../command.ts'
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

/** DIDs of the accepted accounts; null for all. `stopped`: the signal came during identity resolution. */
export async function publishersOf(
  config: Config,
  log: IngestLog,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | null | 'stopped'> {
  const names = publisherNames(config)
  if (names === null) return null
  // Loaded here, so that network modules are not loaded to accept all accounts or to check settings.
  const { createIdentity } = await import('../../ingest/sources/repos/identity.ts')
  const { resolvePublishers } = await import('../../ingest/sources/publishers.ts')
  try {
    return await resolvePublishers(names, createIdentity(identityOptions(config)), log, signal)
  } catch (error) {
    if (signal.aborted) return 'stopped'
    throw error
  }
}

export function parseList(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** Writes lines to standard error, according to the log level. */
export function createLog(config: Config): IngestLog {
  return createIngestLog((level, text) => notify(config, text, level), Date.now)
}
