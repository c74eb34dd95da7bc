/** Chooses the engine for the URL of a database, and loads only that engine. */
import type { CopySource, CopyTarget, Snapshot } from './copy/database-copy.ts'
import { type Database, DatabaseBusyError, type ReadDatabase } from './database.ts'
import type { PreviewOptions } from './rebuild/preview.ts'
import type { KeyUsage } from './metadata/metadata-store.ts'
import type { QueryOptions } from './postgres/read/servers.ts'
import type { MigrateOptions } from './migrate-options.ts'
import type { RebuildProgress, RebuildReport } from './rebuild/rebuild-report.ts'
import type { BackupFile, WriteBackup, WrittenBackup } from './sqlite/load/backup-file.ts'
import type { SqliteQueryOptions } from './sqlite/read/reader.ts'
import { connectReader, isFileOutdated, openSqliteReader } from './sqlite/read/reader.ts'
import { identityOf } from './sqlite/open-file.ts'
import { parseSqlitePath } from './sqlite/path.ts'

export interface OpenOptions extends MigrateOptions, Pick<SqliteQueryOptions, 'readers'> {
  /** How PostgreSQL is queried. */
  readonly reading?: QueryOptions
  /** The `fileIdentity` that a file of SQLite must have; null or absent for any. */
  readonly file?: string | null
}

/**
 * `url`: `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, `sqlite:PATH`, or a bare path. Creates a missing file,
 * initialises an empty database, and migrates an older one.
 */
export async function openDatabase(url: string, options: OpenOptions): Promise<Database> {
  if (!isPostgres(url)) {
    const { openSqlite } = await import('./sqlite/open.ts')
    return openSqlite(parseSqlitePath(url), options)
  }
  const { openPostgres } = await postgres()
  return openPostgres(url, options)
}

/** Opens a database for reading only: nothing is created, migrated or rebuilt. */
export async function openReadDatabase(
  url: string,
  options: Pick<OpenOptions, 'fingerprint' | 'now' | 'reading' | 'readers'>,
): Promise<ReadDatabase> {
  if (!isPostgres(url)) return openSqliteReader(parseSqlitePath(url), options)
  const { openPostgresReader } = await postgres()
  return openPostgresReader(url, options)
}

/**
 * Opens a SQLite file that needs no migration for reading only. Null when `openDatabase` must open the database and
 * report what is wrong, and always for PostgreSQL.
 */
export async function openReadyDatabase(
  url: string,
  options: Pick<OpenOptions, 'fingerprint' | 'now'> & SqliteQueryOptions,
): Promise<ReadDatabase | null> {
  if (isPostgres(url)) return null
  try {
    return await openSqliteReader(parseSqlitePath(url), options)
  } catch (error) {
    // `openDatabase` would wait as long and fail in the same way.
    if (error instanceof DatabaseBusyError) throw error
    return null
  }
}

/** Reports what `openDatabase` would do to the records if it had to rebuild the database; writes nothing. */
export async function previewRebuild(url: string, options: PreviewOptions): Promise<RebuildReport> {
  if (isPostgres(url)) return (await postgres()).previewPostgres(url, options)
  const { previewFile } = await import('./sqlite/open.ts')
  return previewFile(parseSqlitePath(url), options)
}

/** Opens the present content as the source of a copy. Nothing is created, migrated or rebuilt. */
export async function openSnapshot(
  url: string,
  { fingerprint }: Pick<OpenOptions, 'fingerprint'>,
): Promise<Snapshot> {
  if (!isPostgres(url)) {
    const path = parseSqlitePath(url)
    const { openSqliteSnapshot } = await import('./sqlite/load/snapshot.ts')
    return openSqliteSnapshot(connectReader(path, fingerprint), path)
  }
  const { openPostgresSnapshot } = await import('./postgres/load/snapshot.ts')
  return openPostgresSnapshot(url, fingerprint)
}

/** Opens an empty database or an unfinished copy of the same source as a target; leaves any other as it is. */
export async function openCopyTarget(
  url: string,
  source: CopySource,
  options: OpenOptions,
): Promise<CopyTarget> {
  if (!isPostgres(url)) {
    const { openSqliteTarget } = await import('./sqlite/load/copy-target.ts')
    return openSqliteTarget(parseSqlitePath(url), source, options)
  }
  const { openPostgresTarget } = await import('./postgres/load/copy-target.ts')
  return openPostgresTarget(url, source, options)
}

/** Adds the usage of keys, concurrently with other writers. */
export async function addKeyUsage(
  url: string,
  usage: readonly KeyUsage[],
  today: number,
  identity: string | null = null,
): Promise<void> {
  if (isPostgres(url)) return (await postgres()).addUsageToPrimary(url, usage, today)
  const { addUsageToFile } = await import('./sqlite/usage-store.ts')
  return addUsageToFile(parseSqlitePath(url), usage, today, identity)
}

/** Opens a backup, to restore a database. The file is SQLite's, whichever engine the database used. */
export async function openBackupFile(path: string): Promise<BackupFile> {
  const { openBackup } = await import('./sqlite/load/open-backup.ts')
  return openBackup(path)
}

export async function writeBackupFile(backup: WriteBackup): Promise<WrittenBackup> {
  const { writeBackup } = await import('./sqlite/load/backup-file.ts')
  return writeBackup(backup)
}

/** True if an existing database must be migrated or rebuilt before it can be read, which may take long. */
export async function isOutdated(
  url: string,
  { fingerprint }: Pick<OpenOptions, 'fingerprint'>,
): Promise<boolean> {
  const path = filePath(url)
  return path === null
    ? (await postgres()).isPostgresOutdated(url, fingerprint)
    : isFileOutdated(path, fingerprint)
}

/** The progress of a rebuild by any process; null when none is running. */
export async function readRebuildProgress(url: string): Promise<RebuildProgress | null> {
  const path = filePath(url)
  if (path === null) return (await postgres()).readPostgresProgress(url)
  const { readFileProgress } = await import('./sqlite/layout/rebuild-state.ts')
  return readFileProgress(path)
}

/** Loaded on demand, so that commands on files do not load the driver. */
const postgres = () => import('./postgres/open.ts')

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/.test(url)
}

/** Which file the URL names now; null for other engines, and if there is none. */
export function fileIdentity(url: string): string | null {
  const path = sharedPath(url)
  return path === null ? null : identityOf(path)
}

/** The path of a file that other processes may open; null for other databases, and for a URL that opening refuses. */
export function sharedPath(url: string): string | null {
  try {
    return isInMemory(url) ? null : filePath(url)
  } catch {
    return null
  }
}

/** True for databases that no other process can read. */
export function isInMemory(url: string): boolean {
  return /^(sqlite:)?:memory:$/.test(url)
}

/** The path of the file of a database; null for PostgreSQL. Throws on an invalid URL. */
export function filePath(url: string): string | null {
  return isPostgres(url) ? null : parseSqlitePath(url)
}
