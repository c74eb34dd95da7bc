/**
 * The target of a database copy: writes rows in transactions of some thousands, and builds the indexes of a collection
 * when all its rows are there. Only one process at a time copies, for as long as its connection lasts.
 */
import type { Client } from 'pg'
import type { CopySource, CopyTarget, RowChanges } from '../../copy/database-copy.ts'
import { hasRows, ownListing, writeStored } from '../../copy/metadata-rows.ts'
import { type CopyMark, formatMark, stateOf } from '../../copy/mark.ts'
import { partsOf, recordIn, type CopyRow } from '../../copy/parts.ts'
import { repoCollectionUri } from '../../changes.ts'
import { referredRepoCollections } from '../../derive.ts'
import { smallCollections } from '../../layout/shards.ts'
import { ownSums } from '../../layout/sums.ts'
import type { Table } from '../../layout/tables.ts'
import { baseId, findRepoCollections, type WriteTransaction } from '../../write/write-transaction.ts'
import { attemptOf, closeClient, connect } from '../connection.ts'
import { fillCounts } from '../layout/count-ddl.ts'
import { createIndex } from './load.ts'
import { layoutOf } from '../layout/spread-ddl.ts'
import { derivationOf, dropIndexes, indexStatements, metadataSchema, quote } from '../layout/ddl.ts'
import { codeOf, refusal } from '../failures.ts'
import { ask, jsonRows, keyColumns, type Steps } from '../../metadata/steps.ts'
import type { MigrateOptions } from '../../migrate-options.ts'
import { assertOurLayout, migrate, readState } from '../layout/migrate.ts'
import { identityOf, openPostgresSnapshot, spelling } from './snapshot.ts'
import { runSteps } from '../prepared.ts'
import { fillSums } from '../layout/sum-ddl.ts'
import type { NewRow, RowId } from '../../write/record-table.ts'
import { TableWriter } from '../write/table-writer.ts'
import { analyzedColumns, refreshCounts } from '../write/text-counts.ts'
import { createTransaction, lockSpace, locks, type Transaction, within } from '../write/transactions.ts'

/** Rows in one statement. */
const rowsAtOnce = 500

/** Throws, without changing the database, if it cannot become a copy of the source. */
export async function openPostgresTarget(
  url: string,
  source: CopySource,
  given: MigrateOptions,
): Promise<CopyTarget> {
  const client = await connect(url, 'write')
  try {
    const options = await layoutOf(client, given)
    if ((await identityOf(client, url)) === source.identity)
      throw new Error('it is the very database that is to be copied. Name another with --to.')
    await lock(client)
    const former = await readState(client)
    await assertOurLayout(client, former)
    const derivation = derivationOf(options.fingerprint)
    const wanted = { derivation, kind: source.kind, source: source.name }
    if (former === null) await migrate(client, { ...options, small: await smallIn(source, options.tables) })
    const found = await stateOf(former?.derivation ?? derivation, wanted, () =>
      runSteps(client, hasRows(options.tables)),
    )
    if (found === 'empty') await begin(client, options.tables, wanted)
    return createTarget(client, url, options.tables, wanted, found === 'whole')
  } catch (error) {
    await closeClient(client)
    throw refusal(error, attemptOf(client))
  }
}

async function smallIn(source: CopySource, tables: readonly Table[]): Promise<ReadonlySet<string>> {
  const records = new Map<string, number>()
  for (const part of partsOf(tables))
    if (part.table?.isSpread) records.set(part.table.collection.nsid, await source.count(part))
  return smallCollections(records)
}

/** The lock of a killed process is released within a second, because the server checks the connection. */
async function lock(client: Client): Promise<void> {
  try {
    await client.query(
      `set client_connection_check_interval = '1s'; set lock_timeout = '10s';
       select pg_advisory_lock(${lockSpace}, ${locks.copying}); set lock_timeout = 0`,
    )
  } catch (cause) {
    if (codeOf(cause) !== '55P03') throw cause
    throw new Error('another process copies into it. Try again when it is done.', { cause })
  }
}

/** From here on no other process can open the database. */
async function begin(client: Client, tables: readonly Table[], wanted: CopyMark): Promise<void> {
  await transact(client, wanted.derivation, async () => {
    await setDerivation(client, formatMark(wanted))
    for (const statement of tables.flatMap(dropIndexes)) await client.query(statement)
  })
}

