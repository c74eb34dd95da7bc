/** The common base of commands: the lexicons, the model and tables derived from them, and the database. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openAwaited } from '../../database/awaited-database.ts'
import type { CopySource, CopyTarget, Snapshot } from '../../database/copy/database-copy.ts'
import type { Database, ReadDatabase, RebuildPolicy, RecordCheck } from '../../database/database.ts'
import { LostCollectionsError } from '../../database/database.ts'
import { ReplacedFileError } from '../../database/refusals.ts'
import {
  filePath,
  isInMemory,
  isOutdated,
  isPostgres,
  openCopyTarget,
  openDatabase,
  type OpenOptions,
  openReadDatabase,
  openReadyDatabase,
  openSnapshot,
  previewRebuild,
  readRebuildProgress,
} from '../../database/open.ts'
import { withoutPassword } from '../../database/postgres/url.ts'
import type { RebuildReport } from '../../database/rebuild/rebuild-report.ts'
import { buildTables, type Table } from '../../database/layout/tables.ts'
import type { LexiconProblem, LexiconSet } from '../../lexicon/lexicons.ts'
import { buildModel } from '../../schema/model/build-model.ts'
import type { Model } from '../../schema/model/model.ts'
import { CommandError, notify } from '../command.ts'
import { createProgressNotice, lostSentence, notifyRebuilt } from './rebuild-notices.ts'
import { parseRetention, queryOptionsOf } from './store-options.ts'
import type { Config } from '../settings/settings.ts'
import { counted } from '../../util/text/counted.ts'
import { defaultMaxClockSkew, now } from '../../util/instant.ts'

export interface ProjectContext {
  /** The folder of the lexicons. */
  readonly dir: string
  readonly lexicons: LexiconSet
  readonly model: Model
  readonly tables: readonly Table[]
  /** The content of `display.json` next to the lexicons, unchecked; undefined without that file. */
  readonly display: unknown
}

export function lexiconDir(config: Config, root: URL): string {
  return config.lexicons ?? fileURLToPath(new URL('lexicons', root))
}

export async function loadProject(dir: string): Promise<ProjectContext> {
  // Loaded here, because some commands need no lexicons, and the validator is the largest part of the modules.
  const { loadLexicons } = await import('../../lexicon/load.ts')
  const result = await loadLexicons(dir)
  if (!result.ok) throw new CommandError(lexiconFailure(result.problems))
  const model = buildModel(result.lexicons)
  return { dir, lexicons: result.lexicons, model, tables: buildTables(model), display: result.display }
}

export function lexiconSentence({ file, path, problem, remedy }: LexiconProblem): string {
  // A problem of the whole directory contains its name already.
  const location = [problem.includes(file) ? '' : file, path].filter((part) => part !== '').join(': ')
  // Quotations from files may contain line breaks.
  return [...(location === '' ? [] : [`${location}:`]), problem, remedy].join(' ').replaceAll(/\s+/g, ' ')
}

/**
 * The configured database; creates a missing file and lays out an empty database. A database built with other lexicons
 * is rebuilt, unless collections would be lost without permission. `onProgress` is called after each step of that.
 */
export async function openStore(
  config: Config,
  project: ProjectContext,
  { rebuild, onProgress, tellsNew = false, file = null }: OpenStoreOptions = {},
): Promise<Database> {
  const tellProgress = createProgressNotice(config)
  const options: OpenOptions = {
    ...(await openOptions(project, config['max-clock-skew'])),
    ...queryOptionsOf(config),
    retention: parseRetention(config.retain, project.tables),
    rebuild: rebuild ?? (config.rebuild ? 'always' : 'unless-lost'),
    file,
    onCreated: () => {
      if (tellsNew && !isInMemory(config.database))
        notify(config, `A new database is made: ${withoutPassword(config.database)}.`)
    },
    onRebuilt: (report) => notifyRebuilt(config, report, project.dir),
    onProgress: (progress) => {
      onProgress?.()
      tellProgress(progress)
    },
  }
  return opened(config.database, () => openDatabase(config.database, options), project.dir)
}

interface OpenStoreOptions {
  readonly rebuild?: RebuildPolicy
  readonly onProgress?: () => void
  /** Whether the operator is told of a new database, because the name of another may be misspelt. */
  readonly tellsNew?: boolean
  /** The `fileIdentity` that a file of SQLite must have; null for any. */
  readonly file?: string | null
}

/** Reports how `openStore` would change the records if it had to rebuild the database for these lexicons. */
export async function previewStore(config: Config, project: ProjectContext): Promise<RebuildReport> {
  const { database } = config
  await assertExists(database)
  const options = await openOptions(project, config['max-clock-skew'])
  return opened(database, () => previewRebuild(database, options))
}

