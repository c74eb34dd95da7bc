/** Imports into empty tables: derives stories, then builds indexes and materialized counts, after all rows are there. */
import type { ClientBase } from 'pg'
import type { Change } from '../../database.ts'
import { importSource, OutcomeCounts } from '../../metadata/source-marks.ts'
import { addOutcome, type Outcome } from '../../changes.ts'
import { ownSums } from '../../layout/sums.ts'
import type { Table } from '../../layout/tables.ts'
import { markAll } from '../../stories/story-marks.ts'
import { Applier, type ApplierOptions } from '../../write/applier.ts'
import { PostgresRecordStore } from '../write/table-writer.ts'
import { fillCounts } from '../layout/count-ddl.ts'
import {
  dropIndexes,
  indexStatements,
  quote,
  rewriteStatements,
  storyIndexStatements,
} from '../layout/ddl.ts'
import { fillSums } from '../layout/sum-ddl.ts'
import { analyzedColumns } from '../write/text-counts.ts'
import type { Transaction } from '../write/transactions.ts'

/** Records whose stories are derived at once. */
const storiesAtOnce = 5_000

/** Builds an index of a table that has its rows, in a transaction. */
export async function createIndex(client: ClientBase, statement: string): Promise<void> {
  await client.query(`set local maintenance_work_mem = '512MB'`)
  // By itself: a cluster passes the whole text on to its nodes.
  await client.query(statement)
}

/** Runs within the caller's transaction. Returns false, without changes, if there are records already. */
export async function fill(
  transaction: Transaction,
  given: ApplierOptions,
  batches: AsyncIterable<readonly Change[]>,
  total: Outcome,
): Promise<boolean> {
  const { client } = transaction
  const { tables } = given
  for (const { name } of tables)
    if ((await client.query(`select from ${quote(name)} limit 1`)).rows.length > 0) return false
  const applier = new Applier(new PostgresRecordStore(tables, false), given)
  const counts = new OutcomeCounts()
  const options = { blind: true, counts }
  for (const statement of tables.flatMap(dropIndexes)) await client.query(statement)
  for await (const batch of batches)
    addOutcome(total, await transaction.run(applier.apply(transaction, batch, options)))
  // A story that is set later writes its row into each index again.
  for (const statement of tables.flatMap(storyIndexStatements)) await createIndex(client, statement)
  for (const table of tables) await client.query(markAll(table))
  while (await transaction.run(applier.deriveStories(transaction, storiesAtOnce)));
  for (const statement of tables.flatMap(rewriteStatements)) await client.query(statement)
  for (const statement of tables.flatMap(indexStatements)) await createIndex(client, statement)
  await client.query('set local enable_seqscan = on')
  for (const table of tables) await client.query(fillCounts(table))
  await client.query(fillSums(tables))
  await transaction.run(counts.save(importSource))
  return true
}

/** Runs after the load, outside a transaction; the server's autovacuum would do the same some time later. */
export async function tidy(tables: readonly Table[], client: ClientBase): Promise<void> {
  const parts = tables.flatMap((table) => [
    analyzedColumns(table),
    ...[...table.arrays, ...table.counts, ...ownSums(table)].map(({ name }) => quote(name)),
  ])
  await client.query(`vacuum (analyze) base, ${parts.join(', ')}`)
}
