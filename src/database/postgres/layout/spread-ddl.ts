/** How tables are spread over the nodes of a Citus cluster (https://docs.citusdata.com), and whether there is one. */
import type { ClientBase } from 'pg'
import { countsSmall, shardValues, spreadTables } from '../../layout/shards.ts'
import type { Table } from '../../layout/tables.ts'
import { metadataSchema, quote } from './ddl.ts'

/** The first version for which the statements of this program are known to be right. */
const oldestVersion = [13, 2] as const

/** Whether the tables are spread over nodes: those that are there, or else those of a database with workers. */
export async function isOnCluster(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    `select relname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where nspname = '${metadataSchema}' and relname in ('state', 'shards')`,
  )
  const names = rows.map(({ relname }) => relname)
  return names.includes('state') ? names.includes('shards') : hasWorkers(client)
}

/** Throws if the version of the cluster is too old. */
async function hasWorkers(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    `select to_regprocedure('citus_get_active_worker_nodes()') is not null as has`,
  )
  if (rows[0]?.has !== true) return false
  const found = await client.query<{ workers: bigint; version: string }>(
    'select count(*) as workers, citus_version() as version from citus_get_active_worker_nodes()',
  )
  const [{ workers, version }] = found.rows as [{ workers: bigint; version: string }]
  if (Number(workers) === 0) return false
  const [major = 0, minor = 0] = (/\d+\.\d+/.exec(version)?.[0] ?? '').split('.').map(Number)
  const [least, leastMinor] = oldestVersion
  if (major < least || (major === least && minor < leastMinor))
    throw new Error(`The cluster runs ${version}: Lexigraph needs Citus ${oldestVersion.join('.')} or later.`)
  return true
}

/** Options with the tables as the database has them. */
export async function layoutOf<Options extends { readonly tables: readonly Table[] }>(
  client: ClientBase,
  options: Options,
): Promise<Options> {
  if (!(await isOnCluster(client))) return options
  return { ...options, tables: spreadTables(options.tables) }
}

/** SQL for the `shard` of the record at a URI in parts; 0 for none. */
export function shardOfParts(base: string, key: string): string {
  return `coalesce(shard_of((select uri from base where id = ${base}) || ${key}), 0)`
}

/** Settings that the nodes take from their database: as for reading (session-settings.ts). */
const nodeSettings = ['enable_seqscan = off', 'jit = off', 'max_parallel_workers_per_gather = 0']

/** Metadata that statements read or write together with `base`, which each node has. */
const referenceTables = [
  'base',
  'hidden',
  'parked',
  'tombstone',
  'expired',
  'actor',
  'hiding',
  'purge',
] as const

/** Two pieces for each worker: each is asked for itself, so that more of them cost more than they gain. */
export async function spreadCommonTables(client: ClientBase): Promise<void> {
  await client.query(
    `create function shard_of(uri text) returns integer language sql immutable strict parallel safe
     return get_byte(decode(md5(uri), 'hex'), 0) % ${shardValues}`,
  )
  const pieces = `(select 2 * count(*)::integer from citus_get_active_worker_nodes())`
  await client.query(
    `select create_distributed_table('${metadataSchema}.shards', 'shard', shard_count => ${pieces}, colocate_with => 'none')`,
  )
  for (const name of referenceTables)
    await client.query(`select create_reference_table('${metadataSchema}.${name}')`)
  await addHasPrepared(client)
}

/**
 * Creates the function that tells, on the node that runs it, whether a commit to this database is prepared there and not
 * finished. Only where it is missing: replacing it needs every node, and Citus copies it to new ones. In PL/pgSQL its plan
 * is kept.
 */
async function addHasPrepared(client: ClientBase): Promise<void> {
  const name = `${metadataSchema}.has_prepared()`
  const { rowCount } = await client.query(`select where to_regprocedure('${name}') is null`)
  if (rowCount === 0) return
  await client.query(`create function ${name} returns boolean language plpgsql stable as $$ begin
    return exists (select from pg_prepared_xacts where database = current_database() and gid like 'citus_%');
    end $$`)
}

/** At each opening for writing, since a node may be new. */
export async function setUpNodes(client: ClientBase): Promise<void> {
  await addHasPrepared(client)
  for (const setting of nodeSettings)
    await client.query(
      `select run_command_on_workers(format('alter database %I set ${setting}', current_database()))`,
    )
}

/** For a connection on which one transaction changes rows and schemas: each node then does all over one connection. */
export const oneByOne = `set citus.multi_shard_modify_mode = 'sequential'`

/** Spreads the empty tables of a collection; of those that lie with a small one, each node gets a copy. */
export async function spreadOut(
  client: ClientBase,
  table: Table,
  schema: string,
  small: ReadonlySet<string>,
): Promise<void> {
  const counts = table.counts.filter(({ kind }) => kind === 'reference')
  const parts = [
    ...[table, ...table.arrays].map(({ name }) => ({ name, isCopied: small.has(table.collection.nsid) })),
    ...counts.map((each) => ({ name: each.name, isCopied: countsSmall(table, each, small) })),
  ]
  for (const { name, isCopied } of parts) {
    const call = isCopied
      ? 'create_reference_table($1)'
      : `create_distributed_table($1, 'shard', colocate_with => '${metadataSchema}.shards')`
    await client.query(`select ${call}`, [`${schema}.${quote(name)}`])
  }
}