/** The database, read-only and without modules for writing; null if it must first be created, migrated or refused. */
export function openReadyStore(config: Config, { lexicons }: ProjectContext): Promise<ReadDatabase | null> {
  const { database } = config
  const options = { fingerprint: lexicons.fingerprint, now, ...queryOptionsOf(config) }
  return opened(database, () => openReadyDatabase(database, options))
}

/** Whether `openStore` must migrate or rebuild the database, which may take long. */
export function isStoreOutdated({ database }: Config, { lexicons }: ProjectContext): Promise<boolean> {
  return opened(database, () => isOutdated(database, lexicons))
}

/** Like `openExistingStore`, for a database that another process is updating to these lexicons. */
export function awaitStore(config: Config, project: ProjectContext): Promise<ReadDatabase> {
  const { database } = config
  return openAwaited({
    isRemote: isPostgres(database),
    open: () => openExistingStore(config, project),
    readProgress: () => readRebuildProgress(database),
    onFailure: (error) => notify(config, (error as Error).message, 'error'),
  })
}

/** For commands that only read: a missing database is an error, not an empty answer. */
export async function openExistingStore(
  config: Config,
  { lexicons }: { readonly lexicons: Pick<LexiconSet, 'fingerprint'> },
): Promise<ReadDatabase> {
  const { database } = config
  await assertExists(database)
  const options = { fingerprint: lexicons.fingerprint, now, ...queryOptionsOf(config) }
  return opened(database, () => openReadDatabase(database, options))
}

export function openCopySource(url: string, { lexicons }: ProjectContext): Promise<Snapshot> {
  return opened(url, () => openSnapshot(url, lexicons))
}

export async function openCopy(
  url: string,
  source: CopySource,
  project: ProjectContext,
): Promise<CopyTarget> {
  const options = await openOptions(project)
  return opened(url, () => openCopyTarget(url, source, options))
}

/** For commands that repair existing data. */
export async function openExistingWriter(config: Config, project: ProjectContext): Promise<Database> {
  await assertExists(config.database)
  return openStore(config, project)
}

/**
 * For commands that store metadata besides records. An operator may run them with other lexicons than the server's, or
 * with a misspelt database; they must neither rebuild nor create one.
 */
export async function openExistingBeside(config: Config, project: ProjectContext): Promise<Database> {
  await (await openExistingStore(config, project))[Symbol.asyncDispose]()
  return openStore(config, project, { rebuild: 'never' })
}

/** Modules for judging records are loaded on demand, so that readers do not wait for them. */
async function openOptions({ lexicons, tables }: ProjectContext, maxClockSkew = defaultMaxClockSkew) {
  const { createRejectionJudge } = await import('../../ingest/retry.ts')
  const { createRecordReader } = await import('../../lexicon/records/validate.ts')
  const read = createRecordReader(lexicons)
  /** Checks records that were stored under other lexicons. */
  const check: RecordCheck = (uri, json) => {
    const reading = read({ uri, value: JSON.parse(json) })
    return reading.ok ? null : { reason: reading.reason, message: reading.message }
  }
  const judge = createRejectionJudge({ lexicons, tables, maxClockSkew })
  return { tables, fingerprint: lexicons.fingerprint, check, judge, now }
}

/** Says how a missing database is made. */
export async function assertExists(database: string): Promise<void> {
  const path = await opened(database, async () => filePath(database))
  if (path !== null && !existsSync(path))
    throw new CommandError(
      `There is no database at ${withoutPassword(path)}; \`lexigraph import FILE…\` makes one.`,
    )
}

/** `dir`: the folder of the lexicons. */
async function opened<Store>(database: string, open: () => Promise<Store>, dir = ''): Promise<Store> {
  try {
    return await open()
  } catch (cause) {
    if (cause instanceof ReplacedFileError) throw cause
    const isLost = cause instanceof LostCollectionsError
    const message = isLost ? lostSentence(cause.collections, dir) : (cause as Error).message
    const reason =
      message === 'file is not a database'
        ? 'it is not a SQLite file. Records are read into a database by `lexigraph import FILE --database DATABASE`.'
        : message
    throw new CommandError(`The database ${withoutPassword(database)} cannot be opened: ${reason}`, { cause })
  }
}

export function lexiconFailure(problems: readonly LexiconProblem[]): string {
  const [first = '', ...more] = problems.map(lexiconSentence)
  const rest = `${counted(more.length, 'more problem')}; \`lexigraph check\` prints all.`
  return more.length > 0 ? `${first} And ${rest}` : first
}
