/** The DDL of tables, side tables and indexes in SQLite. The primary columns precede the derived ones. */
import { createHash } from 'node:crypto'
import { quote } from '../../../sql/sql.ts'
import { countedValues, countKeys, type CountTable, daysOf } from '../../layout/counts.ts'
import type { Table, TextIndex } from '../../layout/tables.ts'

export { quote }

/** Increment when primary tables change; `migrations` in migrate.ts lead from each version to the next. */
export const schemaVersion = 11
/** "LxGr": distinguishes our files from those of other programs. */
export const applicationId = 0x4c784772
/** Increment when the same lexicons yield different derived columns or layouts, or when more lexicons are refused. */
const derivationVersion = 4
/** Former versions with fewer or no counts and no sums: a program that does not know all of them must not write. */
const formerVersions = [2, 3]
/** Ends every indexed text, so that its last one or two characters begin a trigram too. */
export const padding = '\u0001\u0001'

/** Identifies the source of the derived columns; a different value means they must be rebuilt. */
export function derivationOf(fingerprint: string): string {
  return derivationAt(derivationVersion, fingerprint)
}

/** Derivations whose tables differ only in counts and sums; oldest first. */
export function formerDerivationsOf(fingerprint: string): readonly string[] {
  return formerVersions.map((version) => derivationAt(version, fingerprint))
}

function derivationAt(version: number, fingerprint: string): string {
  return createHash('sha256').update(`${version}:${fingerprint}`).digest('hex')
}

export const recordColumns = [
  'id',
  'base',
  'rkey',
  'cid',
  'rev',
  'indexed_at',
  'changed_at',
  'record',
] as const

/**
 * Tables for following the network. Times are microseconds since 1970.
 * `actor`: accounts with records here; `floor` is the revision up to which all of a repository is known,
 * `move` the pending work on the rows of an account whose status has changed.
 * `hidden`: ids in `base` whose rows must not be visible. `parked`: quarantined rows of hidden accounts.
 * `tombstone`: the revision at which a record was deleted or refused; older versions do not come back.
 * `job`: repositories to fetch; `due_at` null: failed for good. A fetch must begin at or after `latest_at`.
 * `fetched`: repositories that were fetched for the live stream in the last minutes.
 */
export const networkTables = `
  create table actor (
    did text primary key, handle text, handle_due integer, status text, status_at integer not null, floor text, move text
  ) without rowid;
  create index actor_due on actor (handle_due) where handle_due is not null;
  create index actor_move on actor (move) where move is not null;
  create table hidden (base integer primary key);
  create table parked (
    base integer not null, rkey text not null, id integer, cid blob not null, rev text, indexed_at integer not null,
    changed_at integer not null, record blob not null, primary key (base, rkey)
  ) without rowid;
  create table tombstone (base integer not null, rkey text not null, rev text not null, primary key (base, rkey)) without rowid;
  create table source (
    name text primary key, cursor text, state text not null, detail text, event_at integer, lag real,
    rate real not null, heard_at integer not null
  ) without rowid;
  create table outcome (
    source text not null, collection text not null, outcome text not null, records integer not null,
    primary key (source, collection, outcome)
  ) without rowid;
  create table job (
    kind text not null, did text not null, host text, reason text not null, attempts integer not null,
    requested_at integer not null, due_at integer, latest_at integer not null, error text, primary key (kind, did)
  ) without rowid;
  create index job_due on job (kind, due_at);
  create table fetched (did text primary key, at integer not null) without rowid;
  create index fetched_at on fetched (at);
  create table listing (
    kind text not null, target text not null, cursor text, done integer not null, primary key (kind, target)
  ) without rowid;
`

/**
 * Tables for access and visibility. `api_key`: `hash` is the SHA-256 of the key. `hiding`: hidings by operators, active
 * while `shown_at` is null.
 */
export const publicTables = `
  create table api_key (
    id text primary key, hash text not null unique, name text not null, tier text not null, created_at integer not null,
    expires_at integer, revoked_at integer
  ) without rowid;
  create table hiding (
    subject text not null, hidden_at integer not null, hidden_by text not null, reason text not null, shown_at integer,
    shown_by text, primary key (subject, hidden_at)
  ) without rowid;
  create unique index hiding_now on hiding (subject) where shown_at is null;
`

/** The usage of keys by UTC day, as a number of days since 1970. */
export const usageTable = `
  create table key_usage (
    key text not null, day integer not null, requests integer not null, points integer not null, primary key (key, day)
  ) without rowid;
`

/** Further columns of keys: `valid_until`: the end that the operator set; `expires_at`: the end after a replacement. */
export const keyColumns = `
  alter table api_key add column contact text;
  alter table api_key add column valid_until integer;
`

/** The name of a source for callers; null if a program that did not know the column followed it last. */
export const sourceColumn = 'alter table source add column public_name text;'

/**
 * Tables for removed data. `purge`: purged subjects of hidings; `erased_at` is null while data may be left. `expired`:
 * records that were removed for their age and do not come back.
 */
export const erasureTables = `
  create table purge (
    subject text not null, hidden_at integer not null, purged_at integer not null, purged_by text not null,
    reason text not null, erased_at integer, primary key (subject, hidden_at)
  ) without rowid;
  create table expired (
    base integer not null, rkey text not null, rev text, indexed_at integer not null, primary key (base, rkey)
  ) without rowid;
  create index parked_age on parked (indexed_at);
  create index rejection_age on rejection (seen_at);
`

