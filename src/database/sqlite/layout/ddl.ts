/**
 * The DDL of tables, side tables, indexes, counts and sums in SQLite. The primary columns precede the derived ones.
 */
import { createHash } from 'node:crypto'
import { wordsVersion } from '../../../search/words.ts'
import { quote } from '../../../sql/sql.ts'
import { countedValues, countKeys, type CountTable, daysOf, rankingIndex } from '../../layout/counts.ts'
import { ownSums, refersTo, type SumTable, sumColumns, summedValues } from '../../layout/sums.ts'
import type { Table, TextIndex } from '../../layout/tables.ts'
import { createMetadataTables } from '../../layout/metadata-tables.ts'
import { createMarks } from '../../stories/story-marks.ts'
import { missingKey, pathLiteral, sampledBytes } from '../dialect.ts'
import { createWordIndex } from './word-ddl.ts'

export { quote }

/** Increment when primary tables change; files of other versions are refused. */
export const schemaVersion = 11
/** "LxGr": distinguishes our files from those of other programs. */
export const applicationId = 0x4c784772
/** Increment when the same lexicons yield different derived columns or layouts, or when more lexicons are refused. */
const derivationVersion = 9
/** Ends every indexed text, so that its last one or two characters begin a trigram too. */
export const padding = '\u0001\u0001'

/** Identifies the source of the derived columns; a different value means they must be rebuilt. */
export function derivationOf(fingerprint: string): string {
  return createHash('sha256').update(`${derivationVersion}:${wordsVersion}:${fingerprint}`).digest('hex')
}

/**
 * Tables of every database. `last_id` and the columns after it: the end of a collection's ids while rows are
 * quarantined. `served`: whether the lexicons in force have the collection.
 */
export const commonTables = `
  create table collection (
    nsid text primary key, table_name text not null, ordered integer not null,
    last_id integer, last_indexed_at integer, last_rkey text, last_did text, served integer not null default 1
  ) without rowid;
  create table state (id integer primary key check (id = 1), plan_version integer not null, derivation text not null);
  ${createMetadataTables({
    text: 'text',
    integer: 'integer',
    flag: 'integer',
    real: 'real',
    cid: 'blob',
    json: 'blob',
    id: 'integer primary key',
    clustered: ' without rowid',
  })}
`

/** A table with all that belongs to it, but for its indexes. */
export function layOut(table: Table): string {
  const parts = [
    createTable(table),
    createSideTables(table),
    createTextIndexes(table),
    createWordIndex(table),
    createVocabularies(table),
    createCounts(table),
    createSums(table),
    createMarks(table),
  ]
  return parts.join('\n')
}

export function createTable(table: Table, name = table.name): string {
  const columns = table.columns.map(({ name: column, kind, path, virtual }) => {
    const type = ['text', 'folded', 'refKey', 'names'].includes(kind) ? 'text' : 'integer'
    return `, ${quote(column)} ${type}${virtual ? ` generated always as (record ->> ${pathLiteral(path)}) virtual` : ''}`
  })
  return `create table ${quote(name)} (
    id integer primary key, base integer not null, rkey text not null, cid blob not null, rev text,
    indexed_at integer not null, changed_at integer not null, record blob not null${columns.join('')}
  );
  create unique index ${quote(`${name}/key`)} on ${quote(name)} (base, rkey);`
}

export function createSideTables(table: Table, suffix = ''): string {
  return table.arrays
    .map(({ name, kind }) => {
      const columns =
        kind === 'reference'
          ? 'base integer not null, rkey text not null'
          : `value ${kind === 'text' ? 'text' : 'integer'} not null`
      const key = kind === 'reference' ? 'base, rkey' : 'value'
      return `create table ${quote(name + suffix)} (${columns}, id integer not null, primary key (${key}, id)) without rowid;`
    })
    .join('\n')
}

/**
 * One statement for each index but the unique key. Those of arrays lead from a record to its elements: without them a
 * join from each record scans a side table.
 */
export function indexStatements(table: Table): readonly string[] {
  const sides = table.arrays.map(
    ({ name }) => `create index if not exists ${quote(`${name}/id`)} on ${quote(name)} (id);`,
  )
  const own = table.indexes.map(({ name, kind, columns, partial, included }) => {
    const where = partial ? ` where ${quote(columns[0] as string)} is not null` : ''
    // Equal keys stay in the order of their ids.
    const all = included.length === 0 ? columns : [...columns, 'id', ...included]
    const keys = kind === 'sample' ? sampledBytes('cid') : all.map(quote).join(', ')
    return `create index ${quote(name)} on ${quote(table.name)} (${keys})${where};`
  })
  return [...sides, ...own]
}

export function dropIndexes(table: Table): string {
  const names = [...table.indexes, ...table.arrays.map((array) => ({ name: `${array.name}/id` }))]
  return names.map(({ name }) => `drop index if exists ${quote(name)};`).join('\n')
}

