/** Lays out an empty file in one transaction, and rebuilds tables of another derivation from their records. */
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { assertMayRebuild } from '../../rebuild/preview.ts'
import { applicationId, commonTables, derivationOf, indexStatements, layOut, schemaVersion } from './ddl.ts'
import { assertOurs, isCurrent, isEmpty } from './layout.ts'
import type { MigrateOptions } from '../../migrate-options.ts'
import { databaseBusy } from '../../refusals.ts'
import { isBusy } from '../failures.ts'
import { rebuild, tidyUp } from './rebuild.ts'
import { findRebuild, isAtWork } from './rebuild-state.ts'
import { createRunner, transact } from '../steps.ts'

/** Milliseconds between two attempts; during an attempt the connection itself waits for the lock. */
const retryPause = 5

/** Fails without any change on a file that is not ours. `assertSame` throws before a commit if the file is another. */
export async function migrate(
  database: DatabaseSync,
  options: MigrateOptions,
  assertSame: () => void,
): Promise<void> {
  while (!(await tryToMigrate(database, options, assertSame))) await pause(retryPause)
}

/** False if the steps of another process that rebuilds the file kept this one from the lock until its timeout. */
async function tryToMigrate(
  database: DatabaseSync,
  options: MigrateOptions,
  assertSame: () => void,
): Promise<boolean> {
  const wasCurrent = isCurrent(database, options.fingerprint)
  try {
    if (!wasCurrent && layOutOrCheck(database, options) === 'stale')
      await rebuild(database, options, assertSame)
    await tidyUp(database, options.now)
    return true
  } catch (cause) {
    if (!isBusy(cause)) throw cause
    const found = findRebuild(database)
    const isRebuiltByAnother = found === null && !wasCurrent && isCurrent(database, options.fingerprint)
    if (isRebuiltByAnother || (found !== null && isAtWork(found, options.now()))) return false
    throw databaseBusy(cause)
  }
}

/** `stale`: the tables have another derivation and must be rebuilt. */
function layOutOrCheck(database: DatabaseSync, options: MigrateOptions): 'current' | 'stale' {
  return transact(database, () => {
    // Another process may have migrated the file while this one waited for the lock.
    assertOurs(database)
    if (isEmpty(database)) create(database, options)
    if (isCurrent(database, options.fingerprint)) return 'current'
    createRunner(database)(assertMayRebuild(options, derivationOf(options.fingerprint), recordText))
    return 'stale'
  })
}

function create(database: DatabaseSync, { tables, fingerprint, onCreated }: MigrateOptions): void {
  database.exec(
    `pragma application_id = ${applicationId}; pragma user_version = ${schemaVersion}; ${commonTables}`,
  )
  database
    .prepare('insert into state (id, plan_version, derivation) values (1, 1, ?)')
    .run(derivationOf(fingerprint))
  for (const table of tables) {
    database.exec([layOut(table), ...indexStatements(table)].join('\n'))
    database
      .prepare('insert into collection (nsid, table_name, ordered) values (?, ?, 1)')
      .run(table.collection.nsid, table.name)
  }
  onCreated?.()
}

export const recordText = (column: string): string => `json(${column})`