/**
 * Tables of every database: base URIs, refused records, collections, and one row of state. `last_id` and the columns
 * after it: the end of a collection's ids while rows are quarantined. `served`: whether the lexicons in force have the
 * collection.
 */
export const commonTables = `
  create table base (id integer primary key, uri text not null unique, did text, collection text);
  create table rejection (
    key text primary key, source text not null, uri text, reason text not null, message text not null,
    record text not null, seen_at integer not null, rev text, cut integer not null default 0
  ) without rowid;
  create index rejection_seen on rejection (seen_at, source) where source <> 'rebuild';
  create table collection (
    nsid text primary key, table_name text not null, ordered integer not null,
    last_id integer, last_indexed_at integer, last_rkey text, last_did text, served integer not null default 1
  ) without rowid;
  create table state (id integer primary key check (id = 1), plan_version integer not null, derivation text not null);
  ${networkTables}
  ${publicTables}
  ${keyColumns}
  ${sourceColumn}
  ${erasureTables}
  ${usageTable}
`

/** An upper bound for all trigrams with that prefix, which have at most two more characters. */
export function afterPrefix(needle: string): string {
  return `${needle}\u{10FFFF}\u{10FFFF}\u{10FFFF}`
}

/** A path into a record's JSON, as a literal. */
export function pathLiteral(path: readonly string[]): string {
  return `'$${path.map((part) => `.${JSON.stringify(part).replaceAll("'", "''")}`).join('')}'`
}

export function createTable(table: Table, name = table.name): string {
  const columns = table.columns.map(({ name: column, kind, path, virtual }) => {
    const type = kind === 'text' || kind === 'folded' || kind === 'refKey' ? 'text' : 'integer'
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

export function createIndexes(table: Table): string {
  const own = table.indexes.map(({ name, columns, partial }) => {
    const where = partial ? ` where ${quote(columns[0] as string)} is not null` : ''
    return `create index ${quote(name)} on ${quote(table.name)} (${columns.map(quote).join(', ')})${where};`
  })
  return [...own, createSideIndexes(table)].join('\n')
}

/** Leads from a record to its elements: without this index a join from each record scans its side table. */
export function createSideIndexes({ arrays }: Table): string {
  return arrays
    .map(({ name }) => `create index if not exists ${quote(sideIndex(name))} on ${quote(name)} (id);`)
    .join('\n')
}

function sideIndex(name: string): string {
  return `${name}/id`
}

export function dropIndexes(table: Table): string {
  const names = [...table.indexes, ...table.arrays.map((array) => ({ name: sideIndex(array.name) }))]
  return names.map(({ name }) => `drop index if exists ${quote(name)};`).join('\n')
}

/** Replaces null in the keys of count tables, which cannot be null; no counted value equals it. */
export const missingKey = "x''"

export function createCounts(table: Table, tables = table.counts): string {
  const kinds = new Map(table.columns.map(({ name, kind }) => [name, kind]))
  return tables
    .map((counts) => {
      const keys = countKeys(counts)
      const columns = keys.map((key, index) => {
        const kind = kinds.get(counts.columns[index] ?? '')
        return `${key} ${counts.kind !== 'day' && (kind === 'text' || kind === 'refKey') ? 'text' : 'integer'} not null, `
      })
      return `create table ${quote(counts.name)} (
        ${columns.join('')}n integer not null, primary key (${keys.join(', ')})) without rowid;${counts.kind === 'reference' ? createRanking(counts) : ''}`
    })
    .join('\n')
}

/** Indexes the counts of references: there are many, and queries ask for the highest. */
function createRanking({ name }: CountTable): string {
  return `create index ${quote(`${name}/n`)} on ${quote(name)} (n);`
}

/** Counts all rows. */
export function fillCounts(table: Table, tables = table.counts): string {
  return tables
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

/** One contentless trigram table per field, with its vocabulary and a table of approximate counts. */
export function createTextIndexes(table: Table): string {
  return table.texts
    .map(({ name }) => {
      const options = "content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1'"
      return `create virtual table ${quote(name)} using fts5(t, ${options});
        create table ${quote(`${name}/counts`)} (term text primary key, records integer not null) without rowid;
        insert into ${quote(name)} (${quote(name)}, rank) values ('pgsz', ${listPart});`
    })
    .concat(createVocabularies(table))
    .join('\n')
}

/** The tables that list an index's trigrams, without storing any data. */
export function createVocabularies(table: Table): string {
  return table.texts
    .map(
      ({ name }) => `create virtual table ${quote(`${name}/terms`)} using fts5vocab(${quote(name)}, 'row');`,
    )
    .join('\n')
}

/** Inserts all rows, or those that match a further condition, into a trigram index. */
export function fillText(table: Table, text: TextIndex, where = ''): string {
  return `insert into ${quote(text.name)} (rowid, t) select id, ${indexedText(text)}
    from ${quote(table.name)} where ${quote(text.text.name)} is not null ${where} order by id`
}

/** The text in a trigram index; null when the record has none. */
export function indexedText({ folded, text }: TextIndex): string {
  return `ifnull(${quote(folded.name)}, lower(${quote(text.name)})) || '${padding}'`
}

/** Merges all segments of an index into one. */
export function optimizeText({ name }: TextIndex): string {
  return `insert into ${quote(name)} (${quote(name)}) values ('optimize');`
}

export function refreshCounts({ name }: TextIndex): string {
  return `delete from ${quote(`${name}/counts`)};
    insert into ${quote(`${name}/counts`)} select term, doc from ${quote(`${name}/terms`)};`
}
