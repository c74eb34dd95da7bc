/** A road as a `from` clause and what must hold beside the list's own conditions. */
import { join, raw, type Sql, sql } from '../sql/sql.ts'
import type { Emitter, Row } from './emitter.ts'
import { idRange } from './emit-id-order.ts'
import { lookUpIds } from './look-ups.ts'
import type { Condition, Direction } from './plan.ts'
import type { Road } from './roads.ts'

/** Where ids are to come in order, and from where on. */
interface IdOrder {
  readonly direction: Direction
  readonly bound: Sql | null
}

export function fromRoad(
  emitter: Emitter,
  road: Road,
  row: Extract<Row, { kind: 'record' }>,
  where: Condition,
  order: IdOrder | null,
): { readonly from: Sql; readonly on: readonly Sql[] } {
  const { alias, table } = row
  const range = idRange(emitter, row, where)
  const beyond = order?.bound == null ? range : [sql`${alias}.id ${order.bound}`, ...range]
  switch (road.kind) {
    case 'free':
      return { from: emitter.rows(table, alias), on: beyond }
    case 'walk':
      return { from: emitter.rows(table, alias, emitter.dialect.walk(road.index)), on: beyond }
    case 'ids': {
      const candidates = emitter.alias()
      const lists = road.of.map((lookUp) => {
        const { from, id, where } = lookUpIds(emitter, lookUp)
        const bound = order?.bound == null ? sql`` : sql` and ${id} ${order.bound}`
        return sql`select ${id} as id from ${from} where ${where}${bound}`
      })
      // Ordered within, a union of ordered lists is merged and stops early; a limit that is none keeps the
      // order, which the engine would otherwise drop as a sub-query's.
      const ordering = order === null ? sql`` : sql` order by 1 ${raw(order.direction)} limit -1`
      const ids = sql`(${join(lists, ' union ')}${ordering}) ${candidates}`
      const rows = emitter.rows(table, alias)
      return { from: sql`${ids} cross join ${rows} on ${alias}.id = ${candidates}.id`, on: range }
    }
  }
}
