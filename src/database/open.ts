/** From a database's URL to its engine. */
import type { CopyTarget, Snapshot } from './copy/database-copy.ts'
import { type Database, DatabaseBusyError, type ReadDatabase } from './database.ts'
import type { PreviewOptions } from './metadata/preview.ts'
import type { KeyUsage } from './metadata/metadata-store.ts'
import type { QueryOptions } from './postgres/read/servers.ts'
import type { MigrateOptions } from './migrate-options.ts'
import type { RebuildProgress } from './rebuild/rebuild-progress.ts'
import type { RebuildReport } from './rebuild/rebuild-report.ts'
import type { BackupFile, WriteBackup, WrittenBackup } from './sqlite/load/backup-file.ts'
import {
  connectReader,
  isFileOutdated,
  openSqliteReader,
  type SqliteQueryOptions,
} from './sqlite/read/open-reader.ts'
import { parseSqlitePath } from './sqlite/path.ts'

export interface OpenOptions extends MigrateOptions, Pick<SqliteQueryOptions, 'readers'> {
  /** How PostgreSQL is read. */
  readonly reading?: QueryOptions
}

/**
 * `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, `sqlite:PATH`, or a bare path. An empty database is laid out and an
 * older one migrated; a file that is not there is created.
 */
export async function openDatabase(url: string, options: OpenOptions): Promise<Database> {
  if (!isPostgres(url)) {
    const { openSqlite } = await import('./sqlite/open.ts')
    return openSqlite(parseSqlitePath(url), options)
  }
  const { openPostgres } = await postgres()
  return openPostgres(url, options)
}

/** The same for reading alone: nothing is created, migrated or rebuilt. */
export async function openReadDatabase(
  url: string,
  options: Pick<OpenOptions, 'fingerprint' | 'now' | 'reading' | 'readers'>,
): Promise<ReadDatabase> {
  if (!isPostgres(url)) return openSqliteReader(parseSqlitePath(url), options)
  const { openPostgresReader } = await postgres()
  return openPostgresReader(url, options)
}

/**
 * The same, of a file that is laid out and of these lexicons already; null where `openDatabase` has to look at it, and
 * to say what is wrong. PostgreSQL is always such a case.
 */
export async function openReadyDatabase(
  url: string,
  options: Pick<OpenOptions, 'fingerprint' | 'now'> & SqliteQueryOptions,
): Promise<ReadDatabase | null> {
  if (isPostgres(url)) return null
  try {
    return await openSqliteReader(parseSqlitePath(url), options)
  } catch (error) {
    // Whoever looked at it would wait as long and find the same.
    if (error instanceof DatabaseBusyError) throw error
    return null
  }
}

/** What `openDatabase` would do to the records if it had to rebuild the database for these lexicons; nothing is written. */
export async function previewRebuild(url: string, options: PreviewOptions): Promise<RebuildReport> {
  const { previewRebuild: preview } = isPostgres(url)
    ? await import('./postgres/layout/preview.ts')
    : await import('./sqlite/layout/preview.ts')
  return preview(isPostgres(url) ? url : parseSqlitePath(url), options)
}

/** What the database holds now; from which a copy is made. Nothing is created, migrated or rebuilt. */
export async function openSnapshot(
  url: string,
  { fingerprint }: Pick<OpenOptions, 'fingerprint'>,
): Promise<Snapshot> {
  if (!isPostgres(url)) {
    const path = parseSqlitePath(url)
    const { SqliteSnapshot } = await import('./sqlite/load/snapshot.ts')
    return new SqliteSnapshot(connectReader(path, fingerprint), path)
  }
  const { openPostgresSnapshot } = await import('./postgres/load/snapshot.ts')
  return openPostgresSnapshot(url, { fingerprint })
}

/** An empty database, or an unfinished copy of the same source, to become a copy of it; any other is left as it is. */
export async function openCopyTarget(
  url: string,
  source: Pick<Snapshot, 'identity' | 'kind' | 'name'>,
  options: OpenOptions,
): Promise<CopyTarget> {
  if (!isPostgres(url)) {
    const { openSqliteTarget } = await import('./sqlite/load/copy-target.ts')
    return openSqliteTarget(parseSqlitePath(url), source, options)
  }
  const { openPostgresTarget } = await import('./postgres/load/copy-target.ts')
  return openPostgresTarget(url, source, options)
}

/** Adds what keys were used for, beside whoever else writes. */
export async function addKeyUsage(url: string, usage: readonly KeyUsage[], today: number): Promise<void> {
  if (isPostgres(url)) {
    const { addUsageToPrimary } = await import('./postgres/usage-store.ts')
    return addUsageToPrimary(url, usage, today)
  }
  const { addUsageToFile } = await import('./sqlite/usage-store.ts')
  return addUsageToFile(parseSqlitePath(url), usage, today)
}

/** What a backup holds, from which a database is restored. The file is SQLite's, whichever engine the database had. */
export async function openBackupFile(path: string): Promise<BackupFile> {
  const { openBackup } = await import('./sqlite/load/open-backup.ts')
  return openBackup(path)
}

export async function writeBackupFile(backup: WriteBackup): Promise<WrittenBackup> {
  const { writeBackup } = await import('./sqlite/load/backup-file.ts')
  return writeBackup(backup)
}

/** Whether a database that is laid out must be migrated or rebuilt before it can be read, which may take long. */
export async function isOutdated(
  url: string,
  { fingerprint }: Pick<OpenOptions, 'fingerprint'>,
): Promise<boolean> {
  const path = filePath(url)
  return path === null
    ? (await postgres()).isPostgresOutdated(url, fingerprint)
    : isFileOutdated(path, fingerprint)
}

/** How far a rebuild has come, whoever does it; null when none is under way. */
export async function readRebuildProgress(url: string): Promise<RebuildProgress | null> {
  const path = filePath(url)
  if (path === null) return (await postgres()).readPostgresProgress(url)
  const { readFileProgress } = await import('./sqlite/layout/rebuild-state.ts')
  return readFileProgress(path)
}

/** Whoever has a file does not wait for the driver. */
const postgres = () => import('./postgres/open.ts')

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/.test(url)
}

/** What no other process can read. */
export function isInMemory(url: string): boolean {
  return /^(sqlite:)?:memory:$/.test(url)
}

/** Of its file; null when it is not in one. Throws on what is no database. */
export function filePath(url: string): string | null {
  return isPostgres(url) ? null : parseSqlitePath(url)
}
