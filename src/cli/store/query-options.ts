/** Derives the options for reading a database from the settings. */
import { UsageError } from '../../errors.ts'
import { availableParallelism } from 'node:os'
import { isPostgres } from '../../database/open.ts'
import type { QueryOptions } from '../../database/postgres/read/servers.ts'
import { hostsOf } from '../../database/postgres/url.ts'
import { notify } from '../command.ts'
import type { Config } from '../settings/settings.ts'

/** For either engine; refuses settings of the other one. */
export function queryOptionsOf(config: Config): { readonly reading: QueryOptions; readonly readers: number } {
  return {
    reading: {
      readDatabases: replicasOf(config),
      maxReplicaLag: config['max-replica-lag'],
      poolSize: config['database-connections'],
      onNotice: (sentence) => notify(config, sentence),
    },
    readers: readersOf(config),
  }
}

/** Maximum query workers; each takes up to 40 MB. */
const mostReaders = 4

/**
 * Number of query workers for a file: each serving process gets its share of the cores. So no more statements run at a
 * time than there are cores, and each serving process has at least the CPU share of one statement.
 */
function readersOf({ workers }: Config): number {
  const cores = availableParallelism()
  return Math.min(mostReaders, Math.max(1, Math.floor(cores / (workers ?? cores))))
}

/** One URL per host. */
function replicasOf({ database, 'read-database': replicas }: Config): readonly string[] {
  if (replicas === null) return []
  if (!isPostgres(database))
    throw new UsageError('--read-database is for PostgreSQL; name its primary with --database.')
  try {
    // A comma before a scheme separates URLs, any other one separates the hosts of a URL.
    return replicas.split(/,\s*(?=[a-z]+:\/\/)/).flatMap(hostsOf)
  } catch (cause) {
    throw new UsageError(`--read-database: ${(cause as Error).message}`, { cause })
  }
}
