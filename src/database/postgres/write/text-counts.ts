/**
 * Estimates from a sample how many records contain a sequence of one to three characters, or a word. Access paths are chosen by
 * these counts; they are refreshed when a fifth of the rows has changed.
 */
import { plainWordsOf } from '../../../search/words.ts'
import { storedColumns, type Table, type TextIndex, type WordIndex } from '../../layout/tables.ts'
import { quote, virtualText } from '../layout/ddl.ts'
import { ask, type Steps, jsonRows, jsonValue } from '../../metadata/steps.ts'

/** Approximate number of rows. */
const sampleSize = 5_000
/** Sequences with fewer occurrences in a sample count as rare. */
const leastSeen = 2
const longestSequence = 3

/** A table, and its rows written since its counts were last refreshed. */
interface CountedTable {
  readonly table: Table
  drift: number
}

export function* refreshDriftedCounts(counted: CountedTable): Steps<void> {
  const { drift, table } = counted
  if (drift < 1000 || table.texts.length === 0) return
  if (drift < 1000 + (yield* estimateRows(table)) / 5) return
  yield* ask(`analyze ${analyzedColumns(table)}`)
  yield* refreshCounts(counted)
}

export function* refreshCounts(counted: CountedTable): Steps<void> {
  const { table } = counted
  const rows = yield* estimateRows(table)
  for (const text of table.texts) yield* takeTrigramCounts(table, text, rows)
  if (table.words !== null) yield* takeWordCounts(table, table.words, rows)
  counted.drift = 0
}

/** Columns for `analyze`. It would take seconds for records and folded text, on which no plan depends. */
export function analyzedColumns(table: Table): string {
  const stored = storedColumns(table).flatMap(({ name, kind }) => (kind === 'folded' ? [] : [name]))
  const columns = ['id', 'base', 'did', 'rkey', 'cid', 'rev', 'indexed_at', 'changed_at', ...stored]
  // Columns are not passed on to other nodes.
  if (table.isSpread) return quote(table.name)
  return `${quote(table.name)} (${columns.map(quote).join(', ')})`
}

/** The server's latest estimate, which is 0 if it has none, and for a table that is spread over nodes. */
function* estimateRows({ name, isSpread }: Table): Steps<number> {
  const [row] = isSpread
    ? yield* ask(`select count(*) as rows from ${quote(name)}`)
    : yield* ask(
        'select greatest(reltuples, 0)::bigint as rows from pg_class where oid = ?::regclass',
        quote(name),
      )
  return Number(row?.rows)
}

function* takeTrigramCounts(table: Table, { name, folded }: TextIndex, rows: number): Steps<void> {
  const sample = yield* takeSample<{ text: string | null }>(table, `${quote(folded.name)} as text`, rows)
  yield* saveCounts(
    name,
    rows,
    sample.map(({ text }) => sequencesOf(text ?? '')),
  )
}

function* takeWordCounts(table: Table, { name, fields }: WordIndex, rows: number): Steps<void> {
  const texts = fields.map(({ text }, index) => `${virtualText(text)} as t${index}`)
  const sample = yield* takeSample<Readonly<Record<string, string | null>>>(table, texts.join(', '), rows)
  yield* saveCounts(
    name,
    rows,
    sample.map((row) => new Set(fields.flatMap((_, index) => plainWordsOf(row[`t${index}`] ?? '')))),
  )
}

function takeSample<Row extends object>(
  { name }: Table,
  columns: string,
  rows: number,
): Steps<readonly Row[]> {
  const percentage = rows <= sampleSize ? 100 : (100 * sampleSize) / rows
  return ask<Row>(`select ${columns} from ${quote(name)} tablesample system (?)`, percentage)
}

/** `sample`: the terms of each row. */
function* saveCounts(index: string, rows: number, sample: readonly ReadonlySet<string>[]): Steps<void> {
  const seen = new Map<string, number>()
  for (const terms of sample) for (const term of terms) seen.set(term, (seen.get(term) ?? 0) + 1)
  const scale = Math.max(rows / sample.length, 1)
  const counts: string[] = []
  for (const [term, times] of seen)
    if (times >= leastSeen) counts.push(`{"term":${jsonValue(term)},"records":${Math.round(times * scale)}}`)
  yield* ask('delete from text_count where index_name = ?', index)
  yield* ask(
    `insert into text_count (index_name, term, records)
     select ?, term, records from json_to_recordset(?) as given (term text, records bigint)`,
    index,
    jsonRows(counts),
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
