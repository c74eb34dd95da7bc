/**
 * Migrates a file to this program's schema and the lexicons in force: a new file is initialised or an older one
 * migrated in one transaction, and only tables with another derivation are rebuilt from their records.
 */
import type { DatabaseSync } from 'node:sqlite'
import { LostCollectionsError } from '../../database.ts'
import { findLost } from '../../metadata/preview.ts'
import { BuiltElsewiseError } from '../../refusals.ts'
import type { Table } from '../../layout/tables.ts'
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
  erasureTables,
  formerDerivationsOf,
  keyColumns,
  networkTables,
  publicTables,
  schemaVersion,
  sourceColumn,
  usageTable,
} from './ddl.ts'
import { addCounts } from '../write/count-writer.ts'
import { assertOurs, isCurrent, isEmpty, readDerivation, readSchemaVersion } from './layout.ts'
import type { MigrateOptions } from '../../migrate-options.ts'
import { rebuild, tidyUp } from './rebuild.ts'
import { createRunner } from '../steps.ts'
import { createSums } from './sum-ddl.ts'
import { addSums } from '../write/sum-writer.ts'

/** The statements at an index lead from schema version index + 1 to the next. */
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
  // Counts of served collections, then counts by month and sums: done by addCounts and addSums.
  '',
  '',
  // Indexes from records to their array elements: done by createSideIndexes.
  '',
  'alter table collection add column served integer not null default 1',
  keyColumns,
  erasureTables,
  usageTable,
  sourceColumn,
]
/** The first schema version with sums. */
const summedVersion = 5

/** Fails without any change on a file that is not ours. */
export async function migrate(database: DatabaseSync, options: MigrateOptions): Promise<void> {
  if (!isCurrent(database, options.fingerprint) && layOutOrUpgrade(database, options) === 'stale')
    await rebuild(database, options)
  await tidyUp(database, options.now)
}

/** `stale`: the tables have another derivation and must be rebuilt. */
function layOutOrUpgrade(database: DatabaseSync, options: MigrateOptions): 'current' | 'stale' {
  database.exec('begin immediate')
  try {
    // Another process may have migrated the file while this one waited for the lock.
    assertOurs(database)
    let found: 'current' | 'stale' = 'current'
    if (isEmpty(database)) create(database, options)
    else if (!isCurrent(database, options.fingerprint)) found = upgrade(database, options)
    database.exec('commit')
    return found
  } catch (error) {
    database.exec('rollback')
    throw error
  }
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

function upgrade(database: DatabaseSync, options: MigrateOptions): 'current' | 'stale' {
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
    return 'current'
  }
  const { rebuild: policy = 'always' } = options
  if (policy === 'never') throw new BuiltElsewiseError()
  if (policy === 'unless-lost') {
    const lost = createRunner(database)(findLost(options, recordText))
    if (lost.length > 0) throw new LostCollectionsError(lost)
  }
  return 'stale'
}

export const recordText = (column: string): string => `json(${column})`
