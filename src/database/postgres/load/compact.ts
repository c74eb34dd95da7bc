/** What is done when rows were removed for good. */
import type { Client } from 'pg'
import { metadataSchema, recordsSchema } from '../layout/ddl.ts'
import { codeOf } from '../failures.ts'
import { dropOld } from '../layout/generations.ts'
import { nextSchema, oldSchema } from '../layout/rebuild-state.ts'

/**
 * Outside of a transaction. False when tables of a rebuild are still read that have what was removed since, or a table
 * whose statistics do. Those are samples of what was stored.
 */
export async function compact(client: Client): Promise<boolean> {
  await dropOld(client)
  const { rows } = await client.query<{ left: boolean }>(
    `select to_regnamespace('${oldSchema}') is not null or to_regnamespace('${nextSchema}') is not null as left`,
  )
  await client.query('vacuum (analyze)')
  return (await forgetStatistics(client)) && rows[0]?.left === false
}

/** A column's type, written as it is declared. */
const type = `format_type(a.atttypid, a.atttypmod) || case when a.attcollation in (0, 'pg_catalog."default"'::regcollation)
  then '' else ' collate ' || a.attcollation::regcollation::text end`

/** Of tables without rows: there the server leaves the last samples as they are, unless a column is given its type again. */
async function forgetStatistics(client: Client): Promise<boolean> {
  const { rows: sampled } = await client.query<{ table: string; changes: string }>(
    `select format('%I.%I', n.nspname, c.relname) as table,
       string_agg(format('alter column %I type %s', a.attname, ${type}), ', ') as changes
     from pg_statistic s join pg_class c on c.oid = s.starelid and c.relkind = 'r'
       join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum = s.staattnum
     where n.nspname in ('${metadataSchema}', '${recordsSchema}') and a.attidentity = '' group by 1`,
  )
  for (const { table, changes } of sampled) {
    const { rows: found } = await client.query(`select from ${table} limit 1`)
    if (found.length > 0) continue
    try {
      // Several statements at once are a transaction.
      await client.query(`set local lock_timeout = '5s'; alter table ${table} ${changes}`)
    } catch (error) {
      if (codeOf(error) !== '55P03') throw error
      return false
    }
  }
  return true
}
