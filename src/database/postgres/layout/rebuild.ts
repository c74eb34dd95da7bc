/**
 * Derives all tables again from the records in them. New tables are filled in a separate schema, in steps that commit
 * together with their progress: readers and writers continue with the old tables, and an interrupted rebuild resumes
 * after its last step. Writers note which records change meanwhile. The last transaction applies those changes and
 * exchanges the names of the schemas; queries that run at that moment finish on the old tables.
 */
import type { Client } from 'pg'
import { enterDerivation, leaveUnserved } from '../../rebuild/preview.ts'
import {
  countStored,
  hiddenRecords,
  quarantineHidden,
  refuseAndJudge,
  startAnew,
} from '../../metadata/rebuild.ts'
import { tableNames } from '../../metadata/collections.ts'
import type { MigrateOptions } from '../../migrate-options.ts'
import { RebuildCounters, type RebuildReport } from '../../rebuild/rebuild-report.ts'
import { smallCollections } from '../../layout/shards.ts'
import type { Table } from '../../layout/tables.ts'
import { Applier } from '../../write/applier.ts'
import { PostgresRecordStore } from '../write/table-writer.ts'
import { refreshCounts } from '../write/text-counts.ts'
import { checkInterval } from '../connection.ts'
import { createCounts, fillCounts } from './count-ddl.ts'
import { createTables, derivationOf, indexStatements, quote, recordsSchema } from './ddl.ts'
import { isPassing } from '../failures.ts'
import { createFunctions } from './functions.ts'
import { keepUnserved } from './generations.ts'
import { createIndex } from '../load/load.ts'
import { NextTables, selectOld } from './next-tables.ts'
import {
  nextSchema,
  oldSchema,
  changeTable,
  type RebuildPart,
  readParts,
  readRebuild,
  readTarget,
  rebuildSchema,
  rebuildTables,
} from './rebuild-state.ts'
import { runSteps } from '../prepared.ts'
import { oneByOne, spreadOut } from './spread-ddl.ts'
import { createSums, fillSums } from './sum-ddl.ts'
import {
  closeGate,
  createTransaction,
  indexesOnly,
  lockSpace,
  locks,
  type Transaction,
  within,
} from '../write/transactions.ts'
import { createMarks } from '../../stories/story-marks.ts'

/** Must run outside a transaction, while holding the lock for migrating. */
export async function rebuild(client: Client, options: MigrateOptions): Promise<RebuildReport> {
  // Makes the server end a long statement soon after the process that waits for it.
  await client.query(`select set_config('client_connection_check_interval', ${checkInterval}, false)`)
  if (options.tables.some(({ isSpread }) => isSpread)) await client.query(oneByOne)
  try {
    await step(client, 'old', () => begin(client, options))
    return await fillAndFinish(client, options)
  } catch (error) {
    // A permanent failure drops the new tables; after a temporary one the rebuild resumes the next time. Tables that
    // cannot be dropped now are dropped by the next rebuild, so that the caller gets the original error.
    if (!isPassing(error)) await step(client, 'old', () => dropUnfinished(client)).catch(() => undefined)
    throw error
  }
}

async function fillAndFinish(client: Client, options: MigrateOptions): Promise<RebuildReport> {
  const next = new NextTables(options.tables, options.check)
  const tell = async (): Promise<void> => {
    const running = await readRebuild(client)
    if (running !== null) options.onProgress?.(running.progress)
  }
  for (const { nsid } of await readParts(client)) {
    const table = options.tables.find(({ collection }) => collection.nsid === nsid)
    for (;;) {
      const part = (await readParts(client)).find((one) => one.nsid === nsid)
      if (part === undefined || part.copied === 1n) break
      await step(client, 'next', (transaction) => transaction.run(next.copy(transaction, part)))
      await tell()
    }
    for (const statement of table === undefined ? [] : indexStatements(table))
      await step(client, 'next', () => createIndex(client, statement))
    await client.query(`update ${rebuildSchema}.part set complete = 1 where nsid = $1`, [nsid])
    await tell()
  }
  const parts = await readParts(client)
  // Leaves fewer changes than this to the last transaction, unless they come faster than they can be applied.
  for (let round = 0; round < 100; round += 1) {
    const changes = await step(client, 'next', (transaction) =>
      transaction.run(next.catchUp(transaction, parts)),
    )
    if (changes < 500) break
  }
  return step(client, 'next', (transaction) => finish(transaction, options, next, parts))
}

