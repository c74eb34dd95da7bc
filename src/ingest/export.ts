/** Records as JSON Lines that `import` reads back to the same state. */
import type { ReadDatabase } from '../database/database.ts'
import type { Table } from '../database/layout/tables.ts'
import { formatInstant } from '../util/instant.ts'

/** One line for each record that can be seen, in default order within its collection; nothing is held but the current row. */
export async function* exportLines(database: ReadDatabase, tables: readonly Table[]): AsyncGenerator<string> {
  for (const table of tables) {
    for await (const { uri, cid, rev, indexedAt, json } of database.readRecords(table)) {
      const known = JSON.stringify({ uri, cid, rev: rev ?? undefined, indexedAt: formatInstant(indexedAt) })
      yield `${known.slice(0, -1)},"value":${json}}\n`
    }
  }
}
