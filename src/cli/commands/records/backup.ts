/** `backup FILE`: writes a consistent snapshot of the whole database. */
import { resolve } from 'node:path'
import type { WrittenBackup } from '../../../database/sqlite/load/backup-file.ts'
import { partsOf, titleOf } from '../../../database/copy/parts.ts'
import { writeBackupFile } from '../../../database/open.ts'
import { UsageError } from '../../../errors.ts'
import { formatInstant } from '../../../util/instant.ts'
import { type CommandContext, CommandError, notify } from '../../command.ts'
import { roundedSeconds } from '../../store/comparisons.ts'
import { lexiconDir, loadProject, now, openExistingCopySource } from '../../store/project.ts'
import { showProgress } from '../../progress-bar.ts'
import { stopSignal } from '../../signals.ts'
import { instantText, renderTable } from '../../table.ts'
import { readVersion } from '../../version.ts'
import { counted } from '../../../util/text/counted.ts'

export async function backup({ config, operands, root }: CommandContext): Promise<number> {
  if (operands[0] === '-')
    throw new UsageError('backup writes to a file, not to standard output: name one, such as backup.db.')
  const path = resolve(operands[0] ?? '')
  const project = await loadProject(lexiconDir(config, root))
  const { lexicons, tables } = project
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
  const onProgress = progress.update
  try {
    const written = await writeBackupFile({ path, source, parts: partsOf(tables), about, onProgress, signal })
    progress[Symbol.dispose]()
    const seconds = roundedSeconds(performance.now() - started)
    const titles = new Map(partsOf(tables).map((part) => [part.name, titleOf(part)]))
    const report = { ...written, path, takenAt, seconds, titles }
    process.stdout.write(config.json ? renderJson(report) : render(report))
    return 0
  } catch (cause) {
    const reason = signal.aborted ? 'it was stopped.' : (cause as Error).message
    throw new CommandError(`The backup ${path} was not written: ${reason}`, { cause })
  }
}

interface BackupReport extends WrittenBackup {
  readonly path: string
  readonly takenAt: string
  readonly seconds: number
  /** By the names of parts. */
  readonly titles: ReadonlyMap<string, string>
}

function renderJson({ path, takenAt, bytes, parts, cursors, seconds, titles }: BackupReport): string {
  const sources = cursors.map(({ source, cursor, eventAt }) => ({
    source,
    cursor,
    lastEventAt: instantText(eventAt),
  }))
  const counted = parts.map(({ name, rows, digest }) => ({ name: titles.get(name), rows, digest }))
  return `${JSON.stringify({ path, takenAt, bytes, parts: counted, sources, seconds })}\n`
}

function render({ path, takenAt, bytes, parts, cursors, seconds, titles }: BackupReport): string {
  const rows = renderTable(
    ['what', 'rows', 'digest'],
    parts
      .filter(({ rows }) => rows > 0)
      .map(({ name, rows, digest }) => [titles.get(name) ?? name, rows, digest.slice(0, 16)]),
  )
  const sources = renderTable(
    ['source', 'cursor', 'last event'],
    cursors.map(({ source, cursor, eventAt }) => [source, cursor ?? '', instantText(eventAt) ?? '']),
  )
  return `${rows}${cursors.length === 0 ? '' : `\n${sources}`}
${path} has ${counted(bytes, 'byte')}, and is the database as it was at ${takenAt}. It was read back and is whole. That took ${seconds} s.\n`
}