/** An interrupted rebuild goes on. */
async function begin(client: Client, { tables, fingerprint }: MigrateOptions): Promise<void> {
  if ((await readTarget(client)) === derivationOf(fingerprint)) return
  await dropUnfinished(client)
  await client.query(
    `drop schema if exists ${oldSchema} cascade; create schema ${nextSchema}; ${rebuildTables}`,
  )
  await client.query(`insert into ${rebuildSchema}.target values ($1)`, [derivationOf(fingerprint)])
  const formers = await runSteps(client, tableNames())
  for (const { collection } of tables) {
    const former = formers.get(collection.nsid) ?? null
    const total = former === null ? '0' : `count(*) from ${recordsSchema}.${quote(former)}`
    await client.query(
      `insert into ${rebuildSchema}.part (nsid, former, total) select $1, $2::text, ${total}`,
      [collection.nsid, former],
    )
  }
  await client.query(useNext)
  await client.query(createFunctions())
  const records = (await readParts(client)).map(({ nsid, total }) => [nsid, Number(total)] as const)
  const small = smallCollections(new Map(records))
  for (const table of tables) await createEmpty(client, table, nextSchema, small)
}

async function dropUnfinished(client: Client): Promise<void> {
  await client.query(`drop schema if exists ${nextSchema}, ${rebuildSchema} cascade`)
}

/** No other process writes from here until the commit. */
async function finish(
  transaction: Transaction,
  options: MigrateOptions,
  next: NextTables,
  parts: readonly RebuildPart[],
): Promise<RebuildReport> {
  const client = transaction.client as Client
  const { tables } = options
  while ((await transaction.run(next.catchUp(transaction, parts))) > 0);
  const hidden = await runSteps(client, hiddenRecords())
  await transaction.run(next.removeWithheld(transaction, hidden))
  for (const { former } of parts)
    if (former !== null) await runSteps(client, quarantineHidden(`${recordsSchema}.${quote(former)}`, hidden))
  await client.query('delete from text_count')
  await runSteps(client, startAnew())
  const counters = new RebuildCounters()
  await runSteps(client, countStored(tables, counters))
  // No retention here: records that are too old are removed later, and then noted as expired.
  const store = new PostgresRecordStore(tables, false)
  const applier = new Applier(store, { ...options, retention: new Map() })
  const selectRefused = (former: string): string =>
    `${selectOld(former)} join ${rebuildSchema}.refusal r on r.nsid = ? and r.base = t.base and r.rkey = t.rkey
     where t.id > ? and not exists (select from parked p where p.base = t.base and p.rkey = t.rkey)`
  await transaction.run(
    refuseAndJudge(options, parts, counters, selectRefused, (some) => applier.apply(transaction, some)),
  )
  await client.query('set local enable_seqscan = on')
  for (const table of tables) await client.query(fillCounts(table))
  await client.query(fillSums(tables))
  for (const writer of store.tables.values()) await transaction.run(refreshCounts(writer))
  await keepUnserved(client, tables)
  await runSteps(client, leaveUnserved(tables, counters))
  const nsids = tables.map(({ collection }) => collection.nsid)
  await client.query('delete from collection where nsid = any($1)', [nsids])
  for (const table of tables) await enterCollection(client, table)
  await client.query(`drop table ${changeTable}`)
  await client.query(`drop schema if exists ${oldSchema} cascade`)
  await client.query(`alter schema ${recordsSchema} rename to ${oldSchema}`)
  await client.query(`alter schema ${nextSchema} rename to ${recordsSchema}`)
  await runSteps(client, enterDerivation(derivationOf(options.fingerprint), options.now()))
  if (tables.some(({ isSpread }) => isSpread)) await client.query(closeGate)
  return counters.report()
}

/** Creates a collection's table without its indexes, and with empty counts and sums. */
export async function createEmpty(
  client: Client,
  table: Table,
  schema: string,
  small: ReadonlySet<string> = new Set(),
): Promise<void> {
  await client.query(
    [createTables, createCounts, createSums, createMarks].map((create) => create(table, schema)).join('\n'),
  )
  if (table.isSpread) await spreadOut(client, table, schema, small)
}

export async function enterCollection(client: Client, { name, collection }: Table): Promise<void> {
  await client.query('insert into collection (nsid, table_name, ordered) values ($1, $2, 0)', [
    collection.nsid,
    name,
  ])
}

/** Lets names without a schema refer to the new tables. */
const useNext = `select set_config('search_path', replace(current_setting('search_path'), '${recordsSchema}', '${nextSchema}'), true)`

/** Runs a transaction under the lock of all writers; `next` writes to the new tables. */
async function step<Result>(
  client: Client,
  tables: 'old' | 'next',
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const begin = `begin; ${indexesOnly} select pg_advisory_xact_lock(${lockSpace}, ${locks.writing})`
  return within(client, begin, async () => {
    if (tables === 'next') await client.query(useNext)
    return work(createTransaction(client))
  })
}
