/** Exports records as JSON Lines; `import` restores the same state from them. */
import type { ReadDatabase } from '../database/database.ts'
import type { Table } from '../database/layout/tables.ts'
import { formatInstant } from '../util/instant.ts'

/** One line per visible record, in default order within its collection; only the current row is in memory. */
export async function* exportLines(database: ReadDatabase, tables: readonly Table[]): AsyncGenerator<string> {
  for (const table of tables) {
    for await (const { uri, cid, rev, indexedAt, json } of database.readRecords(table)) {
      const known = JSON.stringify({ uri, cid, rev: rev ?? undefined, indexedAt: formatInstant(indexedAt) })
      yield `${known.slice(0, -1)},"value":${json}}\n`
    }
  }
}
