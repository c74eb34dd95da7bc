/** Opens and sets up a connection to a PostgreSQL server: of several hosts in a URL, to the one that takes writes. */
import pg from 'pg'
import type { Attempt } from './failures.ts'
import { codeOf, connectionFailure, connectTimeout, DatabaseUnreachableError } from './failures.ts'
import { isPassing, refusal } from './failures.ts'
import { settings, type Use } from './session-settings.ts'
import { hostsOf } from './url.ts'

/** Milliseconds that a server has to close a connection. */
const farewell = 1000
/** First major version with all features that this code uses. */
const oldestVersion = 15

/**
 * Connects to the first usable host; for writing, to the host that takes writes. A permanent failure, such as a wrong
 * password, is thrown even if another host cannot be reached. `statementTimeout`: milliseconds, for reading; 0: none.
 */
export async function connect(url: string, use: Use, statementTimeout = 0): Promise<pg.Client> {
  const hosts = hostsOf(url)
  const attempt = (host: string): Promise<pg.Client> => connectHost(host, use, statementTimeout)
  if (use !== 'read' && hosts.length > 1) return latestOf(hosts.map(attempt))
  const failures: unknown[] = []
  for (const host of hosts) {
    try {
      return await attempt(host)
    } catch (error) {
      if (!isPassing(error)) throw error
      failures.push(error)
    }
  }
  throw noneOf(failures, 'can be reached')
}

/** Picks the latest timeline: an old primary that returns after a failover still takes writes, but must get none. */
async function latestOf(attempts: readonly Promise<pg.Client>[]): Promise<pg.Client> {
  const settled = await Promise.allSettled(attempts.map(async (attempt) => claimOf(await attempt)))
  const claims = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const [latest, ...others] = claims.toSorted((a, b) => b.timeline - a.timeline)
  await Promise.all(others.map(({ client }) => closeClient(client)))
  if (latest !== undefined) return latest.client
  const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  throw failures.find((error) => !isPassing(error)) ?? noneOf(failures, 'takes writes')
}

/** Timeline of a primary: it grows each time a standby is promoted. */
export const timeline = `('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int`

/** A server that is gone or silent, and so cannot tell its timeline, counts as one that takes no writes. */
async function claimOf(client: pg.Client) {
  try {
    const statement = { text: `select ${timeline} as timeline`, query_timeout: connectTimeout }
    const { rows } = await client.query<{ timeline: bigint }>(statement)
    return { client, timeline: Number(rows[0]?.timeline) }
  } catch (cause) {
    await closeClient(client)
    throw refusal(cause, attemptOf(client))
  }
}

function noneOf(failures: readonly unknown[], wanted: string): unknown {
  if (failures.length === 1) return failures[0]
  const reasons = failures.map((failure) => (failure as Error).message).join(' ')
  return new DatabaseUnreachableError(`None of the ${failures.length} hosts ${wanted}. ${reasons}`, {
    cause: failures[0],
  })
}

/** Throws if the server is too old; `version` has the form of `server_version`, such as `15.4 (Debian 15.4-1)`. */
export function assertServerVersion(version: string): void {
  const [number = version] = version.split(' ')
  if (Number.parseInt(number, 10) < oldestVersion)
    throw new Error(`The server is PostgreSQL ${number}; Lexigraph needs ${oldestVersion} or newer.`)
}

async function connectHost(url: string, use: Use, statementTimeout: number): Promise<pg.Client> {
  const client = createClient(url)
  // A connection may be lost while idle; the next statement then fails by itself.
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (cause) {
    throw connectionFailure(cause, attemptOf(client))
  }
  try {
    await prepareClient(client, use, statementTimeout)
    return client
  } catch (cause) {
    await closeClient(client)
    throw cause
  }
}

/** Ends a connection; a server that stays silent is cut off after `farewell` milliseconds. */
export async function closeClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), farewell)
  await client.end()
  clearTimeout(timer)
}

/** Runs `work` on a new connection; closing it rolls back whatever was not committed. */
export async function withClient<Result>(
  url: string,
  use: Use,
  work: (client: pg.Client) => Promise<Result>,
  statementTimeout = 0,
): Promise<Result> {
  const client = await connect(url, use, statementTimeout)
  try {
    return await work(client)
  } catch (error) {
    throw refusal(error, attemptOf(client))
  } finally {
    await closeClient(client)
  }
}

/** Identifies cluster and database; null if the role lacks the right to ask. */
export async function readIdentity(client: pg.Client): Promise<string | null> {
  const text = `select system_identifier || '/' || current_database() as identity from pg_control_system()`
  try {
    const { rows } = await client.query<{ identity: string }>(text)
    return rows[0]?.identity ?? null
  } catch (error) {
    if (codeOf(error) !== '42501') throw error
    return null
  }
}

