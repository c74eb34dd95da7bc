/**
 * The PostgreSQL server on which tests have databases of their own: one for all processes of a run.
 * TEST_POSTGRES_VERSION=15 is the oldest version that is supported, TEST_POSTGRES_URL=postgres://… a server that is
 * there already.
 */
import { type Version, versions } from './binaries.ts'
import { type Cluster, startCluster } from './cluster.ts'

const shared = (version: Version): string => `TEST_POSTGRES_SHARED_${version}`

/** The URL of the server of the chosen version that a run has started for its processes. */
export function clusterOfRun(): string | undefined {
  return process.env[shared(versionIn(process.env))]
}

/** The URL of a server that is there already. */
export function sharedUrl(): string | undefined {
  return process.env['TEST_POSTGRES_URL'] || clusterOfRun()
}

/**
 * Starts it for the processes that this one starts from now on, of which those take it that choose its version. It ends
 * with this process, or when disposed of.
 */
export async function shareCluster(version: Version): Promise<AsyncDisposable> {
  if (process.env['TEST_POSTGRES_URL'] || process.env[shared(version)] !== undefined)
    return { [Symbol.asyncDispose]: async () => {} }
  const cluster = await startSharedCluster(version)
  process.env[shared(version)] = cluster.url
  return {
    async [Symbol.asyncDispose]() {
      delete process.env[shared(version)]
      await cluster[Symbol.asyncDispose]()
    },
  }
}

export async function startSharedCluster(version: Version): Promise<Cluster> {
  const cluster = await startCluster({ version, settings })
  await cluster.query(`create role ${ordinaryRole} login`)
  // With it, tests damage tables past their triggers.
  await cluster.query(`grant set on parameter session_replication_role to ${ordinaryRole}`)
  return cluster
}

/** Owns the databases of tests on a server that was started for them: no superuser, as docs/deploying.md sets it up. */
export const ordinaryRole = 'lexigraph_tester'

/** Nothing of it need outlive a test, and its folder may be in memory. A process of tests has up to 200 connections. */
const settings = {
  synchronous_commit: 'off',
  autovacuum: 'off',
  max_wal_size: '256MB',
  wal_keep_size: 0,
  max_connections: 1500,
}

/** The version that these settings choose. */
export function versionIn(env: NodeJS.ProcessEnv): Version {
  const said = env['TEST_POSTGRES_VERSION']
  const version = versions.find((one) => !said || String(one) === said)
  if (version !== undefined) return version
  throw new Error(`TEST_POSTGRES_VERSION=${said} is not here: write ${versions.join(' or ')}.`)
}
