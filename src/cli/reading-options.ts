/** From settings to how PostgreSQL is read. */
import { isPostgres } from '../database/open.ts'
import type { ReadingOptions } from '../database/postgres/servers.ts'
import { hostsOf } from '../database/postgres/url.ts'
import { CommandError, notify } from './command.ts'
import type { Config } from './settings.ts'

export function readingOptions(config: Config): ReadingOptions {
  return {
    readDatabases: replicasOf(config),
    maxReplicaLag: config['max-replica-lag'],
    poolSize: config['database-connections'],
    onNotice: (sentence) => notify(config, sentence),
  }
}

/** A URL for each host. */
function replicasOf({ database, 'read-database': replicas }: Config): readonly string[] {
  if (replicas === null) return []
  if (!isPostgres(database))
    throw new CommandError('--read-database is for PostgreSQL; name its primary with --database.')
  try {
    // A comma before a scheme is between URLs, any other between hosts of one.
    return replicas.split(/,\s*(?=[a-z]+:\/\/)/).flatMap(hostsOf)
  } catch (cause) {
    throw new CommandError(`--read-database: ${(cause as Error).message}`, { cause })
  }
}
