/** Compares all that is derived from records with these, and records with their CIDs. A difference is damage. */
import { formatCid, cidOfJson } from '../../lexicon/records/cid.ts'
import { quote } from '../../sql/sql.ts'
import type { ColumnValue, ReadDatabase } from '../database.ts'
import type { StepRow } from '../metadata/steps.ts'
import { deriveRow, wordTexts } from '../derive.ts'
import { valueAt } from '../../util/is-object.ts'
import { padding } from '../sqlite/layout/ddl.ts'
import { foldText } from '../../util/text/fold.ts'
import { indexedWords } from '../../search/indexed-words.ts'
import { wordVector } from '../postgres/write/word-vector.ts'
import { lengthsName } from '../sqlite/layout/word-ddl.ts'
import { storedColumns, type Table, type WordIndex } from '../layout/tables.ts'
import type { Dialect } from '../../sql/dialect.ts'
import { type Damage, differingCounts, unreadable } from './verify-counts.ts'
import { wrongStories } from './verify-stories.ts'

/** The most damage that is reported per table. */
const most = 100

export async function findDamage(
  read: ReadDatabase,
  tables: readonly Table[],
  signal?: AbortSignal,
): Promise<readonly Damage[]> {
  const damage: Damage[] = []
  for (const table of tables) {
    let found = 0
    try {
      for await (const one of damagedIn(read, table, signal)) {
        damage.push(one)
        if (++found === most) break
      }
    } catch (cause) {
      signal?.throwIfAborted()
      damage.push({ name: table.name, problem: unreadable(cause as Error) })
    }
  }
  return [...damage, ...(await differingCounts(read, tables))]
}

async function* damagedIn(read: ReadDatabase, table: Table, signal?: AbortSignal): AsyncGenerator<Damage> {
  const isSqlite = read.dialect.engine === 'sqlite'
  const indexes = isSqlite ? termIndexes(table) : []
  const terms = indexes.map(() => new Map<string, number>())
  for await (const row of read.readRows({ text: statementOf(table, read.dialect), values: [] })) {
    signal?.throwIfAborted()
    if (row.term !== null) {
      add(terms[Number(row.place)], String(row.term), -Number(row.doc))
      continue
    }
    const problems = problemsOf(table, row, isSqlite, terms)
    const name = row.uri === null ? `${table.name}, row ${row.id}` : String(row.uri)
    if (row.uri === null) problems.unshift('It is of no repository.')
    if (problems.length > 0) yield { name, problem: problems.join(' ') }
  }
  yield* wrongStories(read, table, signal)
  for (const { name } of table.arrays) {
    const text = `select count(*) as n from ${quote(name)} s where not exists
      (select 1 from ${quote(table.name)} t where ${isEntryOf(read.dialect)})`
    for await (const { n } of read.readRows({ text, values: [] }))
      if (Number(n) > 0) yield { name, problem: `It has ${n} elements of records that are not there.` }
  }
  for (const [place, name] of indexes.entries()) {
    const differing = terms[place]?.values().reduce((sum, count) => sum + (count === 0 ? 0 : 1), 0) ?? 0
    if (differing > 0) yield { name, problem: `It has other records than the texts for ${differing} terms.` }
  }
}

/** The indexes of terms in SQLite: of trigrams, and of words. */
function termIndexes({ texts, words }: Table): readonly string[] {
  return [...texts.map(({ name }) => name), ...(words === null ? [] : [words.name])]
}

/** `terms`, per index: the number of records with each term, minus the number in the index. */
function problemsOf(
  table: Table,
  row: StepRow,
  isSqlite: boolean,
  terms: readonly Map<string, number>[],
): string[] {
  const problems: string[] = []
  const content = contentOf(table, row)
  if (content === null) return ['Its content cannot be parsed.']
  const { value, columns, arrays } = content
  const cid = row.cid instanceof Uint8Array ? formatCid(row.cid) : String(row.cid)
  if (content.cid !== cid) problems.push('Its content does not have its CID.')
  const differing = storedColumns(table).filter((column, index) => {
    if (column.path[0] === table.collection.stories?.field) return false
    const derived = column.kind === 'folded' ? foldedOf(value, column.path) : (columns[index] ?? null)
    return textOf(derived) !== textOf(row[`c${index}`] ?? null)
  })
  if (differing.length > 0)
    problems.push(`Columns differ from it: ${differing.map(({ name }) => name).join(', ')}.`)
  for (const [index, { name }] of table.arrays.entries()) {
    const derived = (arrays[index] ?? []).map((element) => element.map(String).join('')).sort()
    const stored = (JSON.parse(String(row[`a${index}`] ?? '[]')) as readonly string[]).toSorted()
    if (JSON.stringify(derived) !== JSON.stringify(stored))
      problems.push(`${name} has other elements than it.`)
  }
  if (isSqlite)
    for (const [index, { folded }] of table.texts.entries()) {
      const text = foldedOf(value, folded.path)
      if (text !== null) for (const term of trigramsOf(text + padding)) add(terms[index], term, 1)
    }
  return table.words === null
    ? problems
    : [...problems, ...wordProblems(table.words, value, row, terms[table.texts.length])]
}

