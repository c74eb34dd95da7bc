/** `export`: all records on standard output for `import`. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadDatabase } from '../../../database/database.ts'
import type { Table } from '../../../database/layout/tables.ts'
import { readRecords } from '../../../database/read-records.ts'
import { formatInstant } from '../../../util/instant.ts'
import type { CommandContext } from '../../command.ts'
import { lexiconDir, loadProject, openExistingStore } from '../../store/project.ts'

export async function exportRecords({ config, root }: CommandContext): Promise<void> {
  const project = await loadProject(lexiconDir(config, root))
  await using database = await openExistingStore(config, project)
  const lines = Readable.from(exportLines(database, project.tables), { highWaterMark: 64 })
  await pipeline(lines, process.stdout, { end: false })
}

/** One line per visible record, in default order within its collection; only the current row is in memory. */
export async function* exportLines(database: ReadDatabase, tables: readonly Table[]): AsyncGenerator<string> {
  for (const table of tables) {
    for await (const { uri, cid, rev, indexedAt, json } of readRecords(database, table)) {
      const known = JSON.stringify({ uri, cid, rev: rev ?? undefined, indexedAt: formatInstant(indexedAt) })
      yield `${known.slice(0, -1)},"value":${json}}\n`
    }
  }
}
