/**
 * `copy --from URL --to URL` and `restore FILE`: fill a database from another one or from a backup, and compare the two.
 * Progress goes to standard error, the comparison to standard output.
 */
import { resolve } from 'node:path'
import { type PartComparison, compare, fill, haveSameCounts } from '../../../database/copy/database-copy.ts'
import { partsOf, titleOf } from '../../../database/copy/parts.ts'
import { openBackupFile } from '../../../database/open.ts'
import { withoutPassword } from '../../../database/postgres/url.ts'
import type { BackupFile } from '../../../database/sqlite/load/backup-file.ts'
import { differingCounts } from '../../../database/verify/verify-counts.ts'
import { UsageError } from '../../../errors.ts'
import { type CommandContext, CommandError, notify, print, printJson } from '../../command.ts'
import {
  type ProjectContext,
  lexiconDir,
  loadProject,
  openCopy,
  openCopySource,
  openExistingStore,
} from '../../store/project.ts'
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
  const { tables } = project
  const parts = partsOf(tables)
  await using source = await openCopySource(from, project)
  await using target = await openCopy(to, source, project)
  const served = new Set(tables.map(({ collection }) => collection.nsid))
  for (const nsid of await source.collections())
    if (!served.has(nsid))
      notify(config, `The records of ${nsid} stay behind: the lexicons no longer have this collection.`)
  using progress = showProgress(config)
  const start = performance.now()
  const refusal = new CommandError(
    `The database ${withoutPassword(to)} has records or other content, and not the same as ${source.name}. Name an empty one with --to.`,
  )
  if (!target.isWhole)
    await fill(source, target, parts, progress.update).catch((error: unknown) => {
      progress[Symbol.dispose]()
      notify(config, 'Not all is copied; the same command goes on from here.')
      throw error
    })
  else if (!(await haveSameCounts(source, target, parts))) throw refusal
  const copied = performance.now()
  const comparisons = await compare(source, target, parts, progress.update)
  const isSame = isSameThroughout(comparisons)
  if (target.isWhole && !isSame) throw refusal
  if (isSame && !target.isWhole) await target.finish()
  progress[Symbol.dispose]()
  const copying = roundedSeconds(copied - start)
  const comparing = roundedSeconds(performance.now() - copied)
  if (config.json)
    printJson({ same: isSame, parts: describeComparisons(comparisons), seconds: { copying, comparing } })
  else {
    const end = isSame
      ? `Both databases hold the same. Copying took ${copying} s, comparing ${comparing} s.`
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
  const parts = partsOf(project.tables)
  const started = performance.now()
  await using backup = await opened(path, project)
  using progress = showProgress(config)
  // The whole backup is verified before anything is written.
  await readable(path, () => backup.verify(parts, progress.update, new AbortController().signal))
  const comparisons = await fillAndCompare()
  const isSame = isSameThroughout(comparisons)
  const problems = isSame ? await remainingProblems(config, project) : []
  progress[Symbol.dispose]()
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

  async function fillAndCompare(): Promise<readonly PartComparison[]> {
    await using target = await openCopy(config.database, backup, project)
    // The target may be a restoration that ended before its verification: nothing is written then.
    if (target.isWhole) {
      const comparisons = (await haveSameCounts(backup, target, parts))
        ? await compare(backup, target, parts, progress.update)
        : null
      if (comparisons !== null && isSameThroughout(comparisons)) return comparisons
      throw new CommandError(
        `The database ${withoutPassword(config.database)} holds records or other content already. Name an empty one, or a file that is not there yet, with --database.`,
      )
    }
    try {
      await fill(backup, target, parts, progress.update)
      const comparisons = await compare(backup, target, parts, progress.update)
      if (isSameThroughout(comparisons)) await target.finish()
      return comparisons
    } catch (error) {
      progress[Symbol.dispose]()
      notify(config, 'Not all is restored; the same command goes on from here.')
      throw error
    }
  }
}

/** Checks derived data, and the database file. */
async function remainingProblems(config: Config, project: ProjectContext): Promise<readonly string[]> {
  await using read = await openExistingStore(config, project)
  const counts = await differingCounts(read, project.tables)
  const problems = counts.map(({ name, error }) =>
    error === null
      ? `The counts in ${name} are not those of the records.`
      : `The counts in ${name} cannot be read: ${error.message}`,
  )
  return [...problems, ...(await fileDamage(read)).map(({ name, problem }) => `${name}: ${problem}`)]
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
  return comparisons.map(({ part, source, target, differing, first }) => ({
    name: titleOf(part),
    source,
    target,
    differing,
    first,
  }))
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
