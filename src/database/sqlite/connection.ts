/** Opens and configures one connection to a SQLite file. It knows no tables, so that reading processes start fast. */
import { closeSync, existsSync, lstatSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DatabaseBusyError } from '../database.ts'
import { largestAnswer } from '../refusals.ts'
import { isBusy, needsRollback } from './failures.ts'
import { defineFunctions } from './layout/functions.ts'
import { assertOwnLog, assertSameFile, identityOf } from './open-file.ts'

const lockTimeout = 10_000
/** Bytes of the file that are memory-mapped, the engine's maximum; the rest is read page by page. */
const mostMapped = 2_147_418_112

export interface ConnectOptions {
  /** MiB of the connection's own page cache; memory-mapped pages are shared by all processes. */
  readonly cacheSize?: number
  /** Milliseconds that the connection waits for another process's lock. */
  readonly timeout?: number
  /** What a file that is written must be; null for any. */
  readonly identity?: string | null
}

/** A file to write is compared with its identity before anything is read: until then, closing it applies no log. */
export function connect(path: string, readOnly: boolean, options: ConnectOptions = {}): DatabaseSync {
  if (readOnly && !existsSync(path)) throw new Error(`There is no file ${path}.`)
  if (readOnly) assertPlaceForFile(path)
  else createMissing(path)
  const identity = options.identity ?? (readOnly ? null : identityOf(path))
  if (path !== ':memory:') assertOwnLog(path)
  try {
    return openRolledBack(path, readOnly, { ...options, identity })
  } catch (cause) {
    if (!isBusy(cause)) throw cause
    const message = 'Another process has locked the file. Try again when it is done.'
    throw Object.assign(new DatabaseBusyError(message, { cause }), { errcode: cause.errcode })
  }
}

/** Only a connection that can write rolls back what a killed program left. It does so when it first reads the file. */
function openRolledBack(path: string, readOnly: boolean, options: ConnectOptions): DatabaseSync {
  try {
    return configured(path, readOnly, options)
  } catch (error) {
    if (!needsRollback(error)) throw error
    configured(path, false, options).close()
    return configured(path, readOnly, options)
  }
}

function configured(
  path: string,
  readOnly: boolean,
  { cacheSize = 64, timeout = lockTimeout, identity = null }: ConnectOptions,
): DatabaseSync {
  const database = new DatabaseSync(path, {
    readOnly,
    timeout,
    // Also limits intermediate values, so that no memory is filled for an answer that is refused.
    ...((readOnly || path === ':memory:') && { limits: { length: largestAnswer } }),
  })
  try {
    assertSameFile(path, identity)
  } catch (error) {
    database.close()
    throw error
  }
  database.exec(
    `pragma cache_size = ${-1024 * cacheSize}; pragma mmap_size = ${mostMapped}; pragma temp_store = memory;`,
  )
  defineFunctions(database)
  return database
}

/** Files that this process created, without symbolic links in their paths. */
export const createdFiles = new Set<string>()

/** Makes a file that is missing, so that it can be told from one that has its name later. */
export function createMissing(path: string): void {
  if (path === ':memory:') return
  assertPlaceForFile(path)
  if (!existsSync(path)) createPrivately(path)
}

/** Refused records, cursors and keys are private. SQLite gives the files next to the database the same mode. */
function createPrivately(path: string): void {
  // Exclusive creation refuses a symbolic link to a missing file.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    return createPrivately(resolve(realpathSync(dirname(path)), readlinkSync(path)))
  try {
    closeSync(openSync(path, 'wx', 0o600))
    createdFiles.add(realpathSync(path))
  } catch (error) {
    // Another process has created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** SQLite itself only reports "unable to open database file", whatever the reason. */
function assertPlaceForFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`${path} is a directory. Name a file.`)
  const folder = dirname(path)
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}. Make it, or name another file.`)
}
