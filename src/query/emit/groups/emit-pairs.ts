/** Pairs of the elements of an array that occur in one record, as SQL. */
import { allOf, identifier, raw, type Sql, sql } from '../../../sql/sql.ts'
import { emitFilters } from '../emit-access-path.ts'
import { emitArray, emitObject, emitTuple } from '../emit-output.ts'
import { type Emitter, newRow } from '../emitter.ts'
import type { PhysicalPairs } from '../../plan/physical-plan.ts'
import { mostPaired } from '../../plan/groups/group-plan.ts'
import { fromRows } from './emit-counts.ts'

/** The pairs as a JSON array: the most frequent first, then in the order of their values. */
export function emitPairs(emitter: Emitter, plan: PhysicalPairs): Sql {
  const { dialect } = emitter
  const { array, fields, minCount, limit } = plan.pairs
  const [holder, one, other, row] = [emitter.alias(), emitter.alias(), emitter.alias(), emitter.alias()]
  const name = identifier(array.name)
  const counted = sql`select ${one}.value as v, ${other}.value as w, count(*) as n from (${holders(emitter, plan)}) ${holder}
    ${dialect.join} ${name} ${one} on ${one}.id = ${holder}.id
    ${dialect.join} ${name} ${other} on ${other}.id = ${holder}.id and ${other}.value > ${one}.value
    group by ${one}.value, ${other}.value having count(*) >= ${minCount}`
  const page = sql`${counted} order by n desc, v, w limit ${dialect.limit(limit)}`
  const text = emitObject(emitter, fields, ({ kind }) =>
    kind === 'count'
      ? sql`${row}.n`
      : emitTuple(emitter, [dialect.toJson(sql`${row}.v`), dialect.toJson(sql`${row}.w`)]),
  )
  return emitArray(emitter, sql`(select ${dialect.joined(text, null)} from (${page}) ${row})`)
}

/** The ids of records, without those that have too many pairs. */
function holders(emitter: Emitter, { pairs: { table, array }, rows }: PhysicalPairs): Sql {
  const name = identifier(array.name)
  const most = raw(String(mostPaired))
  if (rows === null) return sql`select id from ${name} group by id having count(*) between 2 and ${most}`
  const row = newRow(emitter, table)
  const { from, on } = fromRows(emitter, rows, row, null)
  const size = sql`(select count(*) from ${name} where id = ${row.alias}.id)`
  const condition = allOf([...on, emitFilters(emitter, rows.rows.filter, row), sql`${size} <= ${most}`])
  return sql`select ${row.alias}.id as id from ${from} where ${condition}`
}
