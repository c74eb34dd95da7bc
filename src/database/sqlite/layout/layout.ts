/** Reads whose a SQLite file is and how it is laid out. Readers need not load the code that creates layouts. */
import type { DatabaseSync } from 'node:sqlite'
import { assertNoCopy } from '../../copy/mark.ts'
import { otherSchema } from '../../refusals.ts'
import { identityUnit, readPragma } from '../open-file.ts'
import { applicationId, derivationOf, schemaVersion } from './ddl.ts'

/** True when the file has this program's schema and derivation, so that nothing needs to be done. */
export function isCurrent(database: DatabaseSync, fingerprint: string): boolean {
  if (readPragma(database, 'application_id') !== applicationId || versionOf(database) !== schemaVersion)
    return false
  return readDerivation(database) === derivationOf(fingerprint)
}

/** Throws on a file of another program or schema version, or an unfinished copy; accepts an empty file. */
export function assertOurs(database: DatabaseSync): void {
  assertOurLayout(database)
  const derivation = isEmpty(database) ? null : readDerivation(database)
  if (derivation !== null) assertNoCopy(derivation)
}

/** The same, but accepts an unfinished copy. */
export function assertOurLayout(database: DatabaseSync): void {
  if (isEmpty(database)) return
  if (readPragma(database, 'application_id') !== applicationId)
    throw new Error('The file is a SQLite database of another program. Name another file with --database.')
  const version = versionOf(database)
  if (version !== schemaVersion) throw otherSchema('file', version, schemaVersion)
}

/** The stored derivation of the tables in one of our files. */
export function readDerivation(database: DatabaseSync): string | null {
  const row = database.prepare('select derivation from state').get()
  return row === undefined ? null : String(row.derivation)
}

/** A different value means that another connection has written since. */
export function readDataVersion(database: DatabaseSync): number {
  return readPragma(database, 'data_version')
}

export function isEmpty(database: DatabaseSync): boolean {
  return Number(database.prepare('select count(*) as n from sqlite_master').get()?.n) === 0
}

function versionOf(database: DatabaseSync): number {
  return readPragma(database, 'user_version') % identityUnit
}