function createCounts(table: Table): string {
  const kinds = new Map(table.columns.map(({ name, kind }) => [name, kind]))
  return table.counts
    .map((counts) => {
      const keys = countKeys(counts)
      const columns = keys.map((key, index) => {
        const kind = kinds.get(counts.columns[index] ?? '')
        return `${key} ${counts.kind !== 'day' && (kind === 'text' || kind === 'refKey') ? 'text' : 'integer'} not null, `
      })
      const ranking = `create index ${quote(rankingIndex(counts))} on ${quote(counts.name)} (n);`
      return `create table ${quote(counts.name)} (
        ${columns.join('')}n integer not null, primary key (${keys.join(', ')})) without rowid;${counts.kind === 'reference' ? ranking : ''}`
    })
    .join('\n')
}

export function fillCounts(table: Table): string {
  return table.counts
    .map((counts) =>
      counts.kind === 'month' ? addDaysUp(counts, daysOf(table.counts, counts)) : fillCount(table, counts),
    )
    .join('\n')
}

function addDaysUp(months: CountTable, days: CountTable): string {
  const month = `unixepoch(value * 86400, 'unixepoch', 'start of month') / 86400`
  return `delete from ${quote(months.name)};
    insert into ${quote(months.name)} select iif(value = ${missingKey}, value, ${month}) as month, sum(n)
      from ${quote(days.name)} group by month;`
}

function fillCount({ name }: Table, counts: CountTable): string {
  const values = countedValues(counts, quote).map((value, index) => `${value} as v${index}`)
  const names = values.map((_, index) => `v${index}`)
  // Nulls are replaced after grouping, because grouping by an expression cannot use an index.
  const by = counts.kind === 'total' ? 'having count(*) > 0' : `group by ${names.join(', ')}`
  return `delete from ${quote(counts.name)};
    insert into ${quote(counts.name)} select ${names.map((it) => `ifnull(${it}, ${missingKey})`).join(', ')}, n
      from (select ${values.join(', ')}, count(*) as n from ${quote(name)} ${by});`
}

/** The index for the default order, needed when ids do not follow it. */
export function createOrderIndex(table: Table): string {
  return `create index if not exists ${quote(`${table.name}/indexed_at`)} on ${quote(table.name)} (indexed_at, rkey);`
}

export function dropOrderIndex(table: Table): string {
  return `drop index if exists ${quote(`${table.name}/indexed_at`)};`
}

/**
 * Bytes per page of a trigram's posting list. A scan from the newest record reads the whole last page first; with
 * FTS5's default of 4,050 that takes longer than all other work for a page of results.
 */
const listPart = 1_000

/** One contentless trigram table per field, with a table of approximate counts. */
function createTextIndexes(table: Table): string {
  return table.texts
    .map(({ name }) => {
      const options = "content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1'"
      return `create virtual table ${quote(name)} using fts5(t, ${options});
        create table ${quote(`${name}/counts`)} (term text primary key, records integer not null) without rowid;
        insert into ${quote(name)} (${quote(name)}, rank) values ('pgsz', ${listPart});`
    })
    .join('\n')
}

/** The tables that list the trigrams and words of indexes, without storing any data. */
export function createVocabularies({ texts, words }: Table): string {
  return [...texts, ...(words === null ? [] : [words])]
    .map(
      ({ name }) => `create virtual table ${quote(`${name}/terms`)} using fts5vocab(${quote(name)}, 'row');`,
    )
    .join('\n')
}

/** Inserts the rows with ids after one, up to another, into a trigram index. */
export function fillText(table: Table, { name, folded, text }: TextIndex): string {
  const indexed = `ifnull(${quote(folded.name)}, lower(${quote(text.name)})) || '${padding}'`
  return `insert into ${quote(name)} (rowid, t) select id, ${indexed}
    from ${quote(table.name)} where ${quote(text.name)} is not null and id > ? and id <= ? order by id`
}

/** Merges all segments of an index of trigrams or words into one. */
export function optimizeText({ name }: Pick<TextIndex, 'name'>): string {
  return `insert into ${quote(name)} (${quote(name)}) values ('optimize');`
}

export function refreshCounts({ name }: TextIndex): string {
  return `delete from ${quote(`${name}/counts`)};
    insert into ${quote(`${name}/counts`)} select term, doc from ${quote(`${name}/terms`)};`
}

function createSums(table: Table): string {
  return ownSums(table)
    .map((sums) => {
      const columns = sumColumns(sums).map((column) => `${column} integer not null`)
      return `create table ${quote(sums.name)} (
        base integer not null, rkey text not null, ${columns.join(', ')}, primary key (base, rkey)) without rowid;`
    })
    .join('\n')
}

/** Sums all rows; the rows of all tables must be in place. */
export function fillSums(table: Table): string {
  return ownSums(table).map(fillSum).join('\n')
}

function fillSum(sums: SumTable): string {
  const { name, of, between, second } = sums
  const values = summedValues(sums, quote).map((value, index) => `${value} as v${index}`)
  return `delete from ${quote(name)};
    insert into ${quote(name)} select ifnull(base, ${missingKey}), ifnull(rkey, ${missingKey}), ${values.map((_, index) => `v${index}`).join(', ')}
      from (select d.${quote(second.base)} as base, d.${quote(second.key)} as rkey, ${values.join(', ')}
        from ${quote(of)} c left join ${quote(between)} d on ${refersTo(sums, quote)} group by 1, 2);`
}