/** Driver configuration for a URL with one host. */
export function clientConfig(url: string): pg.ClientConfig {
  return {
    connectionString: plainTlsMode(url),
    fallback_application_name: 'lexigraph',
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    // Keeps connections alive in firewalls; few of them drop an idle connection within a minute.
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser: getTypeParser as typeof pg.types.getTypeParser },
  }
}

/** Must run once on each connection, before its first use. */
export async function prepareClient(client: pg.Client, use: Use, statementTimeout: number): Promise<void> {
  const attempt = attemptOf(client)
  try {
    const found = await setUp(client, use, statementTimeout)
    assertUsable(found, attempt, use)
    processes.set(client, Number(found.pid))
  } catch (cause) {
    throw isPassing(cause) && !(cause instanceof DatabaseUnreachableError)
      ? connectionFailure(cause, attempt)
      : cause
  }
}

const processes = new WeakMap<pg.ClientBase, number>()

/** Process id of the server's backend for a connection that has been set up. */
export function processOf(client: pg.ClientBase): number {
  const pid = processes.get(client)
  if (pid === undefined) throw new Error('The connection has not been set up.')
  return pid
}

/** Describes a connection for error messages. */
export function attemptOf(client: pg.Client): Attempt {
  const server = client.host.startsWith('/') ? client.host : `${client.host}:${client.port}`
  return { server, user: client.user ?? '', database: client.database ?? '' }
}

/** Creates a client that is not connected yet. */
export function createClient(url: string): pg.Client {
  try {
    return new pg.Client(clientConfig(url))
  } catch (cause) {
    // For example, the file of a certificate is missing.
    throw new Error(`The URL of the database cannot be used: ${(cause as Error).message}.`, { cause })
  }
}

/** The driver verifies certificates in full in all of these modes, but warns about each name except verify-full. */
function plainTlsMode(url: string): string {
  return /[?&]uselibpqcompat=true/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=[&#]|$)/, '$1verify-full')
}

interface ServerSettings {
  readonly pid: bigint
  readonly version: string
  readonly encoding: string
  readonly standby: boolean
  readonly read_only: boolean
}

/** A separate statement, because poolers do not pass on the parameters of the connection's start. */
async function setUp(client: pg.Client, use: Use, statementTimeout: number): Promise<ServerSettings> {
  const names = Object.entries(settings[use])
  if (use === 'read') names.push(['statement_timeout', String(statementTimeout)])
  const statement = {
    text: `select ${names.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`).join(', ')},
      set_config('search_path', ${searchPath}, false), ${use === 'read' ? planCacheMode : ''}
      set_config('client_connection_check_interval', ${use === 'read' ? checkInterval : "'0'"}, false), current_setting('server_version') as version,
      pg_backend_pid() as pid, current_setting('server_encoding') as encoding, pg_is_in_recovery() as standby,
      current_setting('transaction_read_only') = 'on' as read_only`,
    values: names.flat(),
    query_timeout: connectTimeout,
  }
  const { rows } = await client.query<ServerSettings>(statement)
  return rows[0] as ServerSettings
}

/** The planner of a cluster must know the values. */
const planCacheMode = `set_config('plan_cache_mode', case when exists (select from pg_class
  join pg_namespace on pg_namespace.oid = relnamespace where nspname = 'lexigraph' and relname = 'shards')
  then 'force_custom_plan' else 'force_generic_plan' end, false),`

/** Includes the schema into which pg_trgm was installed. */
const searchPath = `concat_ws(', ', 'lexigraph, lexigraph_records, public',
  (select quote_ident(nspname) from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm'))`

/** Lets the server notice that a client, such as a killed process, is gone; not every operating system supports it. */
export const checkInterval = `case when version() ~* 'linux|darwin|bsd|illumos|solaris' then '2s' else '0' end`

function assertUsable(
  { version, encoding, standby, read_only }: ServerSettings,
  { server, database }: Attempt,
  use: Use,
): void {
  assertServerVersion(version)
  if (encoding !== 'UTF8')
    throw new Error(
      `The database "${database}" has the encoding ${encoding}, which cannot hold all text: name one that was made with \`create database NAME encoding 'UTF8' template template0\`.`,
    )
  if (use === 'read' || !(standby || read_only)) return
  const why = standby ? 'is a standby' : 'is set to be read only'
  throw new DatabaseUnreachableError(
    `The server at ${server} ${why} and takes no writes: name the primary in the URL, or all hosts, postgres://USER@HOST1:PORT,HOST2:PORT/DATABASE.`,
  )
}

const { INT2, INT4, INT8, JSON, JSONB } = pg.types.builtins
const parsers = new Map<number, (value: never) => unknown>([
  ...[INT2, INT4, INT8].map((type) => [type, BigInt] as const),
  ...[JSON, JSONB].map((type) => [type, String] as const),
])

/** Returns integers as bigint, as every engine does, and JSON as unparsed text. */
function getTypeParser(type: number, format?: 'text' | 'binary'): (value: never) => unknown {
  const own = format === 'binary' ? undefined : parsers.get(type)
  return own ?? pg.types.getTypeParser(type, format as 'text')
}
