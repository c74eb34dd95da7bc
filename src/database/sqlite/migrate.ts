/**
 * Brings a file to this program's schema and to the lexicons in force, in one transaction:
 * a new file is laid out, an older one is migrated, and only tables that were derived otherwise are
 * rebuilt from the records they keep. Readers see the old state until it is done.
 */
import type { DatabaseSync } from 'node:sqlite'
import { type Change, LostCollectionsError, type RebuildPolicy, type RejectionJudge } from '../database.ts'
import { findLost, leaveUnserved } from '../kept/preview.ts'
import { readRejections } from '../kept/read-rejections.ts'
import { basesWhere, parkHidden, startAnew, withheld } from '../kept/rebuild.ts'
import { keptRecord } from '../kept-record.ts'
import type { KeptRejection } from '../ledger.ts'
import { RebuildCounters, type RebuildReport } from '../rebuild-report.ts'
import { builtElsewise } from '../refusals.ts'
import { canBeJudged } from '../rejections.ts'
import type { Table } from '../tables.ts'
import {
  applicationId,
  commonTables,
  createCounts,
  createIndexes,
  createSideIndexes,
  createSideTables,
  createTable,
  createTextIndexes,
  derivationOf,
  formerDerivationsOf,
  keyColumns,
  networkTables,
  publicTables,
  quote,
  schemaVersion,
} from './ddl.ts'
import { addCounts } from './count-writer.ts'
import { assertOurs, isCurrent, isEmpty, readDerivation, readSchemaVersion } from './layout.ts'
import { createRunner, type Run } from './steps.ts'
import { createSums } from './sum-ddl.ts'
import { addSums } from './sum-writer.ts'
import { SqliteWriter, type WriterOptions } from './writer.ts'

export interface MigrateOptions extends WriterOptions {
  /** Of the lexicons: another one means that derived columns are stale. */
  readonly fingerprint: string
  /** Default: always. */
  readonly rebuild?: RebuildPolicy
  /** Judges refused records again when the lexicons have changed. Absent: they stay refused. */
  readonly judge?: RejectionJudge
  /** Told what a rebuild did, after it is committed. */
  readonly onRebuilt?: (report: RebuildReport) => void
}

/** Statements that lead from schema version 1 + index to the next. */
const migrations: readonly string[] = [
  `alter table rejection add column rev text;
   alter table rejection add column cut integer not null default 0;
   create index rejection_seen on rejection (seen_at, source) where source <> 'rebuild';
   alter table collection add column last_id integer;
   alter table collection add column last_indexed_at integer;
   alter table collection add column last_rkey text;
   alter table collection add column last_did text;
   ${networkTables}`,
  publicTables,
  // Counts, which are of the collections that are served, and then those by month, and sums: addCounts, addSums.
  '',
  '',
  // Indexes from records to their array elements: createSideIndexes.
  '',
  'alter table collection add column served integer not null default 1',
  keyColumns,
]
/** The first schema version with sums. */
const summedVersion = 5

/** Fails, changing nothing, on a file that is not ours. */
export function migrate(database: DatabaseSync, options: MigrateOptions): void {
  if (isCurrent(database, options.fingerprint)) return
  let report: RebuildReport | null = null
  database.exec('begin immediate')
  try {
    // Another process may have been first while this one waited.
    assertOurs(database)
    if (isEmpty(database)) create(database, options)
    else if (!isCurrent(database, options.fingerprint)) report = upgrade(database, options)
    database.exec('commit')
  } catch (error) {
    database.exec('rollback')
    throw error
  }
  if (report !== null) options.onRebuilt?.(report)
}

function create(database: DatabaseSync, { tables, fingerprint }: MigrateOptions): void {
  database.exec(
    `pragma application_id = ${applicationId}; pragma user_version = ${schemaVersion}; ${commonTables}`,
  )
  database
    .prepare('insert into state (id, plan_version, derivation) values (1, 1, ?)')
    .run(derivationOf(fingerprint))
  for (const table of tables) layOut(database, table)
}

function layOut(database: DatabaseSync, table: Table): void {
  const parts = [createTable, createSideTables, createTextIndexes, createIndexes, createCounts, createSums]
  database.exec(parts.map((create) => create(table)).join('\n'))
  database
    .prepare('insert into collection (nsid, table_name, ordered) values (?, ?, 1)')
    .run(table.collection.nsid, table.name)
}

