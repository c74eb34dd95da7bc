/** `export`: all records on standard output for `import`. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { exportLines } from '../../../ingest/export.ts'
import type { CommandContext } from '../../command.ts'
import { lexiconDir, loadProject, openExistingStore } from '../../store/project.ts'

export async function exportRecords({ config, root }: CommandContext): Promise<void> {
  const project = await loadProject(lexiconDir(config, root))
  await using database = await openExistingStore(config, project)
  const lines = Readable.from(exportLines(database, project.tables), { highWaterMark: 64 })
  await pipeline(lines, process.stdout, { end: false })
}
