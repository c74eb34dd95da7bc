/**
 * A backup: the content of a database of any engine in one file. Rows are in compressed blocks, with a row count and a
 * digest per part, so that damage is found before anything is restored. The file is a SQLite database, which finds
 * blocks by number and is readable without this program.
 */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { ColumnValue, SourceMark } from '../../changes.ts'
import { type Digest, Digester, type OnProgress, type Snapshot } from '../../copy/database-copy.ts'
import { type CopyPart, type CopyRow, rowText } from '../../copy/parts.ts'
import { DatabaseBusyError } from '../../database.ts'
import { isBusy } from '../failures.ts'

export interface BackupAbout {
  /** The version of the program that wrote it. */
  readonly version: string
  /** ISO 8601. */
  readonly takenAt: string
  /** The name of the database, without a password. */
  readonly source: string
  /** The fingerprint of the lexicons in force. */
  readonly fingerprint: string
  /** NSIDs of the collections that the lexicons have. */
  readonly collections: readonly string[]
}

export interface BackupPart extends Digest {
  readonly name: string
  readonly columns: readonly string[]
}

export interface WrittenBackup {
  readonly bytes: number
  readonly parts: readonly BackupPart[]
  /** The position of each source. */
  readonly cursors: readonly SourceMark[]
}

export interface WriteBackup {
  readonly path: string
  readonly source: Snapshot
  readonly parts: readonly CopyPart[]
  readonly about: BackupAbout
  readonly onProgress: OnProgress
  /** Aborting it cancels the backup and removes the draft. */
  readonly signal: AbortSignal
}

/** "LxGb": distinguishes backups from databases. */
const applicationId = 0x4c784762
/** Increment when older programs cannot read what newer ones write. */
const format = 1
/** Characters of rows in one block. */
const blockLength = 1_000_000
/** The suffix of a backup until it is complete. */
const unfinished = '.unfinished'

