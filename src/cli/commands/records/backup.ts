/** `backup FILE`: writes a consistent snapshot of the whole database. */
import { resolve } from 'node:path'
import type { WrittenBackup } from '../../../database/sqlite/load/backup-file.ts'
import { type CopyPart, partsOf, titleOf } from '../../../database/copy/parts.ts'
import { writeBackupFile } from '../../../database/open.ts'
import type { Damage } from '../../../database/verify/verify-counts.ts'
import { UsageError } from '../../../errors.ts'
import { formatInstant, instantText, now } from '../../../util/instant.ts'
import { type CommandContext, CommandError, notify, printJson, readVersion } from '../../command.ts'
import { assertExists, lexiconDir, loadProject, openCopySource } from '../../store/project.ts'
import { damageLines, verifyStore } from '../../store/verify-store.ts'
import { showProgress } from '../../progress-bar.ts'
import { stopSignal } from '../../signals.ts'
import { renderTable, roundedSeconds } from '../../table.ts'
import { counted } from '../../../util/text/counted.ts'

export async function backup({ config, operands, root }: CommandContext): Promise<number> {
  if (operands[0] === '-')
    throw new UsageError('backup writes to a file, not to standard output: name one, such as backup.db.')
  const path = resolve(operands[0] ?? '')
  const project = await loadProject(lexiconDir(config, root))
  const parts = partsOf(project.tables)
  const started = performance.now()
  const signal = stopSignal()
  const written = await writeSnapshot()
  const damage = await verifyStore(config, project, signal).catch((cause: Error) => {
    throw new CommandError(
      `The backup ${path} is written, but the database was not compared with its records: ${reasonOf(cause)}`,
      { cause },
    )
  })
  const seconds = roundedSeconds(performance.now() - started)
  const report = { path, takenAt: written.takenAt, ...describe(written, parts), seconds, damage }
  if (config.json) printJson(report)
  else process.stdout.write(render(report))
  return damage.length === 0 ? 0 : 1

  function reasonOf(cause: unknown): string {
    return signal.aborted ? 'it was stopped.' : (cause as Error).message
  }

  /** The snapshot ends with the file: while it is open, the log of a SQLite file grows. */
  async function writeSnapshot(): Promise<WrittenBackup & { readonly takenAt: string }> {
    await assertExists(config.database)
    await using source = await openCopySource(config.database, project)
    const takenAt = formatInstant(now())
    const served = project.tables.map(({ collection }) => collection.nsid)
    for (const nsid of await source.collections())
      if (!served.includes(nsid))
        notify(
          config,
          `The records of ${nsid} are not in the backup: the lexicons no longer have this collection.`,
        )
    const about = {
      version: readVersion(root),
      takenAt,
      source: source.name,
      fingerprint: project.lexicons.fingerprint,
      collections: served,
    }
    using progress = showProgress(config)
    try {
      const onProgress = progress.update
      return { ...(await writeBackupFile({ path, source, parts, about, onProgress, signal })), takenAt }
    } catch (cause) {
      progress[Symbol.dispose]()
      throw new CommandError(`The backup ${path} was not written: ${reasonOf(cause)}`, { cause })
    }
  }
}

function describe({ bytes, parts: written, cursors }: WrittenBackup, parts: readonly CopyPart[]) {
  const titles = new Map(parts.map((part) => [part.name, titleOf(part)]))
  return {
    bytes,
    parts: written.map(({ name, rows, digest }) => ({ name: titles.get(name) ?? name, rows, digest })),
    sources: cursors.map(({ source, cursor, eventAt }) => ({
      source,
      cursor,
      lastEventAt: instantText(eventAt),
    })),
  }
}

interface BackupReport extends ReturnType<typeof describe> {
  readonly path: string
  readonly takenAt: string
  readonly seconds: number
  readonly damage: readonly Damage[]
}

function render({ path, takenAt, bytes, parts, sources, seconds, damage }: BackupReport): string {
  const rows = renderTable(
    ['what', 'rows', 'digest'],
    parts.filter(({ rows }) => rows > 0).map(({ name, rows, digest }) => [name, rows, digest.slice(0, 16)]),
  )
  const read = sources.map(({ source, cursor, lastEventAt }) => [source, cursor ?? '', lastEventAt ?? ''])
  const cursors = renderTable(['source', 'cursor', 'last event'], read)
  return `${rows}${sources.length === 0 ? '' : `\n${cursors}`}
${path} has ${counted(bytes, 'byte')}, and is the database as it was at ${takenAt}. It was read back and is whole. ${damageLines(damage).join('\n')}\nThat took ${seconds} s.\n`
}
