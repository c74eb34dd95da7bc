/** What a PostgreSQL database consists of, looked at over a connection of its own. */
import pg from 'pg'

export async function connected(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client(url)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

export async function run(url: string, statements: string): Promise<void> {
  await using client = await connected(url)
  await client.query(statements)
}

/** All rows of all tables with where they are, so that writing the same again would show. */
export async function content(url: string): Promise<unknown> {
  await using client = await connected(url)
  const tables = await layoutOf(client, "relkind in ('r', 'v')")
  const rows: unknown[] = []
  for (const { schema, name, kind } of tables)
    if (kind === 'r') rows.push((await client.query(`select ctid, xmin, * from "${schema}"."${name}"`)).rows)
  return { tables, rows, schemas: (await client.query('select nspname from pg_namespace order by 1')).rows }
}

export async function layout(url: string): Promise<unknown> {
  await using client = await connected(url)
  const { rows } = await client.query(
    `select schemaname, tablename, indexname, indexdef from pg_indexes where schemaname like 'lexigraph%' order by 3`,
  )
  return { relations: await layoutOf(client, 'true'), indexes: rows }
}

async function layoutOf(client: pg.Client, which: string) {
  const { rows } = await client.query<{ schema: string; name: string; kind: string }>(
    `select nspname as schema, relname as name, relkind as kind from pg_class
     join pg_namespace on pg_namespace.oid = relnamespace
     where nspname !~ '^pg_' and nspname <> 'information_schema' and ${which} order by 1, 2, 3`,
  )
  return rows
}