/** Fails if the file exists. The file appears when it is complete, has been read back, and is synced to disk. */
export async function writeBackup(order: WriteBackup): Promise<WrittenBackup> {
  const { path, source, parts, about, onProgress, signal } = order
  assertNew(path)
  const draft = `${path}${unfinished}`
  using database = createDraft(draft)
  try {
    database.exec(`pragma application_id = ${applicationId}; pragma user_version = ${format}; ${layout}`)
    let total = 0
    for (const part of parts) total += await source.count(part)
    const cursors: SourceMark[] = []
    let done = 0
    for (const part of parts) {
      onProgress({ stage: 'copying', part, done, total })
      await writePart(database, part, source.rows(part), (row) => {
        signal.throwIfAborted()
        if (part.name === 'source') cursors.push(cursorOf(part, row))
        done += 1
        if (done % 1_000 === 0) onProgress({ stage: 'copying', part, done, total })
      })
    }
    const digest = contentsDigest(about, readParts(database))
    database
      .prepare('insert into about (id, about, digest) values (1, ?, ?)')
      .run(JSON.stringify(about), digest)
    database.exec('commit')
    const backup = readBackup(database)
    await backup.verify(parts, onProgress, signal)
    syncFile(draft)
    assertNew(path)
    renameSync(draft, path)
    syncFile(dirname(path))
    return { bytes: statSync(path).size, parts: backup.parts, cursors }
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

export interface BackupFile extends Snapshot {
  readonly about: BackupAbout
  readonly parts: readonly BackupPart[]
  /** Throws unless all rows of all parts are unchanged. */
  verify(parts: readonly CopyPart[], onProgress: OnProgress, signal: AbortSignal): Promise<void>
}

/** The backup owns the connection. */
export function readBackup(database: DatabaseSync): BackupFile {
  const header = readable(() => database.prepare(selectHeader).get())
  if (header?.id !== applicationId) throw new Error('it is not a backup by `lexigraph backup`.')
  if (Number(header.version) > format)
    throw new Error(
      `it has format ${header.version}; this program reads formats up to ${format}. Use a newer lexigraph.`,
    )
  const found = readable(() => database.prepare('select about, digest from about').get())
  const about = readable(() => JSON.parse(String(found?.about)) as BackupAbout)
  const stored = readable(() => readParts(database))
  // The digest of the contents, so that a moved backup keeps its identity.
  const identity = contentsDigest(about, stored)
  if (found?.digest !== identity) throw damaged()
  // A part that an older program did not know is empty.
  const partOf = ({ name }: CopyPart): BackupPart =>
    stored.find((part) => part.name === name) ?? { name, columns: [], rows: 0, digest: emptyDigest }
  return {
    about,
    parts: stored,
    identity,
    kind: 'backup',
    name: `the backup of ${about.takenAt} (${identity.slice(0, 12)})`,
    async verify(parts, onProgress, signal) {
      const problem = readable(() => database.prepare('pragma integrity_check').get())
      if (problem?.integrity_check !== 'ok') throw damaged()
      const total = stored.reduce((sum, { rows }) => sum + rows, 0)
      let done = 0
      for (const part of parts) {
        const { rows, digest } = partOf(part)
        const digester = new Digester()
        for await (const row of readRows(database, part)) {
          signal.throwIfAborted()
          digester.add(rowText(row))
          done += 1
          if (done % 1_000 === 0) onProgress({ stage: 'reading', part, done, total })
        }
        const read = digester.end()
        if (read.rows !== rows || read.digest !== digest) throw damaged()
      }
    },
    collections: async () => about.collections,
    count: async (part) => partOf(part).rows,
    async *rows(part) {
      const { columns } = partOf(part)
      const at = part.columns.map((column) => columns.indexOf(column))
      // A column that an older program did not know is null.
      for await (const row of readRows(database, part)) yield at.map((index) => row[index] ?? null)
    },
    async [Symbol.asyncDispose]() {
      database.close()
    },
  }
}

async function* readRows(database: DatabaseSync, { name }: CopyPart): AsyncGenerator<CopyRow> {
  const text = 'select rows from block where part = ? order by number'
  const blocks = readable(() => database.prepare(text).iterate(name))
  for (;;) {
    const next = readable(() => blocks.next())
    if (next.done === true) return
    const block = next.value.rows as Uint8Array
    const rows = readable(() => JSON.parse(zstdDecompressSync(block).toString()) as StoredValue[][])
    for (const row of rows) yield row.map(valueOf)
  }
}

const selectHeader = `select application_id as id, user_version as version
  from pragma_application_id, pragma_user_version`

const layout = `
  begin;
  create table about (id integer primary key check (id = 1), about text not null, digest text not null);
  create table part (name text primary key, columns text not null, rows integer not null, digest text not null);
  create table block (part text not null, number integer not null, rows blob not null, primary key (part, number));
`

async function writePart(
  database: DatabaseSync,
  part: CopyPart,
  rows: AsyncIterable<CopyRow>,
  onRow: (row: CopyRow) => void,
): Promise<void> {
  const digester = new Digester()
  const insert = database.prepare('insert into block (part, number, rows) values (?, ?, ?)')
  const params = { [constants.ZSTD_c_checksumFlag]: 1 }
  let [block, length, blocks]: [string[], number, number] = [[], 0, 0]
  const writeBlock = (): void => {
    insert.run(part.name, blocks, zstdCompressSync(`[${block.join(',')}]`, { params }))
    blocks += 1
    block = []
    length = 0
  }
  for await (const row of rows) {
    onRow(row)
    digester.add(rowText(row))
    const text = JSON.stringify(row.map(storedOf))
    block.push(text)
    length += text.length
    if (length >= blockLength) writeBlock()
  }
  if (block.length > 0) writeBlock()
  const { rows: count, digest } = digester.end()
  database
    .prepare('insert into part (name, columns, rows, digest) values (?, ?, ?, ?)')
    .run(part.name, JSON.stringify(part.columns), count, digest)
}

/** JSON has one kind of number. Integers are numbers if that is exact; larger integers and floats are in an array. */
type StoredValue = string | number | null | readonly [string | number]

function storedOf(value: ColumnValue): StoredValue {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : [String(value)]
  if (value instanceof Uint8Array) throw new Error('Bytes have no place in a backup.')
  return typeof value === 'number' ? [value] : value
}

function valueOf(stored: StoredValue): ColumnValue {
  if (typeof stored === 'number') return BigInt(stored)
  if (stored === null || typeof stored === 'string') return stored
  const [value] = stored
  return typeof value === 'string' ? BigInt(value) : value
}

function cursorOf({ columns }: CopyPart, row: CopyRow): SourceMark {
  const value = (column: string): ColumnValue => row[columns.indexOf(column)] ?? null
  return {
    source: String(value('name')),
    cursor: value('cursor') as string | null,
    eventAt: value('event_at') as bigint | null,
  }
}

const emptyDigest = new Digester().end().digest

function readParts(database: DatabaseSync): readonly BackupPart[] {
  const found = database.prepare('select name, columns, rows, digest from part').all()
  return found.map(({ name, columns, rows, digest }) => ({
    name: String(name),
    columns: JSON.parse(String(columns)) as string[],
    rows: Number(rows),
    digest: String(digest),
  }))
}

/** Also covers the list of parts. */
function contentsDigest(about: BackupAbout, parts: readonly BackupPart[]): string {
  const digester = new Digester()
  digester.add(JSON.stringify([about, parts]))
  return digester.end().digest
}

function assertNew(path: string): void {
  if (existsSync(path)) throw new Error('a file of that name is there already. Name another.')
  if (!existsSync(dirname(path)))
    throw new Error(`there is no folder ${dirname(path)}. Make it, or name another file.`)
}

/** Replaces the draft of a killed backup; fails if another process holds the lock of its draft. */
function createDraft(path: string): DatabaseSync {
  if (existsSync(path)) {
    assertAbandoned(path)
    rmSync(path)
  }
  // Restricted to the owner before anything is written.
  closeSync(openSync(path, 'wx', 0o600))
  const database = new DatabaseSync(path)
  // An incomplete draft is worthless, so it needs no journal.
  database.exec(
    'pragma page_size = 8192; pragma locking_mode = exclusive; pragma journal_mode = off; pragma synchronous = off',
  )
  database.exec('begin exclusive; commit')
  return database
}

function assertAbandoned(path: string): void {
  using database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('begin exclusive; rollback')
  } catch (cause) {
    // Other errors are normal for a half-written file.
    if (isBusy(cause))
      throw new DatabaseBusyError('another process is writing a backup of that name.', { cause })
  }
}

function syncFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

export function readable<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (cause) {
    throw damaged(cause)
  }
}

export function damaged(cause?: unknown): Error {
  return new Error('it is damaged or incomplete.', { cause })
}
