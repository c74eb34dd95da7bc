/** Sample records of groups: they are numbered within each group, found by their ids, and printed like those of a list. */
import { identifier, raw, type Sql, sql } from '../../../../sql/sql.ts'
import type { PhysicalAggregate, PhysicalSamples } from '../../../plan/physical-plan.ts'
import { emitFields } from '../../emit-output.ts'
import { type Emitter, newRow, type RecordRow } from '../../emitter.ts'
import { orderOf } from '../../lists/emit-order.ts'
import { emitNumberedRows } from '../emit-source.ts'
import { joinPlace, type Nested, type OuterPage } from './outer-page.ts'

export function emitSamples(
  emitter: Emitter,
  { table, keys, elements }: Pick<PhysicalAggregate['aggregate'], 'table' | 'keys' | 'elements'>,
  { sort, first, fields, rows, inIdOrder }: PhysicalSamples,
  page: OuterPage,
): Nested {
  const { dialect } = emitter
  const [numbered, name] = [emitter.alias(), emitter.alias()]
  const [sample, place] = [emitter.alias(), emitter.alias()]
  const order = (row: RecordRow) =>
    inIdOrder
      ? { orders: [sql`${row.alias}.id ${raw(sort[0]?.direction ?? 'desc')}`], joined: raw('') }
      : orderOf(emitter, sort, row)
  const within = { groups: page.name, keys: page.keys }
  const record = newRow(emitter, table)
  const text = emitFields(emitter, fields, record)
  // The ids belong to visible rows, so hidden rows need no second check.
  const found: Sql = sql`(select * from ${numbered} where nth <= ${first}) ${sample}
    ${joinPlace(emitter, page, sample, place)}
    ${dialect.join} ${identifier(table.name)} ${record.alias} on ${record.alias}.id = ${sample}.id`
  return {
    name,
    tables: [
      sql`${numbered} as materialized (${emitNumberedRows(emitter, { table, elements }, { keys, access: rows, within }, order)})`,
      sql`${name} as materialized (select ${place}.place as place, ${dialect.joinedInOrder(sql`${sample}.nth`, text)} as text
    from ${found} group by ${place}.place)`,
    ],
  }
}
