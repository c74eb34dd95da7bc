/** Frees space and drops statistics after rows were removed for good. */
import type { Client } from 'pg'
import { metadataSchema, recordsSchema } from '../layout/ddl.ts'
import { codeOf } from '../failures.ts'
import { dropOld } from '../layout/generations.ts'
import { nextSchema, oldSchema } from '../layout/rebuild-state.ts'

/**
 * Must run outside a transaction. False if removed values may remain: in tables of a rebuild that are still read, or in
 * the statistics of a table, which contain samples of stored values.
 */
export async function compact(client: Client): Promise<boolean> {
  await dropOld(client)
  const { rows } = await client.query<{ left: boolean }>(
    `select to_regnamespace('${oldSchema}') is not null or to_regnamespace('${nextSchema}') is not null as left`,
  )
  await client.query('vacuum (analyze)')
  return (await forgetStatistics(client)) && rows[0]?.left === false
}

/** The type of a column, as its declaration spells it. */
const type = `format_type(a.atttypid, a.atttypmod) || case when a.attcollation in (0, 'pg_catalog."default"'::regcollation)
  then '' else ' collate ' || a.attcollation::regcollation::text end`

/** For empty tables the server retains the last samples, unless the type of a column is set again. */
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
      // Several statements in one query are one transaction.
      await client.query(`set local lock_timeout = '5s'; alter table ${table} ${changes}`)
    } catch (error) {
      if (codeOf(error) !== '55P03') throw error
      return false
    }
  }
  return true
}
