/** Deletes a database that a command made and could not use. */
import { rmSync, statSync } from 'node:fs'
import { hasRows } from '../copy/metadata-rows.ts'
import type { Table } from '../layout/tables.ts'
import { connect } from './connection.ts'
import { assertOurs, isEmpty } from './layout/layout.ts'
import { createRunner } from './steps.ts'

/** False if the file has rows. Throws if it is open elsewhere, or is not a database of these tables. */
export function removeUnused(path: string, tables: readonly Table[]): boolean {
  // Locking an empty file writes to it, which fails on a full disk.
  if (statSync(path).size === 0) return remove(path)
  const database = connect(path, false, undefined, 0)
  try {
    // Excludes readers too, as long as the connection is open.
    database.exec('pragma locking_mode = exclusive; begin exclusive')
    assertOurs(database)
    return (isEmpty(database) || !createRunner(database)(hasRows(tables))) && remove(path)
  } finally {
    database.close()
  }
}

function remove(path: string): true {
  for (const end of ['', '-wal', '-shm', '-owner']) rmSync(path + end, { force: true })
  return true
}
