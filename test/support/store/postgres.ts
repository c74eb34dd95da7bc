/**
 * Fresh databases for tests, on the server of `test/postgres/shared-cluster.ts`. A process that is not given one starts
 * it when a database is first asked for, and it ends with the process.
 * TEST_DATABASES=sqlite leaves PostgreSQL out, while you work on something else.
 */
import { after } from 'node:test'
import pg from 'pg'
import type { Table } from '../../../src/database/layout/tables.ts'
import { clusterFunctions } from '../clusters/functions.ts'
import { citusUrl, createOnNodes, dropOnNodes } from '../clusters/citus.ts'
import { isRunning } from '../../postgres/binaries.ts'
import { dropDatabase, untilUnused } from './drop-database.ts'
import {
  clusterOfRun,
  ordinaryRole,
  sharedUrl,
  startSharedCluster,
  versionIn,
} from '../../postgres/shared-cluster.ts'

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
  /** As its owner, who is no superuser on a server that was started for the tests. */
  readonly url: string
  /** As the user that made it. */
  readonly adminUrl: string
}

const nameOfDatabase = /^lexigraph_test_(\d+)_\d+$/

let server: Promise<Server> | undefined
let made = 0
after(async () => (await server)?.cleanUp())

/** Dropped when disposed of. Empty, or a copy of another, which nobody may be using. */
export async function freshDatabase(original?: Pick<FreshDatabase, 'url'>): Promise<FreshDatabase> {
  const { run, urlsOf, left, owner } = await sharedServer()
  const template = original === undefined ? 'template0' : new URL(original.url).pathname.slice(1)
  made += 1
  const name = `lexigraph_test_${process.pid}_${made}`
  if (citusUrl !== undefined) {
    await createOnNodes(citusUrl, name)
    return {
      ...urlsOf(name),
      [Symbol.asyncDispose]: () => dropOnNodes(citusUrl as string, name),
    }
  }
  // A copy of files is made in half the time of a copy by way of the log.
  await untilUnused(() =>
    run(`create database ${name} owner ${owner} template ${template} strategy file_copy`),
  )
  left.add(name)
  if (isSpread && original === undefined) await runOn(urlsOf(name).url, clusterFunctions())
  return {
    ...urlsOf(name),
    async [Symbol.asyncDispose]() {
      await dropDatabase(name, run)
      left.delete(name)
    },
  }
}

/** Whether databases are laid out as on a cluster: TEST_STAGED=cluster, or on a real one. */
export const isSpread = citusUrl !== undefined || process.env['TEST_STAGED'] === 'cluster'

/** Every second collection is small on a cluster: of odd places, or as TEST_SMALL says (even, odd or none). */
export function smallOf(tables: readonly Table[]): ReadonlySet<string> {
  const places = ['even', 'odd'].indexOf(process.env['TEST_SMALL'] || 'odd')
  return new Set(tables.flatMap(({ collection }, place) => (place % 2 === places ? [collection.nsid] : [])))
}

/** Whether what was asked is refused by name, because several nodes cannot answer it. */
export function isRefusedOnClusters(errors: readonly { readonly message: string }[] | undefined): boolean {
  return errors?.[0]?.message.startsWith('This index is spread over several servers') === true
}

async function runOn(url: string, statements: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(statements)
  await client.end()
}

/** The URL of an empty database, which is there until the end of the run. */
export async function postgresUrl(): Promise<string> {
  return (await freshDatabase()).url
}

interface Server {
  /** Of databases that are made. */
  readonly owner: string
  readonly run: (statement: string) => Promise<void>
  readonly urlsOf: (database: string) => Pick<FreshDatabase, 'url' | 'adminUrl'>
  /** Databases that nobody has dropped. */
  readonly left: Set<string>
  readonly cleanUp: () => Promise<void>
}

function sharedServer(): Promise<Server> {
  server ??= startServer()
  return server
}

async function startServer(): Promise<Server> {
  const given = citusUrl ?? sharedUrl()
  const url = given ?? (await startSharedCluster(versionIn(process.env))).url
  // It is there until the process ends, and is no reason for it to go on.
  const pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  const run: Server['run'] = async (statement) => void (await pool.query(statement))
  const left = new Set<string>()
  const isOfRun = given !== undefined && given === clusterOfRun()
  if (isOfRun) for (const name of await databasesOfEndedProcesses(pool)) await dropDatabase(name, run)
  const isOurs = given === undefined || isOfRun
  const { rows } = await pool.query('show server_version')
  const version = String(rows[0]?.server_version)
  if (isOurs && Number.parseInt(version) !== versionIn(process.env))
    throw new Error(`These tests are of PostgreSQL ${versionIn(process.env)}; the server has ${version}.`)
  return {
    owner: isOurs ? ordinaryRole : 'default',
    run,
    urlsOf: (database) => {
      const admin = Object.assign(new URL(url), { pathname: database })
      const adminUrl = admin.href
      return { url: isOurs ? Object.assign(admin, { username: ordinaryRole }).href : adminUrl, adminUrl }
    },
    left,
    async cleanUp() {
      // The next process does it on the run's server, when no test has a connection open any more.
      if (given !== undefined && !isOfRun) for (const name of left) await dropDatabase(name, run)
    },
  }
}

/** Databases that processes of the run have left, whether they ended or were killed. */
async function databasesOfEndedProcesses(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query('select datname from pg_database')
  const names: readonly string[] = rows.map(({ datname }) => datname)
  return names.filter((name) => {
    const owner = Number(nameOfDatabase.exec(name)?.[1])
    return owner === process.pid || (owner > 0 && !isRunning(owner))
  })
}
