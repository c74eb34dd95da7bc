/**
 * What each index of a collection costs in PostgreSQL: its bytes, the time to build it over all records, and the time
 * and log that each new record takes. Measured over a copy of the table with one index at a time; all is rolled back.
 * Usage: node bench/growth/index-costs.ts URL [rounds=3] [table=NAME]. By default of the largest table of an imported
 * corpus.
 */
import pg from 'pg'
import { readOptions } from '../support/options.ts'

const [url, ...options] = process.argv.slice(2)
if (url === undefined) throw new Error('Name the database: node bench/growth/index-costs.ts postgres://…')
const { rounds, table: wanted } = readOptions(options, { rounds: 3, table: '' })
/** Records that come after the index was built, and how many of them at a time. */
const [added, batch] = [20_000, 500]

const client = new pg.Client(url)
await client.connect()
const all = async (text: string): Promise<Record<string, string>[]> => (await client.query(text)).rows
const one = async (text: string): Promise<string> => String(Object.values((await all(text))[0] ?? {})[0])

await client.query(
  `set search_path = lexigraph, lexigraph_records, public; set maintenance_work_mem = '512MB'; begin`,
)
const [{ name = '', rows = '' } = {}] = await all(
  `select relname as name, reltuples::bigint as rows from pg_class join collection on table_name = relname
   where relnamespace = 'lexigraph_records'::regnamespace and '${wanted}' in ('', relname)
   order by reltuples desc limit 1`,
)
const table = pg.escapeIdentifier(name)
await client.query(`create table index_costs (like ${table}) with (toast_tuple_target = 8160)`)
await client.query(
  `create temporary table numbered as select id, row_number() over (order by indexed_at desc, id desc) - 1 as place from ${table}`,
)
await client.query(`create index on numbered (place); analyze numbered`)
await client.query(
  `insert into index_costs select t.* from numbered join ${table} t using (id) where place >= ${added} order by place desc`,
)
const indexes = await all(
  `select relname as name, amname as kind, pg_get_indexdef(pg_class.oid) as definition from pg_index
   join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam where indrelid = '${table}'::regclass order by relname`,
)
const bare = await addAll(null)
console.log(
  `${name}, ${Number(rows).toLocaleString('en')} records; a record without any index: ${per(bare)}\n`,
)
console.log('| index | kind | bytes per record | build, s | µs per new record | log, bytes per new record |')
console.log('|---|---|---|---|---|---|')
for (const { name: index = '', kind = '', definition = '' } of indexes) {
  await client.query('savepoint one')
  const start = performance.now()
  await client.query(
    definition.replace(
      /^CREATE (UNIQUE )?INDEX .+? ON .+? USING/,
      'create index index_costs_one on index_costs using',
    ),
  )
  const seconds = (performance.now() - start) / 1000
  const bytes = Number(await one(`select pg_relation_size('index_costs_one')`)) / (Number(rows) - added)
  const cost = await addAll(kind)
  const [time, log] = [cost.time - bare.time, cost.log - bare.log]
  console.log(
    `| ${index.slice(name.length)} | ${kind} | ${bytes.toFixed(0)} | ${seconds.toFixed(1)} | ${time.toFixed(0)} | ${log.toFixed(0)} |`,
  )
  await client.query('rollback to one')
}
await client.query('rollback')
await client.end()

interface Cost {
  /** Microseconds and bytes of a record. */
  readonly time: number
  readonly log: number
}

/** The least of some rounds: whatever else runs on the machine only adds. */
async function addAll(kind: string | null): Promise<Cost> {
  let [time, log] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < rounds; round += 1) {
    await client.query('savepoint adding')
    const before = await one('select pg_current_wal_insert_lsn()')
    const start = performance.now()
    for (let place = added; place > 0; place -= batch)
      await client.query(
        `insert into index_costs select t.* from numbered join ${table} t using (id)
         where place >= ${place - batch} and place < ${place} order by place desc`,
      )
    // What such an index puts off is part of its cost.
    if (kind === 'gin') await client.query(`select gin_clean_pending_list('index_costs_one')`)
    time = Math.min(time, (1000 * (performance.now() - start)) / added)
    log = Math.min(log, Number(await one(`select pg_current_wal_insert_lsn() - '${before}'`)) / added)
    await client.query('rollback to adding')
  }
  return { time, log }
}

function per({ time, log }: Cost): string {
  return `${time.toFixed(0)} µs, ${log.toFixed(0)} bytes of log.`
}
