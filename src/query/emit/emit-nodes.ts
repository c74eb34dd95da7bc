/** Records by a list of URIs as SQL, one result for each URI. */
import { splitUri } from '../../database/derive.ts'
import { join, raw, type Sql, sql } from '../../sql/sql.ts'
import { resolved } from './emit-output.ts'
import type { Emitter } from './emitter.ts'
import type { PhysicalList } from '../plan/physical-plan.ts'
import type { RecordSelections } from '../plan/plan.ts'

/** A JSON array as text. The URIs are rows, so that the selection is emitted once, however many URIs there are. */
export function emitNodes(
  emitter: Emitter,
  uris: readonly string[],
  records: RecordSelections<PhysicalList>,
): Sql {
  const { dialect } = emitter
  const rows = uris.map((uri, index) => {
    const [base, key] = splitUri(uri)
    return sql`(${raw(String(index))}, ${base}, ${key})`
  })
  const [given, id] = [emitter.alias(), emitter.alias()]
  const ids = sql`select column1 as position, (select id from base where uri = column2) as base, column3 as key
    from (values ${join(rows, ', ')}) ${given}`
  const record = resolved(emitter, { base: sql`${id}.base`, key: sql`${id}.key` }, records)
  const all = sql`select ${dialect.joinedBy(sql`${id}.position`, record, null)} from (${ids}) ${id}`
  return dialect.concat([raw(`'['`), sql`(${all})`, raw(`']'`)])
}
