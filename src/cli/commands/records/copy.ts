/** `copy --from URL --to URL` and `restore FILE`: fill a database from another one or a backup, and compare the two. */
import { resolve } from 'node:path'
import type { PartComparison, Snapshot } from '../../../database/copy/database-copy.ts'
import { compare, fill, haveSameCounts } from '../../../database/copy/database-copy.ts'
import { partsOf, titleOf } from '../../../database/copy/parts.ts'
import { openBackupFile } from '../../../database/open.ts'
import { withoutPassword } from '../../../database/postgres/url.ts'
import type { BackupFile } from '../../../database/sqlite/load/backup-file.ts'
import { differingCounts } from '../../../database/verify/verify-counts.ts'
import { UsageError } from '../../../errors.ts'
import { type CommandContext, CommandError, notify, print, printJson } from '../../command.ts'
import type { ProjectContext } from '../../store/project.ts'
import { lexiconDir, loadProject, openCopy, openCopySource, openExistingStore } from '../../store/project.ts'
import { showProgress } from '../../progress-bar.ts'
import type { Config } from '../../settings/settings.ts'
import { fileDamage } from '../../store/verify-store.ts'
import { renderTable, roundedSeconds } from '../../table.ts'

export async function copy({ config, root }: CommandContext): Promise<number> {
  const { from, to } = config
  if (from === null || to === null)
    throw new UsageError(
      'copy needs two databases: --from sqlite:lexigraph.db --to postgres://USER@HOST/NAME; docs/backups.md says more.',
    )
  const project = await loadProject(lexiconDir(config, root))
  const started = performance.now()
  await using source = await openCopySource(from, project)
  const served = new Set(project.tables.map(({ collection }) => collection.nsid))
  for (const nsid of await source.collections())
    if (!served.has(nsid))
      notify(config, `The records of ${nsid} stay behind: the lexicons no longer have this collection.`)
  const comparisons = await makeSame(source, to, project, config)
  const isSame = isSameThroughout(comparisons)
  const seconds = roundedSeconds(performance.now() - started)
  if (config.json) printJson({ same: isSame, parts: describeComparisons(comparisons), seconds })
  else {
    const end = isSame
      ? `Both databases hold the same. That took ${seconds} s.`
      : 'The copy is not the same, and stays unfinished; the same command again mends it.'
    print(`${renderComparisons(comparisons, 'in the copy')}\n${end}`)
  }
  return isSame ? 0 : 1
}

export async function restore({ config, operands, root }: CommandContext): Promise<number> {
  if (operands[0] === '-')
    throw new UsageError('restore reads a file, not standard input: name one, such as backup.db.')
  const path = resolve(operands[0] ?? '')
  const project = await loadProject(lexiconDir(config, root))
  const started = performance.now()
  await using backup = await opened(path, project)
  {
    using progress = showProgress(config)
    const { signal } = new AbortController()
    await readable(path, () => backup.verify(partsOf(project.tables), progress.update, signal))
  }
  const comparisons = await makeSame(backup, config.database, project, config)
  const isSame = isSameThroughout(comparisons)
  const problems = isSame ? await remainingProblems(config, project) : []
  const { takenAt } = backup.about
  const seconds = roundedSeconds(performance.now() - started)
  const whole = isSame && problems.length === 0
  if (config.json)
    printJson({ same: whole, takenAt, parts: describeComparisons(comparisons), problems, seconds })
  else {
    const end = !isSame
      ? 'The database does not hold the same, and stays unfinished; the same command again mends it.'
      : whole
        ? `${withoutPassword(config.database)} is what it was at ${takenAt}. Verified: the backup's digests, the lexicons, every row of the database, its counts and sums, and the integrity of its file if it is one. That took ${seconds} s.`
        : problems.join('\n')
    print(`${renderComparisons(comparisons, 'in the database')}\n${end}`)
  }
  return whole ? 0 : 1
}

/** Makes the content of a database that of the source, and compares both. */
async function makeSame(
  source: Snapshot,
  url: string,
  project: ProjectContext,
  config: Config,
): Promise<readonly PartComparison[]> {
  const parts = partsOf(project.tables)
  await using target = await openCopy(url, source, project)
  using progress = showProgress(config)
  if (target.isWhole) {
    // An earlier command may have ended before its comparison: nothing is written then.
    const isCounted = await haveSameCounts(source, target, parts)
    const comparisons = isCounted ? await compare(source, target, parts, progress.update) : []
    if (isCounted && isSameThroughout(comparisons)) return comparisons
    throw new CommandError(
      `The database ${withoutPassword(url)} has records or other content, and not the same as ${source.name}. Name an empty one, or a file that is not there yet.`,
    )
  }
  try {
    await fill(source, target, parts, progress.update)
    const comparisons = await compare(source, target, parts, progress.update)
    if (isSameThroughout(comparisons)) await target.finish()
    return comparisons
  } catch (error) {
    progress[Symbol.dispose]()
    notify(config, 'Not all is there yet; the same command goes on from here.')
    throw error
  }
}

async function remainingProblems(config: Config, project: ProjectContext): Promise<readonly string[]> {
  await using read = await openExistingStore(config, project)
  const damage = [...(await differingCounts(read, project.tables)), ...(await fileDamage(read))]
  return damage.map(({ name, problem }) => `${name}: ${problem}`)
}

async function opened(path: string, { lexicons, tables }: ProjectContext): Promise<BackupFile> {
  const backup = await readable(path, () => openBackupFile(path))
  const { fingerprint, collections, takenAt } = backup.about
  if (fingerprint === lexicons.fingerprint) return backup
  await backup[Symbol.asyncDispose]()
  const known = new Set(tables.map(({ collection }) => collection.nsid))
  const missing = collections.filter((nsid) => !known.has(nsid))
  const which = missing.length === 0 ? '' : ` Its collections that these do not have: ${missing.join(', ')}.`
  throw new CommandError(
    `The backup ${path} was taken at ${takenAt} under other lexicons.${which} Give those with --lexicons; start the service with new ones afterwards.`,
  )
}

async function readable<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (cause) {
    const message = `The backup ${path} cannot be restored: ${(cause as Error).message} Nothing was written.`
    throw new CommandError(message, { cause })
  }
}

function isSameThroughout(comparisons: readonly PartComparison[]): boolean {
  return comparisons.every(({ differing }) => differing === 0)
}

function describeComparisons(comparisons: readonly PartComparison[]): readonly object[] {
  return comparisons.map(({ part, ...compared }) => ({ name: titleOf(part), ...compared }))
}

/** `otherSide`: the heading for the second database. */
function renderComparisons(comparisons: readonly PartComparison[], otherSide: string): string {
  const table = renderTable(
    ['what', 'rows', 'digest'],
    comparisons.map(({ part, source, differing }) => [
      titleOf(part),
      source.rows,
      // Enough to compare by eye; the JSON contains the whole digest.
      differing === 0 ? source.digest.slice(0, 16) : 'differs',
    ]),
  )
  const different = comparisons.filter(({ differing }) => differing > 0)
  if (different.length === 0) return table
  const differences = renderTable(
    ['differs', 'rows', otherSide, 'differing', 'first of them'],
    different.map(({ part, source, target, differing, first }) => [
      titleOf(part),
      source.rows,
      target.rows,
      differing,
      first ?? '',
    ]),
  )
  return `${table}\n${differences}`
}
