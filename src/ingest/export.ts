/** Records as JSON Lines that `import` reads back to the same state. */
import type { ReadDatabase } from '../database/database.ts'
import type { Table } from '../database/tables.ts'
import { formatInstant } from '../util/instant.ts'

/** One line for each record, in default order within its collection; nothing is held but the current row. */
export async function* exportLines(database: ReadDatabase, tables: readonly Table[]): AsyncGenerator<string> {
  const { ordered } = await database.readPlanState()
  for (const table of tables) {
    for (const row of database.readRows({ text: selectRecords(table, ordered), values: [] })) {
      const { uri, cid, rev, indexedAt, value } = row
      const known = JSON.stringify({
        uri,
        cid,
        rev: rev ?? undefined,
        indexedAt: formatInstant(indexedAt as bigint),
      })
      yield `${known.slice(0, -1)},"value":${String(value)}}\n`
    }
  }
}

/** Where ids follow the default order they spare the sort. Rows of hidden accounts stay where they are. */
function selectRecords(table: Table, ordered: ReadonlySet<string>): string {
  const order = ordered.has(table.collection.nsid)
    ? 't.id desc'
    : 't.indexed_at desc, t.rkey desc, b.did desc'
  return `select b.uri || t.rkey as uri, cid_text(t.cid) as cid, t.rev as rev, t.indexed_at as "indexedAt",
      json(t.record) as value
    from "${table.name}" t join base b on b.id = t.base
    where t.base not in (select base from hidden) order by ${order}`
}