/** What a rebuild did; null when none was needed. */
function upgrade(database: DatabaseSync, options: MigrateOptions): RebuildReport | null {
  const version = readSchemaVersion(database)
  for (const statements of migrations.slice(version - 1)) database.exec(statements)
  database.exec(`pragma user_version = ${schemaVersion}`)
  const derivation = derivationOf(options.fingerprint)
  const found = readDerivation(database)
  const same = [derivation, ...formerDerivationsOf(options.fingerprint)]
  if (found !== null && same.includes(found)) {
    for (const table of options.tables) addCounts(database, table)
    if (version < summedVersion) addSums(database, options.tables)
    for (const table of options.tables) database.exec(createSideIndexes(table))
    database.prepare('update state set derivation = ?').run(derivation)
    return null
  }
  const { rebuild: policy = 'always' } = options
  if (policy === 'never') throw builtElsewise()
  const run = createRunner(database)
  if (policy === 'unless-lost') {
    const lost = run(findLost(options, recordText))
    if (lost.length > 0) throw new LostCollectionsError(lost)
  }
  const report = rebuild(database, options, run)
  database.prepare('update state set plan_version = plan_version + 1, derivation = ?').run(derivation)
  return report
}

export const recordText = (column: string): string => `json(${column})`

/** Collections that are no longer served keep their table, so that nothing is lost when they come back. */
function rebuild(database: DatabaseSync, options: MigrateOptions, run: Run): RebuildReport {
  const names = new Map(
    database
      .prepare('select nsid, table_name from collection')
      .all()
      .map((row) => [String(row.nsid), String(row.table_name)]),
  )
  const aside: { table: Table; name: string }[] = []
  for (const table of options.tables) {
    const old = names.get(table.collection.nsid)
    if (old !== undefined) {
      // After the table, not the collection: two of those may differ by case alone.
      const name = `${old}/kept`
      dropDerived(database, old)
      database.exec(`alter table ${quote(old)} rename to ${quote(name)}; drop index ${quote(`${old}/key`)};`)
      database.prepare('delete from collection where nsid = ?').run(table.collection.nsid)
      aside.push({ table, name })
    }
  }
  for (const table of options.tables) layOut(database, table)
  for (const { name } of aside) {
    run(parkHidden(quote(name)))
    database.exec(`delete from ${quote(name)} where base in (${basesWhere(withheld)})`)
  }
  run(startAnew())
  const counters = new RebuildCounters()
  run(leaveUnserved(options.tables, counters))
  const writer = new SqliteWriter(database, options)
  writer.refill(
    keptRecords(database, aside, options.check, counters),
    keptRejections(run, options.judge, counters),
  )
  for (const { name } of aside) database.exec(`drop table ${quote(name)}`)
  return counters.report()
}

function dropDerived(database: DatabaseSync, table: string): void {
  const derived = database.prepare(
    `select type, name, sql from sqlite_master where substr(name, 1, ?) = ? and name <> ? and sql is not null
     order by sql like '%fts5vocab%' desc, sql like 'create virtual%' desc`,
  )
  const prefix = `${table}/`
  for (const { type, name } of derived.all(prefix.length, prefix, `${table}/key`))
    database.exec(`drop ${type} if exists ${quote(String(name))}`)
}

function* keptRecords(
  database: DatabaseSync,
  aside: readonly { table: Table; name: string }[],
  check: MigrateOptions['check'],
  counters: RebuildCounters,
): Generator<readonly Change[]> {
  for (const { table, name } of aside) {
    const rows = database.prepare(
      `select t.rkey, base.did, t.cid, t.rev, t.indexed_at, t.changed_at, json(t.record) as json
       from ${quote(name)} t join base on base.id = t.base order by t.id`,
    )
    rows.setReadBigInts(true)
    for (const row of rows.iterate()) {
      const change = keptRecord(table, row, check)
      counters.addKept(table.collection.nsid, change)
      yield [change]
    }
  }
}

/** Rejections that are judged at once. */
const judgedAtOnce = 200

function* keptRejections(
  run: Run,
  judge: RejectionJudge | undefined,
  counters: RebuildCounters,
): Generator<readonly Change[]> {
  if (judge === undefined) return
  for (let after: string | null = null; ; ) {
    const some: readonly KeptRejection[] = run(readRejections(judgedAtOnce, after))
    if (some.length === 0) return
    after = some.at(-1)?.key ?? null
    const changes = some.filter(canBeJudged).map(judge)
    for (const change of changes) counters.addJudged(change)
    yield changes
  }
}
