/** From settings to how a database is read. */
import { UsageError } from '../../errors.ts'
import { availableParallelism } from 'node:os'
import { isPostgres } from '../../database/open.ts'
import type { QueryOptions } from '../../database/postgres/read/servers.ts'
import { hostsOf } from '../../database/postgres/url.ts'
import { notify } from '../command.ts'
import type { Config } from '../settings/settings.ts'

/** For whichever engine it is; settings that are for another are refused. */
export function queryOptionsOf(config: Config) {
  return { reading: queryOptions(config), readers: readersOf(config) }
}

/** How PostgreSQL is read. */
export function queryOptions(config: Config): QueryOptions {
  return {
    readDatabases: replicasOf(config),
    maxReplicaLag: config['max-replica-lag'],
    poolSize: config['database-connections'],
    onNotice: (sentence) => notify(config, sentence),
  }
}

/** Each takes up to 40 MB. */
const mostReaders = 4

/**
 * For what may take long on a file: of each process that answers its share of the cores. No more statements run at a
 * time than there are cores, and each process that answers keeps at least as large a part of them as one statement has.
 */
export function readersOf({ workers }: Config): number {
  const cores = availableParallelism()
  return Math.min(mostReaders, Math.max(1, Math.floor(cores / (workers ?? cores))))
}

/** A URL for each host. */
function replicasOf({ database, 'read-database': replicas }: Config): readonly string[] {
  if (replicas === null) return []
  if (!isPostgres(database))
    throw new UsageError('--read-database is for PostgreSQL; name its primary with --database.')
  try {
    // A comma before a scheme is between URLs, any other between hosts of one.
    return replicas.split(/,\s*(?=[a-z]+:\/\/)/).flatMap(hostsOf)
  } catch (cause) {
    throw new UsageError(`--read-database: ${(cause as Error).message}`, { cause })
  }
}