/** `counts`: the number of records with each word; undefined if the row itself has its words. */
function wordProblems(
  index: WordIndex,
  value: object,
  { word_count: length, lexemes: stored }: StepRow,
  counts: Map<string, number> | undefined,
): string[] {
  const texts = wordTexts(index, value)
  const words = indexedWords(...texts)
  for (const term of new Set([...words.fields.flat(), ...words.marks])) add(counts, term, 1)
  const expected = counts === undefined ? JSON.stringify([...wordVector(...texts).lexemes].sort()) : null
  const found = stored === null ? null : JSON.stringify((JSON.parse(String(stored)) as string[]).sort())
  const { name } = index
  return [
    ...(Number(length) === words.length ? [] : [`${name} has another number of words than it.`]),
    ...(expected === found ? [] : [`${name} has other words than it.`]),
  ]
}

/** Null when the content cannot be parsed as a record. */
function contentOf(table: Table, { json }: StepRow) {
  if (json === null) return null
  try {
    const value = JSON.parse(String(json)) as object
    return { value, cid: cidOfJson(value), ...deriveRow(table, value) }
  } catch {
    return null
  }
}

function foldedOf(value: object, path: readonly string[]): string | null {
  const text = valueAt(value, path)
  return typeof text === 'string' ? foldText(text) : null
}

/** Like SQLite's tokenizer, which replaces U+FFFE and U+FFFF. */
function trigramsOf(text: string): Set<string> {
  const characters = [...text.replaceAll(/[\uFFFE\uFFFF]/g, '\uFFFD')]
  return new Set(characters.slice(2).map((last, at) => `${characters[at]}${characters[at + 1]}${last}`))
}

function add(counts: Map<string, number> | undefined, term: string, count: number): void {
  counts?.set(term, (counts.get(term) ?? 0) + count)
}

function textOf(value: ColumnValue): string | null {
  return value === null ? null : String(value)
}

/** Damaged content would end the statement; flag 8 checks JSONB strictly. */
const isReadable = 'json_valid(t.record, 8)'

/** Whether an entry `s` is of the record `t`: they lie together. */
function isEntryOf({ isSpread }: Dialect): string {
  return `s.id = t.id${isSpread ? ' and s.shard = t.shard' : ''}`
}

function statementOf(table: Table, dialect: Dialect): string {
  const isSqlite = dialect.engine === 'sqlite'
  const columns = storedColumns(table).map((column, index) => {
    const { name, kind } = column
    const stored = `t.${quote(name)}`
    if (kind === 'refBase') return `(select uri from base where id = ${stored}) as c${index}`
    // SQLite may omit the folded text when it equals the text in lower case.
    const text = table.texts.find(({ folded }) => folded === column)?.text.name
    const value =
      kind === 'folded' && isSqlite && text !== undefined
        ? `ifnull(${stored}, iif(${isReadable}, lower(t.${quote(text)}), null))`
        : stored
    return `cast(${value} as text) as c${index}`
  })
  const arrays = table.arrays.map(({ name, kind }, index) => {
    const element =
      kind === 'reference' ? '(select uri from base where id = s.base) || s.rkey' : 'cast(s.value as text)'
    const all = isSqlite ? `json_group_array(${element})` : `json_agg(${element})::text`
    return `(select ${all} from ${quote(name)} s where ${isEntryOf(dialect)}) as a${index}`
  })
  const json = isSqlite ? `iif(${isReadable}, json(t.record), null)` : 't.record::text'
  const selected = [`${json} as json`, ...columns, ...arrays, ...wordColumns(table, isSqlite)]
  const records = `select null as place, null as term, null as doc, b.uri || t.rkey as uri, t.id, t.cid, ${selected.join(', ')}
    from ${quote(table.name)} t left join base b on b.id = t.base`
  // Part of the same statement as the records, so that both come from one snapshot during concurrent writes.
  const nulls = ['null', 'null', 'null', ...selected.map(() => 'null')].join(', ')
  const terms = (isSqlite ? termIndexes(table) : []).map(
    (name, place) => `select ${place}, term, doc, ${nulls} from ${quote(`${name}/terms`)}`,
  )
  return [records, ...terms].join(' union all ')
}

function wordColumns({ words }: Table, isSqlite: boolean): readonly string[] {
  if (words === null) return []
  return isSqlite
    ? [
        `(select words from ${quote(lengthsName(words))} l where l.id = t.id) as word_count`,
        'null as lexemes',
      ]
    : ['t.word_count', 'array_to_json(tsvector_to_array(t.words))::text as lexemes']
}
