/** `export`: all records on standard output, at the pace of whoever reads them. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { exportLines } from '../../ingest/export.ts'
import type { CommandContext } from '../command.ts'
import { lexiconDir, loadFoundation, openExistingStore } from '../foundation.ts'

export async function exportRecords({ config, root }: CommandContext): Promise<number> {
  const foundation = await loadFoundation(lexiconDir(config, root))
  await using database = await openExistingStore(config, foundation)
  const lines = Readable.from(exportLines(database, foundation.tables), { highWaterMark: 64 })
  await pipeline(lines, process.stdout, { end: false })
  return 0
}
