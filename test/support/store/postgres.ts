/**
 * Fresh databases for tests, on one PostgreSQL server that a whole run shares. It is started when one is first
 * asked for, and ends with the process. To test against another:
 * TEST_POSTGRES_VERSION=15 is the oldest that is supported, TEST_POSTGRES_URL=postgres://… a server of your own.
 * TEST_DATABASES=sqlite leaves PostgreSQL out, while you work on something else.
 */
import { after } from 'node:test'
import pg from 'pg'
import { type Version, versions } from '../../postgres/binaries.ts'
import { startCluster } from '../../postgres/cluster.ts'

export { type Cluster, startCluster } from '../../postgres/cluster.ts'

const engines = ['sqlite', 'postgres'] as const
export type Engine = (typeof engines)[number]

const only = process.env['TEST_DATABASES']
/** The engines that tests run on. */
export const databases: readonly Engine[] = engines.filter((engine) => !only || only === engine)
if (databases.length === 0)
  throw new Error(
    `TEST_DATABASES=${only} is no engine: write ${engines.join(' or ')}, or leave it out for both.`,
  )

export interface FreshDatabase extends AsyncDisposable {
  readonly url: string
}

let server: Promise<Server> | undefined
let made = 0
after(async () => (await server)?.cleanUp())

/** Dropped when disposed of. Empty, or a copy of another, which nobody may be using. */
export async function freshDatabase(original?: Pick<FreshDatabase, 'url'>): Promise<FreshDatabase> {
  const { run, urlOf, left } = await sharedServer()
  const template = original === undefined ? 'template0' : new URL(original.url).pathname.slice(1)
  made += 1
  const name = `lexigraph_test_${process.pid}_${made}`
  // A copy of files is made in half the time of a copy by way of the log.
  await run(`create database ${name} template ${template} strategy file_copy`)
  left.add(name)
  return {
    url: urlOf(name),
    async [Symbol.asyncDispose]() {
      await run(drop(name))
      left.delete(name)
    },
  }
}

/** The URL of an empty database, which is there until the end of the run. */
export async function postgresUrl(): Promise<string> {
  return (await freshDatabase()).url
}

interface Server {
  readonly run: (statement: string) => Promise<void>
  readonly urlOf: (database: string) => string
  /** Databases that nobody has dropped. */
  readonly left: Set<string>
  readonly cleanUp: () => Promise<void>
}

function sharedServer(): Promise<Server> {
  server ??= startServer()
  return server
}

async function startServer(): Promise<Server> {
  const given = process.env['TEST_POSTGRES_URL']
  const cluster = given ? null : await startCluster({ version: chosenVersion(), settings: forSpeed })
  const url = cluster?.url ?? given ?? ''
  // It is there until the process ends, and is no reason for it to go on.
  const pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  const run: Server['run'] = async (statement) => void (await pool.query(statement))
  const left = new Set<string>()
  return {
    run,
    urlOf: (database) => Object.assign(new URL(url), { pathname: database }).href,
    left,
    async cleanUp() {
      if (cluster === null) for (const name of left) await run(drop(name))
    },
  }
}

function drop(name: string): string {
  return `drop database if exists ${name} with (force)`
}

/** Nothing of it need outlive a test, and its folder may be in memory. */
const forSpeed = { synchronous_commit: 'off', autovacuum: 'off', max_wal_size: '256MB', wal_keep_size: 0 }

function chosenVersion(): Version {
  const said = process.env['TEST_POSTGRES_VERSION']
  const version = versions.find((one) => !said || String(one) === said)
  if (version !== undefined) return version
  throw new Error(`TEST_POSTGRES_VERSION=${said} is not here: write ${versions.join(' or ')}.`)
}
