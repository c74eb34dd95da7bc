/**
 * Roughly how many records hold a sequence of one to three characters, from a sample. Such counts choose between
 * roads; they are taken anew when a fifth of the rows has changed.
 */
import type { TextIndex } from '../tables.ts'
import { quote } from './ddl.ts'
import type { TableWriter } from './table-writer.ts'
import type { Transaction } from './transactions.ts'

/** Rows, roughly. */
const sampleSize = 5_000
/** What is seen less often in a sample counts as rare. */
const leastSeen = 2

export async function refreshDriftedCounts(transaction: Transaction, table: TableWriter): Promise<void> {
  if (table.drift < 1000 || table.table.texts.length === 0) return
  const rows = await rowsOf(transaction, table)
  if (table.drift < 1000 + rows / 5) return
  // The server counts by itself too, but perhaps has not since.
  await transaction.query(`analyze ${quote(table.table.name)}`)
  await refreshCounts(transaction, table)
}

export async function refreshCounts(transaction: Transaction, table: TableWriter): Promise<void> {
  const rows = await rowsOf(transaction, table)
  for (const text of table.table.texts) {
    await transaction.query('delete from text_count where index_name = $1', text.name)
    await transaction.query(countSequences(text, table.table.name), text.name, percentage(rows), rows)
  }
  table.drift = 0
}

/** Before the table was first looked at by the server: none. */
async function rowsOf({ query }: Transaction, { table }: TableWriter): Promise<number> {
  const [row] = await query<{ rows: bigint }>(
    'select greatest(reltuples, 0)::bigint as rows from pg_class where oid = $1::regclass',
    quote(table.name),
  )
  return Number(row?.rows)
}

function percentage(rows: number): number {
  return rows <= sampleSize ? 100 : (100 * sampleSize) / rows
}

function countSequences({ folded }: TextIndex, table: string): string {
  return `with sample as materialized (
      select ${quote(folded.name)} as text from ${quote(table)} tablesample system ($2)
    ), held as (
      select distinct sample.n, term from (select row_number() over () as n, text from sample) as sample,
        lateral (select string_to_array(text, null) as letters) as split,
        lateral (
          select unnest(short_grams(text)) as term
          union all select a || b || c from unnest(letters, letters[2:], letters[3:]) as three (a, b, c) where c is not null
        ) as terms
    )
    insert into text_count (index_name, term, records)
    select $1, term, round(count(*) * greatest($3 / (select count(*) from sample), 1))
    from held group by term having count(*) >= ${leastSeen}`
}
