/** Estimates from samples how many records have one to three characters, or a word. Access paths depend on them. */
import { plainWordsOf } from '../../../search/words.ts'
import { storedColumns, type Table } from '../../layout/tables.ts'
import { quote, virtualText } from '../layout/ddl.ts'
import { ask, type Steps } from '../../metadata/steps.ts'

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
  // The nodes of a cluster do so by themselves, and may not within a transaction that has changed what each of them has.
  if (!table.isSpread) yield* ask(`analyze ${analyzedColumns(table)}`)
  yield* refreshCounts(counted)
}

export function* refreshCounts(counted: CountedTable): Steps<void> {
  const { table } = counted
  const rows = yield* estimateRows(table)
  for (const { name, folded } of table.texts)
    yield* takeCounts(table, name, `${quote(folded.name)} as text`, rows, sequencesOf)
  if (table.words !== null) {
    const texts = table.words.fields.map(({ text }, index) => `${virtualText(text)} as t${index}`)
    yield* takeCounts(table, table.words.name, texts.join(', '), rows, plainWordsOf)
  }
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

/** `columns`: what to select of each row; `termsOf`: the terms of one of its texts. */
function* takeCounts(
  table: Table,
  index: string,
  columns: string,
  rows: number,
  termsOf: (text: string) => Iterable<string>,
): Steps<void> {
  const percentage = rows <= sampleSize ? 100 : (100 * sampleSize) / rows
  const sample = yield* ask(`select ${columns} from ${quote(table.name)} tablesample system (?)`, percentage)
  const seen = new Map<string, number>()
  for (const row of sample) {
    const terms = new Set(Object.values(row).flatMap((text) => [...termsOf(String(text ?? ''))]))
    for (const term of terms) seen.set(term, (seen.get(term) ?? 0) + 1)
  }
  const scale = Math.max(rows / sample.length, 1)
  const counts = [...seen].flatMap(([term, times]) =>
    times >= leastSeen ? { term, records: Math.round(times * scale) } : [],
  )
  yield* ask('delete from text_count where index_name = ?', index)
  yield* ask(
    `insert into text_count (index_name, term, records)
     select ?, term, records from json_to_recordset(?) as given (term text, records bigint)`,
    index,
    JSON.stringify(counts),
  )
}

function* sequencesOf(text: string): Generator<string> {
  const characters = [...text]
  for (const start of characters.keys())
    for (let sequence = '', at = start; at < start + longestSequence && at < characters.length; at += 1)
      yield (sequence += characters[at])
}
