/**
 * Notices that the file of an open database was replaced, overwritten or deleted. Open connections of SQLite stay with
 * the old file, new ones open the file that has the name now, and the log next to it (`-wal`) is applied even if it is of
 * the old one.
 */
import { randomInt } from 'node:crypto'
import {
  chownSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { ReplacedFileError } from '../refusals.ts'
import { isNotADatabase } from './failures.ts'

/** Milliseconds in which other processes notice that their file was replaced, and end. */
const noticeTime = 2_000

/** `DEVICE:INODE STORED` of the file with this name, with its stored identity; null if there is none. */
export function identityOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? null : `${found.dev}:${found.ino} ${storedIdentity(path)}`
}

/** Throws if another file has the name now. `identity`: null for any file. */
export function assertSameFile(path: string, identity: string | null): void {
  if (identity !== null) confirmIdentity(path, identity, identityOf(path))
}

/** Returns what is known of the identity from now on. Throws if it is that of another file. `before`: null for any. */
export function confirmIdentity(path: string, before: string | null, now: string | null): string | null {
  if (before === null) return now
  if (!isSame(before, now)) throw new ReplacedFileError(path, now === null)
  return isStored(before) ? before : now
}

function isSame(before: string, now: string | null): boolean {
  return isSameInode(before, now) && (now === before || !isStored(before) || isUnreadable(now))
}

function isSameInode(before: string, now: string | null): boolean {
  return now?.split(' ')[0] === before.split(' ')[0]
}

/** False before the first checkpoint, or if the file could not be read. */
function isStored(identity: string): boolean {
  return !identity.endsWith(' ') && !isUnreadable(identity)
}

function isUnreadable(identity: string | null): boolean {
  return identity?.endsWith(unreadable) === true
}

/** Whether the inode is the same, and its content another. */
export function isOverwritten(before: string, now: string | null): boolean {
  return isSameInode(before, now) && !isSame(before, now)
}

/** Empties the log of overwritten content: the last connection that closes would write it into the new content. */
export function emptyLog(path: string, identity: string): void {
  const at = realpathSync(path)
  const log = `${at}-wal`
  if (ownerOf(at)?.[2] === identity.split(' ')[1] && existsSync(log)) truncateSync(log)
}

/** `user_version` is the version of the layout plus this many times a random number, the identity of the database. */
export const identityUnit = 256

/** Gives a file its identity: a new one, and one of an earlier version. */
export function identify(database: DatabaseSync): void {
  if (readPragma(database, 'user_version') >= identityUnit) return
  database.exec('begin immediate')
  // Another process may have given it one meanwhile.
  const version = readPragma(database, 'user_version')
  const identity = version < identityUnit ? identityUnit * randomInt(1, 2 ** 23) : 0
  database.exec(`pragma user_version = ${identity + version}; commit; pragma wal_checkpoint(passive)`)
}

/** Empty in a file of an earlier version. */
function identityIn(database: DatabaseSync): string {
  const version = readPragma(database, 'user_version')
  return version < identityUnit ? '' : String(version)
}

/** One that is a number. */
export function readPragma(database: DatabaseSync, name: string): number {
  return Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0])
}

/** Stands for that of a file that cannot be read now, for example because the process has too many open files. */
const unreadable = '?'

/**
 * The identity in the file itself, without its log; empty before the first checkpoint, and in files without one. Read
 * through SQLite: a process that closes a file itself loses all locks that it has on it.
 */
export function storedIdentity(path: string): string {
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  try {
    using database = new DatabaseSync(url, { readOnly: true, defensive: false })
    // Without it SQLite refuses a file that is shorter than its header says, as during a checkpoint or a copy.
    database.exec('pragma writable_schema = on')
    return identityIn(database)
  } catch (error) {
    return isNotADatabase(error) ? '' : unreadable
  }
}

/** The file of a connection that writes; of a database in memory nothing is asserted. `leave` before closing. */
export class OpenFile {
  readonly #database: DatabaseSync
  readonly #path: string
  /** The path without symbolic links, next to which the log is; null in memory. */
  readonly #location: string | null
  #identity: string | null
  /** Whether `claimLog` has recorded it: a log that is not its file's must not be written into that. */
  #hasLog = false
  /** Device, inode, size and time of the last write when the identity was last compared. */
  #lastSeen = ''

