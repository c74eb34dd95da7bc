/** `restore FILE`: fills an empty database from a backup, and compares the two. */
import { resolve } from 'node:path'
import { type PartComparison, compare, fill, haveSameCounts } from '../../../database/copy/database-copy.ts'
import { partsOf } from '../../../database/copy/parts.ts'
import type { ReadDatabase } from '../../../database/database.ts'
import { openBackupFile } from '../../../database/open.ts'
import { withoutPassword } from '../../../database/postgres/url.ts'
import type { BackupFile } from '../../../database/sqlite/load/backup-file.ts'
import { differingCounts } from '../../../database/verify/verify-counts.ts'
import { UsageError } from '../../../errors.ts'
import { type CommandContext, CommandError, notify } from '../../command.ts'
import {
  describeComparisons,
  isSameThroughout,
  renderComparisons,
  roundedSeconds,
} from '../../store/comparisons.ts'
import {
  type ProjectContext,
  lexiconDir,
  loadProject,
  openCopy,
  openExistingStore,
} from '../../store/project.ts'
import { showProgress } from '../../progress-bar.ts'

export async function restore(context: CommandContext): Promise<number> {
  const { config, operands, root } = context
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
  const problems = isSame ? await remainingProblems(context, project) : []
  progress[Symbol.dispose]()
  const { takenAt } = backup.about
  const seconds = roundedSeconds(performance.now() - started)
  const whole = isSame && problems.length === 0
  if (config.json) {
    const told = { same: whole, takenAt, parts: describeComparisons(comparisons), problems, seconds }
    process.stdout.write(`${JSON.stringify(told)}\n`)
  } else {
    const end = !isSame
      ? 'The database does not hold the same, and stays unfinished; the same command again mends it.'
      : whole
        ? `${withoutPassword(config.database)} is what it was at ${takenAt}. Verified: the backup's digests, the lexicons, every row of the database, its counts and sums, and the integrity of its file if it is one. That took ${seconds} s.`
        : problems.join('\n')
    process.stdout.write(`${renderComparisons(comparisons, 'in the database')}\n${end}\n`)
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
async function remainingProblems(
  { config }: CommandContext,
  project: ProjectContext,
): Promise<readonly string[]> {
  await using read = await openExistingStore(config, project)
  const counts = await differingCounts(read, project.tables)
  const problems = counts.map(({ name, error }) =>
    error === null
      ? `The counts in ${name} are not those of the records.`
      : `The counts in ${name} cannot be read: ${error.message}`,
  )
  const isDamaged = !read.isRemote && (await fileProblem(read)) !== 'ok'
  return isDamaged ? [...problems, 'The file of the database is damaged: the disk may be.'] : problems
}

async function fileProblem(read: ReadDatabase): Promise<string> {
  const text = 'select integrity_check as problem from pragma_integrity_check'
  for await (const { problem } of read.readRows({ text, values: [] })) return String(problem)
  return 'ok'
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
