/** Tables of the former lexicons: kept where their collections are no longer served, dropped once nobody reads them. */
import type { Client } from 'pg'
import type { Table } from '../../layout/tables.ts'
import { quote, recordsSchema } from './ddl.ts'
import { codeOf } from '../failures.ts'
import { nextSchema, oldSchema, rebuildSchema } from './rebuild-state.ts'
import { lockSpace, locks } from '../write/transactions.ts'

/** Less than the server's own `deadlock_timeout`: this is what gives way, never a reader. */
const briefly = '500ms'

/**
 * Collections that are no longer served keep their table, so that nothing is lost when they come back. Servers of the
 * former lexicons may still read them: this waits between their statements, without holding up those that follow.
 */
export async function keepUnserved(client: Client, tables: readonly Table[]): Promise<void> {
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

/**
 * What a rebuild has left, whether it was finished or given up: once nobody reads it any more, and nobody is at work on
 * it; else whoever starts next does it. Within no transaction.
 */
export async function dropOld(client: Client): Promise<void> {
  const { rows } = await client.query(
    `select where to_regnamespace('${oldSchema}') is not null or to_regnamespace('${rebuildSchema}') is not null`,
  )
  if (rows.length === 0) return
  try {
    // Several statements at once are a transaction.
    await patiently(3, () =>
      client.query(
        `set local lock_timeout = '${briefly}'; select pg_advisory_xact_lock(${lockSpace}, ${locks.migrating});
         drop schema if exists ${oldSchema}, ${nextSchema}, ${rebuildSchema} cascade`,
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
