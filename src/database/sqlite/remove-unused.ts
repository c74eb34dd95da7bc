/** Deletes a database that a command made and could not use. */
import { rmSync, statSync } from 'node:fs'
import { hasRows } from '../copy/metadata-rows.ts'
import { connect } from './connection.ts'
import { assertOurs, isEmpty } from './layout/layout.ts'
import { createRunner } from './steps.ts'

/** False if the file has rows. Throws if it is open elsewhere, or is not ours. `path`: without symbolic links. */
export function removeUnused(path: string): boolean {
  // Locking an empty file writes to it, which fails on a full disk.
  if (statSync(path).size === 0) return remove(path)
  using database = connect(path, false, { timeout: 0 })
  // Excludes readers too, as long as the connection is open.
  database.exec('pragma locking_mode = exclusive; begin exclusive')
  assertOurs(database)
  // Every record refers to a row of `base`.
  return (isEmpty(database) || !createRunner(database)(hasRows([]))) && remove(path)
}

/** The file itself last: once it is gone, others may make another, with a log. Windows removes no file that is open. */
function remove(path: string): true {
  for (const end of ['-owner', '-shm', '-wal', '']) rmSync(path + end, { force: true })
  return true
}
