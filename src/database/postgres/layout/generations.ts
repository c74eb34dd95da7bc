/** Tables of the former lexicons: retained for collections no longer served, dropped when no query reads them. */
import type { Client } from 'pg'
import type { Table } from '../../layout/tables.ts'
import { quote, recordsSchema } from './ddl.ts'
import { codeOf } from '../failures.ts'
import { nextSchema, oldSchema, rebuildSchema } from './rebuild-state.ts'
import { lockSpace, locks } from '../write/transactions.ts'

/** Shorter than the server's `deadlock_timeout`, so that this process gives way and never a reader. */
const briefly = '500ms'

/**
 * Retains the tables of collections that are no longer served, in case they are served again. Services with the former
 * lexicons may still read them: this waits between their statements without blocking later ones.
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
 * Drops the tables that a finished or abandoned rebuild has left, unless a query still reads them or a process works on
 * them; then the next process that starts drops them. Must run outside a transaction.
 */
export async function dropOld(client: Client): Promise<void> {
  const { rows } = await client.query(
    `select where to_regnamespace('${oldSchema}') is not null or to_regnamespace('${rebuildSchema}') is not null`,
  )
  if (rows.length === 0) return
  try {
    // Several statements in one query are one transaction.
    await patiently(3, () =>
      client.query(
        `set local lock_timeout = '${briefly}'; select pg_advisory_xact_lock(${lockSpace}, ${locks.migrating});
         select pg_advisory_xact_lock(${lockSpace}, ${locks.writing});
         drop schema if exists ${oldSchema}, ${nextSchema}, ${rebuildSchema} cascade`,
      ),
    )
  } catch (error) {
    if (codeOf(error) !== lockTimeout) throw error
  }
}

const lockTimeout = '55P03'

/** Repeats work that needs locks held by readers. Each time that it stops waiting, the statements behind it proceed. */
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
