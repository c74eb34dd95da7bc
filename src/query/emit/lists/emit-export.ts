/** A list as rows instead of one value, so that it can be read as a stream; and how many rows there are. */
import { identifier, raw, type Sql, sql } from '../../../sql/sql.ts'
import { columnList } from '../emit-access-path.ts'
import { emitFields } from '../emit-output.ts'
import { type Emitter, type RecordRow } from '../emitter.ts'
import type { PhysicalList } from '../../plan/physical-plan.ts'
import { emitTotal } from './emit-distinct.ts'
import { storedColumns } from './emit-list.ts'
import { idAndRankOf } from './emit-order.ts'
import { emitRows } from './emit-rows.ts'

/** Yields the selected nodes in the order of the list, one row of JSON text for each. */
export function emitExportRows(emitter: Emitter, list: PhysicalList): Sql {
  const { page, fields } = list
  const nodes = fields.map(({ output }) => output).find(({ kind }) => kind === 'nodes')
  if (page === null || nodes?.kind !== 'nodes') throw new Error('The list has no rows to export.')
  const text = (row: RecordRow): Sql => emitFields(emitter, nodes.fields, row)
  const { table } = list.list
  const row: RecordRow = { kind: 'record', alias: emitter.alias(), table }
  switch (page.carries) {
    case 'texts':
      return emitRows(emitter, page.rows, null, { value: (found) => sql`${text(found)} as json` })
    case 'rows': {
      const columns = storedColumns(row, page.columns)
      const rows = emitRows(emitter, page.rows, null, { value: ({ alias }) => columnList(alias, columns) })
      return sql`select ${text(row)} as json from (${rows}) ${row.alias}`
    }
    case 'ids': {
      // Ids are sorted, and each record is read when it is its turn: a sort of texts would take much more space.
      const ids = emitRows(emitter, page.rows, null, { value: idAndRankOf })
      const found = emitter.alias()
      return sql`select (select ${text(row)} from ${identifier(table.name)} ${row.alias} where ${row.alias}.id = ${found}.id) as json
        from (${ids}) ${found}`
    }
    case 'id-list':
      throw new Error('An export has no page info.')
  }
}

/** Yields how many rows there would be without a limit. */
export function emitExportCount(emitter: Emitter, { total, list }: PhysicalList): Sql {
  if (total === null) throw new Error('An export counts its rows.')
  return sql`select ${emitTotal(emitter, total, list.table, null)} as ${raw('total')}`
}
