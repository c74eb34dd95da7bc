/**
 * Estimates from a sample how many records contain a sequence of one to three characters. Access paths are chosen by
 * these counts; they are refreshed when a fifth of the rows has changed.
 */
import { storedColumns, type Table, type TextIndex } from '../../layout/tables.ts'
import { recordColumns, quote } from '../layout/ddl.ts'
import { jsonRows, jsonValue } from '../read/json-rows.ts'
import type { TableWriter } from './table-writer.ts'
import type { Transaction } from './transactions.ts'

/** Approximate number of rows. */
const sampleSize = 5_000
/** Sequences with fewer occurrences in a sample count as rare. */
const leastSeen = 2
const longestSequence = 3

export async function refreshDriftedCounts(transaction: Transaction, table: TableWriter): Promise<void> {
  if (table.drift < 1000 || table.table.texts.length === 0) return
  const rows = await countRows(transaction, table)
  if (table.drift < 1000 + rows / 5) return
  await transaction.query(`analyze ${analyzedColumns(table.table)}`)
  await refreshCounts(transaction, table)
}

export async function refreshCounts(transaction: Transaction, table: TableWriter): Promise<void> {
  const rows = await countRows(transaction, table)
  for (const text of table.table.texts) await takeCounts(transaction, table, text, rows)
  table.drift = 0
}

/** Columns for `analyze`. It would take seconds for folded text, on which no plan depends. */
export function analyzedColumns(table: Table): string {
  const stored = storedColumns(table).flatMap(({ name, kind }) => (kind === 'folded' ? [] : [name]))
  const columns = [...recordColumns.filter((name) => name !== 'record'), ...stored]
  return `${quote(table.name)} (${columns.map(quote).join(', ')})`
}

/** The server's latest estimate; 0 if it has none. */
async function countRows({ query }: Transaction, { table }: TableWriter): Promise<number> {
  const [row] = await query<{ rows: bigint }>(
    'select greatest(reltuples, 0)::bigint as rows from pg_class where oid = $1::regclass',
    quote(table.name),
  )
  return Number(row?.rows)
}

async function takeCounts(
  { query }: Transaction,
  { table }: TableWriter,
  { name, folded }: TextIndex,
  rows: number,
): Promise<void> {
  const percentage = rows <= sampleSize ? 100 : (100 * sampleSize) / rows
  const sample = await query<{ text: string | null }>(
    `select ${quote(folded.name)} as text from ${quote(table.name)} tablesample system ($1)`,
    percentage,
  )
  const seen = new Map<string, number>()
  for (const { text } of sample)
    for (const sequence of sequencesOf(text ?? '')) seen.set(sequence, (seen.get(sequence) ?? 0) + 1)
  const scale = Math.max(rows / sample.length, 1)
  const counts: string[] = []
  for (const [term, times] of seen)
    if (times >= leastSeen) counts.push(`{"term":${jsonValue(term)},"records":${Math.round(times * scale)}}`)
  await query('delete from text_count where index_name = $1', name)
  await query(
    `insert into text_count (index_name, term, records)
     select $2, term, records from json_to_recordset($1) as given (term text, records bigint)`,
    jsonRows(counts),
    name,
  )
}

/** Returns each sequence once. */
function sequencesOf(text: string): Set<string> {
  const characters = [...text]
  const sequences = new Set<string>()
  for (const start of characters.keys())
    for (let sequence = '', at = start; at < start + longestSequence && at < characters.length; at += 1) {
      sequence += characters[at]
      sequences.add(sequence)
    }
  return sequences
}