function createTarget(
  client: Client,
  url: string,
  tables: readonly Table[],
  wanted: CopyMark,
  isWhole: boolean,
): CopyTarget {
  const mark = formatMark(wanted)
  const writers = new Map(tables.map((table) => [table.name, new TableWriter(table, false)]))
  return {
    isWhole,
    snapshot: () => openPostgresSnapshot(url, null),
    write: (part, changes) =>
      transact(client, mark, async (transaction) => {
        const writer = writers.get(part.name)
        if (writer === undefined) await runSteps(client, writeStored(part, changes, spelling))
        else await transaction.run(writeRecords(transaction, writer, changes))
      }),
    async complete({ name }) {
      const writer = writers.get(name)
      if (writer === undefined) return
      const find = `select from listing where kind = '${ownListing}' and target = $1`
      if ((await client.query(find, [name])).rows.length > 0) return
      const { table } = writer
      // One transaction for each index, so that a killed process does not lose the indexes it has built.
      for (const statement of indexStatements(table))
        await transact(client, mark, () => createIndex(client, statement))
      const sides = table.arrays.map((array) => quote(array.name))
      await client.query(`vacuum (analyze) ${[analyzedColumns(table), ...sides].join(', ')}`)
      await transact(client, mark, async (transaction) => {
        await transaction.run(refreshCounts(writer))
        const enter = `insert into listing (kind, target, done) values ('${ownListing}', $1, 1)`
        await client.query(enter, [name])
      })
    },
    async finish() {
      await transact(client, mark, async () => {
        await client.query([...tables.map(fillCounts), fillSums(tables)].join('\n'))
        await client.query(`delete from listing where kind = '${ownListing}'`)
        await setDerivation(client, wanted.derivation)
      })
      const counted = tables.flatMap((table) => [...table.counts, ...ownSums(table)])
      const names = ['base', 'parked', 'tombstone', ...counted.map(({ name }) => quote(name))]
      await client.query(`vacuum (analyze) ${names.join(', ')}`)
    },
    [Symbol.asyncDispose]: () => closeClient(client),
  }
}

/** `expected`: the derivation that the database must still have. */
async function transact(
  client: Client,
  expected: string,
  work: (transaction: Transaction) => Promise<unknown>,
): Promise<void> {
  const start = `begin; set local lock_timeout = '10s';
    select pg_advisory_xact_lock(${lockSpace}, ${locks.writing}); set local lock_timeout = 0`
  await within(client, start, async () => {
    const { rows } = await client.query(`select derivation from ${metadataSchema}.state`)
    if (rows[0]?.derivation !== expected)
      throw new Error('The copy has been changed by another process meanwhile. Start again.')
    await work(createTransaction(client))
  })
}

async function setDerivation(client: Client, derivation: string): Promise<void> {
  await client.query('update state set derivation = $1, plan_version = plan_version + 1', [derivation])
}

function* writeRecords(
  transaction: WriteTransaction,
  writer: TableWriter,
  { written, removed }: RowChanges,
): Steps<void> {
  for (const some of slices(removed)) {
    const rows = yield* rowsOf(transaction, writer, some)
    // A row may have another `indexed_at` by now, under which it was already written again.
    const found = yield* ask<RowId>(
      `select t.id from ${transaction.dialect.given({ ...keyColumns, indexed_at: 'bigint' })}
       join ${quote(writer.table.name)} t using (base, rkey, indexed_at)`,
      jsonRows(rows.map(({ base, rkey, indexedAt }) => ({ base, rkey, indexed_at: indexedAt }))),
    )
    yield* writer.remove(transaction, found)
  }
  for (const some of slices(written)) {
    const rows = yield* rowsOf(transaction, writer, some)
    if ((yield* writer.insert(transaction, rows)).length === rows.length) continue
    // Some rows exist already; the others, which have just been inserted, come again.
    yield* writer.remove(transaction, yield* writer.find(rows))
    yield* writer.insert(transaction, rows)
  }
}

function* rowsOf(
  transaction: WriteTransaction,
  { table }: TableWriter,
  rows: readonly CopyRow[],
): Steps<readonly NewRow[]> {
  const { nsid: collection } = table.collection
  const records = rows.map((row) => recordIn(table, row))
  yield* findRepoCollections(transaction, [
    ...records.map(({ did }) => repoCollectionUri({ did, collection })),
    ...records.flatMap(({ record }) => [...referredRepoCollections(table, record)]),
  ])
  // The table `base` was copied first.
  return records.map((row) => ({
    ...row,
    id: null,
    base: baseId(transaction, repoCollectionUri({ did: row.did, collection })),
  }))
}

function* slices(rows: readonly CopyRow[]): Generator<readonly CopyRow[]> {
  for (let start = 0; start < rows.length; start += rowsAtOnce) yield rows.slice(start, start + rowsAtOnce)
}
