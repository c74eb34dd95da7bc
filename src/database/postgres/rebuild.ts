/**
 * Derives all tables anew from the records they keep. They are filled in a schema of their own beside the old one;
 * readers go on there until the two change names, and whoever is still reading then reads to the end.
 */
import type { Client } from 'pg'
import type { Change, ColumnValue, RecordCheck, RejectionJudge } from '../database.ts'
import { leaveUnserved } from '../kept/preview.ts'
import { readRejections } from '../kept/read-rejections.ts'
import { basesWhere, parkHidden, startAnew, withheld } from '../kept/rebuild.ts'
import { keptRecord } from '../kept-record.ts'
import type { KeptRejection } from '../ledger.ts'
import { RebuildCounters, type RebuildReport } from '../rebuild-report.ts'
import { canBeJudged } from '../rejections.ts'
import type { Table } from '../tables.ts'
import type { ApplierOptions } from './applier.ts'
import { createCounts } from './count-ddl.ts'
import { createTables, quote, recordsSchema } from './ddl.ts'
import { codeOf } from './failures.ts'
import { createFunctions } from './functions.ts'
import { refill } from './load.ts'
import { runSteps } from './steps.ts'
import { createSums } from './sum-ddl.ts'
import { lockSpace, locks } from './transactions.ts'

/** Where new tables are filled, and where the former ones wait until nobody reads them any more. */
const nextSchema = `${recordsSchema}_next`
const oldSchema = `${recordsSchema}_old`

/** Less than the server's own `deadlock_timeout`: this is what gives way, never a reader. */
const briefly = '500ms'

/** Within the caller's transaction. */
export async function rebuild(
  client: Client,
  options: ApplierOptions & { readonly judge?: RejectionJudge },
): Promise<RebuildReport> {
  await client.query(`drop schema if exists ${oldSchema} cascade; create schema ${nextSchema}`)
  // Whatever is written from here on goes to the new tables.
  await client.query(
    `select set_config('search_path', replace(current_setting('search_path'), '${recordsSchema}', '${nextSchema}'), true)`,
  )
  await client.query(createFunctions())
  const former = await takeOver(client, options.tables)
  for (const { name } of former) await runSteps(client, parkHidden(`${recordsSchema}.${quote(name)}`))
  await client.query('delete from text_count')
  await runSteps(client, startAnew())
  const counters = new RebuildCounters()
  // Whatever is too old leaves later, with a note that it did.
  await refill(
    client,
    { ...options, retention: new Map() },
    {
      records: keptRecords(client, former, options.check, counters),
      rejections: keptRejections(client, options.judge, counters),
    },
  )
  await keepUnserved(client, options.tables)
  await runSteps(client, leaveUnserved(options.tables, counters))
  await client.query(
    `alter schema ${recordsSchema} rename to ${oldSchema}; alter schema ${nextSchema} rename to ${recordsSchema}`,
  )
  return counters.report()
}

/** A former table of a collection that is served. */
interface Former {
  readonly table: Table
  readonly name: string
}

async function takeOver(client: Client, tables: readonly Table[]): Promise<readonly Former[]> {
  const { rows } = await client.query<{ nsid: string; table_name: string }>(
    'delete from collection where nsid = any($1) returning nsid, table_name',
    [tables.map(({ collection }) => collection.nsid)],
  )
  for (const table of tables) await layOut(client, table, nextSchema)
  return tables.flatMap((table) => {
    const name = rows.find(({ nsid }) => nsid === table.collection.nsid)?.table_name
    return name === undefined ? [] : [{ table, name }]
  })
}

/** A collection's table, without its indexes, and with nothing counted or added up. */
export async function layOut(client: Client, table: Table, schema: string): Promise<void> {
  await client.query(createTables(table, schema) + createCounts(table, schema) + createSums(table, schema))
  await client.query('insert into collection (nsid, table_name, ordered) values ($1, $2, 0)', [
    table.collection.nsid,
    table.name,
  ])
}

/** Some at a time, however many there are. */
async function* keptRecords(
  client: Client,
  former: readonly Former[],
  check: RecordCheck,
  counters: RebuildCounters,
): AsyncGenerator<readonly Change[]> {
  for (const { table, name } of former) {
    await client.query(
      `declare kept no scroll cursor for
       select rkey, did, cid, rev, indexed_at, changed_at, record::text as json from ${recordsSchema}.${quote(name)}
       where base not in (${basesWhere(withheld)}) order by id`,
    )
    for (;;) {
      const { rows } = await client.query<Record<string, ColumnValue>>('fetch 1000 from kept')
      if (rows.length === 0) break
      const changes = rows.map((row) => keptRecord(table, row, check))
      for (const change of changes) counters.addKept(table.collection.nsid, change)
      yield changes
    }
    await client.query('close kept')
  }
}

/** Rejections that are judged at once. */
const judgedAtOnce = 500

async function* keptRejections(
  client: Client,
  judge: RejectionJudge | undefined,
  counters: RebuildCounters,
): AsyncGenerator<readonly Change[]> {
  if (judge === undefined) return
  for (let after: string | null = null; ; ) {
    const some: readonly KeptRejection[] = await runSteps(client, readRejections(judgedAtOnce, after))
    if (some.length === 0) return
    after = some.at(-1)?.key ?? null
    const changes = some.filter(canBeJudged).map(judge)
    for (const change of changes) counters.addJudged(change)
    yield changes
  }
}

/**
 * Collections that are no longer served keep their table, so that nothing is lost when they come back. Servers of the
 * former lexicons may still read them: this waits between their statements, without holding up those that follow.
 */
async function keepUnserved(client: Client, tables: readonly Table[]): Promise<void> {
  const { rows } = await client.query<{ table_name: string }>(
    'select table_name from collection where nsid <> all($1)',
    [tables.map(({ collection }) => collection.nsid)],
  )
  if (rows.length === 0) return
  const moves = rows.map(
    ({ table_name }) => `alter table ${recordsSchema}.${quote(table_name)} set schema ${nextSchema}`,
  )
  await patiently(60, async (isLast) => {
    await client.query(`savepoint move; set local lock_timeout = '${isLast ? 0 : briefly}'`)
    try {
      await client.query(moves.join(';'))
    } catch (error) {
      await client.query('rollback to move')
      throw error
    }
  })
}

/** Once nobody reads it any more; else whoever starts next does it. */
export async function dropOld(client: Client): Promise<void> {
  const { rows } = await client.query(`select where to_regnamespace('${oldSchema}') is not null`)
  if (rows.length === 0) return
  try {
    // Several statements at once are a transaction.
    await patiently(3, () =>
      client.query(
        `set local lock_timeout = '${briefly}'; select pg_advisory_xact_lock(${lockSpace}, ${locks.migrating});
         drop schema if exists ${oldSchema} cascade`,
      ),
    )
  } catch (error) {
    if (codeOf(error) !== lockTimeout) throw error
  }
}

const lockTimeout = '55P03'

/** Does what takes locks that readers have. Each time that it gives up waiting, those who came after it go on. */
async function patiently(attempts: number, work: (isLast: boolean) => Promise<unknown>): Promise<void> {
  for (let left = attempts - 1; ; left -= 1) {
    try {
      await work(left === 0)
      return
    } catch (error) {
      if (codeOf(error) !== lockTimeout || left === 0) throw error
    }
  }
}
