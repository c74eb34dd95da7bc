/** `backup FILE`: writes a consistent snapshot of the whole database. */
import { resolve } from 'node:path'
import type { WrittenBackup } from '../../../database/sqlite/load/backup-file.ts'
import { type CopyPart, partsOf, titleOf } from '../../../database/copy/parts.ts'
import { writeBackupFile } from '../../../database/open.ts'
import { UsageError } from '../../../errors.ts'
import { formatInstant } from '../../../util/instant.ts'
import { type CommandContext, CommandError, notify, printJson, readVersion } from '../../command.ts'
import { lexiconDir, loadProject, now, openExistingCopySource } from '../../store/project.ts'
import { showProgress } from '../../progress-bar.ts'
import { stopSignal } from '../../signals.ts'
import { instantText, renderTable, roundedSeconds } from '../../table.ts'
import { counted } from '../../../util/text/counted.ts'

export async function backup({ config, operands, root }: CommandContext): Promise<void> {
  if (operands[0] === '-')
    throw new UsageError('backup writes to a file, not to standard output: name one, such as backup.db.')
  const path = resolve(operands[0] ?? '')
  const project = await loadProject(lexiconDir(config, root))
  const { lexicons, tables } = project
  const parts = partsOf(tables)
  const started = performance.now()
  const signal = stopSignal()
  await using source = await openExistingCopySource(config, project)
  const takenAt = formatInstant(now())
  const served = tables.map(({ collection }) => collection.nsid)
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
    fingerprint: lexicons.fingerprint,
    collections: served,
  }
  using progress = showProgress(config)
  try {
    const written = await writeBackupFile({ path, source, parts, about, onProgress: progress.update, signal })
    progress[Symbol.dispose]()
    const seconds = roundedSeconds(performance.now() - started)
    const report = { path, takenAt, ...describe(written, parts), seconds }
    if (config.json) printJson(report)
    else process.stdout.write(render(report))
    return
  } catch (cause) {
    const reason = signal.aborted ? 'it was stopped.' : (cause as Error).message
    throw new CommandError(`The backup ${path} was not written: ${reason}`, { cause })
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
}

function render({ path, takenAt, bytes, parts, sources, seconds }: BackupReport): string {
  const rows = renderTable(
    ['what', 'rows', 'digest'],
    parts.filter(({ rows }) => rows > 0).map(({ name, rows, digest }) => [name, rows, digest.slice(0, 16)]),
  )
  const cursors = renderTable(
    ['source', 'cursor', 'last event'],
    sources.map(({ source, cursor, lastEventAt }) => [source, cursor ?? '', lastEventAt ?? '']),
  )
  return `${rows}${sources.length === 0 ? '' : `\n${cursors}`}
${path} has ${counted(bytes, 'byte')}, and is the database as it was at ${takenAt}. It was read back and is whole. That took ${seconds} s.\n`
}