  /**
   * `identity`: that of the file before it was opened; null for a new file. Call `assertSame` before anything is read: a
   * connection that has read nothing does not apply a log when it closes.
   */
  constructor(database: DatabaseSync, path: string, identity: string | null) {
    this.#database = database
    this.#path = path
    this.#location = database.location()
    this.#identity = identity
    if (this.#location !== null) process.on('exit', this.leave)
  }

  /** Records that the log belongs to this file, before anything is written into the log; not before it has an identity. */
  claimLog(): void {
    this.assertSame()
    if (this.#location === null || this.#identity === null) return
    if (!isStored(this.#identity) && identityIn(this.#database) === '') return
    recordOwner(this.#database, this.#location, this.#identity)
    this.#hasLog = true
  }

  assertSame(): void {
    if (this.#location === null) return
    const found = statSync(this.#path, { throwIfNoEntry: false })
    // Reading takes a fifth of a small transaction. A file with the same size and time need not be read again.
    const seen = [found?.dev, found?.ino, found?.size, found?.mtimeMs].join(' ')
    if (seen === this.#lastSeen) return
    const now = identityOf(this.#path)
    this.#identity = confirmIdentity(this.#path, this.#identity, now)
    if (now === null) throw new ReplacedFileError(this.#path, true)
    if (!isUnreadable(now)) this.#lastSeen = seen
  }

  /** Before closing: the log of a replaced file goes into that file, and the log of an overwritten file is emptied. */
  readonly leave = (): void => {
    process.off('exit', this.leave)
    const [at, before, now] = [this.#location, this.#identity, identityOf(this.#path)]
    if (at === null || before === null || !this.#database.isOpen || isSame(before, now)) return
    if (isOverwritten(before, now)) {
      // With mapped memory, SQLite makes the file as long as the log says before it reads the log.
      this.#database.exec('pragma mmap_size = 0')
      return emptyLog(at, before)
    }
    if (!this.#hasLog || ownerOf(at)?.[0] !== before.split(/[: ]/)[1]) return
    if (this.#database.isTransaction) this.#database.exec('rollback')
    this.#database.exec(`pragma busy_timeout = ${noticeTime / 2}`)
    if (this.#database.prepare('pragma wal_checkpoint(truncate)').get()?.busy !== 0) return
    for (const end of ['-wal', '-shm', '-owner']) rmSync(at + end, { force: true })
  }
}

/**
 * Records whose log lies next to a file: that of the `identity`, even if the file is another by now. Only a file without a
 * stored identity is asked for it. `path`: without symbolic links.
 */
function recordOwner(database: DatabaseSync, path: string, identity: string): void {
  const [, inode, stored] = identity.split(/[: ]/)
  const owner = [inode, inodeOf(`${path}-wal`), isStored(identity) ? stored : identityIn(database)].join(' ')
  if (ownerOf(path)?.join(' ') === owner) return
  // A file of another user is replaced, and one of root's is for the user of the database, as SQLite does it.
  const draft = `${path}-owner-${randomInt(2 ** 32)}`
  try {
    writeFileSync(draft, owner, { mode: 0o600 })
    const { uid, gid } = statSync(path)
    if (process.getuid?.() === 0) chownSync(draft, uid, gid)
    renameSync(draft, `${path}-owner`)
  } catch {
    // Without it the log is taken for that of the file, as SQLite takes it.
    rmSync(draft, { force: true })
  }
}

/** Throws if the log next to a file has transactions of another file that had the name before. */
export function assertOwnLog(path: string): void {
  if (!existsSync(path)) return
  const at = realpathSync(path)
  if (isOwnLog(at)) return
  // Processes that have the other file open put its log where it belongs; one that makes this file says so.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, noticeTime)
  if (isOwnLog(at)) return
  const log = `${at}-wal`
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new Error(
      `${log} is the log of another file that was here before. Give it the name of that file, with -wal, or delete it and ${at}-shm.`,
    )
  rmSync(`${at}-owner`, { force: true })
}

function isOwnLog(path: string): boolean {
  const log = `${path}-wal`
  const [file, ownLog, stored] = ownerOf(path) ?? []
  if (!existsSync(log) || inodeOf(log) !== ownLog) return true
  // An inode is given to another file once nobody has the first one open.
  const now = storedIdentity(path)
  return inodeOf(path) === file && (now === stored || now === '' || now === unreadable)
}

/** The inodes of the file that the log belongs to and of the log, and the identity in the file. */
function ownerOf(path: string): readonly string[] | null {
  try {
    return readFileSync(`${path}-owner`, 'utf8').split(' ')
  } catch {
    return null
  }
}

function inodeOf(path: string): string {
  return String(statSync(path, { throwIfNoEntry: false })?.ino)
}
