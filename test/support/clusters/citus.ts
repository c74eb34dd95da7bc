/**
 * TEST_CITUS_URL names a database of the coordinator of a real Citus cluster, as a superuser: databases of tests are made
 * on all of its nodes. Without it, tests of clusters lay their databases out on an ordinary server (postgres.ts).
 */
import pg from 'pg'
import { dropDatabase } from '../store/drop-database.ts'

export const citusUrl = process.env['TEST_CITUS_URL']

async function ask<Row extends object>(
  url: string,
  ...statements: readonly string[]
): Promise<readonly Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    let rows: readonly Row[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

function nodesOf(url: string): Promise<readonly { readonly nodename: string; readonly nodeport: number }[]> {
  return ask(url, 'select nodename, nodeport from pg_dist_node where isactive order by groupid')
}

const on = (
  url: string,
  node: { readonly nodename: string; readonly nodeport: number },
  database: string,
): string =>
  Object.assign(new URL(url), { hostname: node.nodename, port: String(node.nodeport), pathname: database })
    .href

/** Makes an empty database on all nodes. */
export async function createOnNodes(url: string, database: string): Promise<void> {
  const [coordinator, ...workers] = await nodesOf(url)
  if (coordinator === undefined) throw new Error('TEST_CITUS_URL names no coordinator of a cluster.')
  for (const node of [coordinator, ...workers]) {
    // Otherwise Citus would create it elsewhere by itself, or warn that it does not.
    await ask(
      on(url, node, 'postgres'),
      'set citus.enable_create_database_propagation = off',
      `create database ${database} template template0`,
    ).catch((error: Error) => {
      if (!error.message.includes('unrecognized configuration')) throw error
    })
    await ask(on(url, node, database), 'create extension citus', 'create extension pg_trgm')
  }
  const join = workers.map(({ nodename, nodeport }) => `select citus_add_node('${nodename}', ${nodeport})`)
  await ask(
    on(url, coordinator, database),
    `select citus_set_coordinator_host('${coordinator.nodename}', ${coordinator.nodeport})`,
    ...join,
  )
}

/** Drops it again. */
export async function dropOnNodes(url: string, database: string): Promise<void> {
  for (const node of await nodesOf(url))
    await dropDatabase(database, (statement) => ask(on(url, node, 'postgres'), statement))
}
