/** Derives the options of a database from the settings: servers, readers, and how long records are kept. */
import { UsageError } from '../../errors.ts'
import { availableParallelism } from 'node:os'
import { isPostgres } from '../../database/open.ts'
import type { QueryOptions } from '../../database/postgres/read/servers.ts'
import { hostsOf } from '../../database/postgres/url.ts'
import type { Table } from '../../database/layout/tables.ts'
import type { Retention } from '../../database/metadata/expiry.ts'
import { nearest } from '../../util/text/nearest.ts'
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

/** Microseconds. */
const units: Readonly<Record<string, bigint>> = { h: 3_600_000_000n, d: 86_400_000_000n }
const form = 'Write it as NSID=90d, in days (d) or hours (h); several with commas.'

/** How long records of collections are retained; empty without `--retain`. Throws a `UsageError` for an invalid one. */
export function parseRetention(text: string | null, tables: readonly Table[]): Retention {
  const ages = parseAges(text)
  const known = tables.map(({ collection }) => collection.nsid)
  for (const nsid of ages.keys()) {
    if (known.includes(nsid)) continue
    const guess = nearest(nsid, known)
    const hint = guess === null ? '`lexigraph status` lists those that there are.' : `Did you mean ${guess}?`
    throw new UsageError(`--retain names ${nsid}, which is not a collection of the lexicons. ${hint}`)
  }
  return ages
}

/** Like `parseRetention`, but does not check that the collections exist. */
export function parseAges(text: string | null): Retention {
  const ages = new Map<string, bigint>()
  for (const part of text?.split(',') ?? []) {
    const [, nsid = '', count = '', unit = ''] = /^\s*([^=\s]+)\s*=\s*(\d{1,6})([hd])\s*$/.exec(part) ?? []
    if (nsid === '' || Number(count) === 0)
      throw new UsageError(
        `--retain has ${JSON.stringify(part.trim())}, which is not an age of a collection. ${form}`,
      )
    if (ages.has(nsid)) throw new UsageError(`--retain names ${nsid} twice. Give it one age.`)
    ages.set(nsid, BigInt(count) * (units[unit] ?? 0n))
  }
  return ages
}
