/** Whose a SQLite file is and how it is laid out, as it says itself. It is apart from what lays files out, which who only reads need not load. */
import type { DatabaseSync } from 'node:sqlite'
import { assertNoCopy } from '../../copy/mark.ts'
import { applicationId, derivationOf, schemaVersion } from './ddl.ts'

/** True when the file has this program's schema and derivation, so that nothing need be done. */
export function isCurrent(database: DatabaseSync, fingerprint: string): boolean {
  if (
    pragma(database, 'application_id') !== applicationId ||
    pragma(database, 'user_version') !== schemaVersion
  )
    return false
  return readDerivation(database) === derivationOf(fingerprint)
}

/** Throws on a file of another program or of a newer version of this one, or an unfinished copy; an empty file is anybody's. */
export function assertOurs(database: DatabaseSync): void {
  assertOurLayout(database)
  const derivation = isEmpty(database) ? null : readDerivation(database)
  if (derivation !== null) assertNoCopy(derivation)
}

/** The same, of a copy that may be unfinished. */
export function assertOurLayout(database: DatabaseSync): void {
  if (isEmpty(database)) return
  if (pragma(database, 'application_id') !== applicationId)
    throw new Error('The file is a SQLite database of another program. Name another file with --database.')
  const version = pragma(database, 'user_version')
  if (version > schemaVersion)
    throw new Error(
      `The file has schema version ${version}; this program knows versions up to ${schemaVersion}. Use a newer lexigraph.`,
    )
}

/** What the tables of one of our files are derived from, as it says itself. */
export function readDerivation(database: DatabaseSync): string | null {
  const row = database.prepare('select derivation from state').get()
  return row === undefined ? null : String(row.derivation)
}

export function readSchemaVersion(database: DatabaseSync): number {
  return pragma(database, 'user_version')
}

export function isEmpty(database: DatabaseSync): boolean {
  return Number(database.prepare('select count(*) as n from sqlite_master').get()?.n) === 0
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0])
}
