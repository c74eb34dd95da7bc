/** What is done when rows were removed for good. */
import type { Client } from 'pg'
import { dropOld } from './rebuild.ts'

/**
 * Outside of a transaction. False when tables of a rebuild are still read that have what was removed since. Statistics
 * have samples of what was stored, so that they are taken anew.
 */
export async function compact(client: Client): Promise<boolean> {
  await dropOld(client)
  const { rows } = await client.query<{ left: boolean }>(
    `select to_regnamespace('lexigraph_records_old') is not null as left`,
  )
  await client.query('vacuum (analyze)')
  return rows[0]?.left === false
}
