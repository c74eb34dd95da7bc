/** A list as rows instead of one value, so that it can be read as a stream; and how many rows there are. */
import { identifier, type Sql, sql } from '../../../sql/sql.ts'
import { columnList } from '../emit-access-path.ts'
import { emitFields } from '../emit-output.ts'
import { type Emitter, newRow, type RecordRow } from '../emitter.ts'
import { limitedStatement } from '../emit.ts'
import { emitStagedPage, storedColumns } from './emit-staged-page.ts'
import type { FileStatements } from '../../../database/files/file-source.ts'
import type { PhysicalList, PhysicalPlan } from '../../plan/physical-plan.ts'
import { emitTotal } from './emit-distinct.ts'
import { idAndRankOf } from './emit-order.ts'
import { emitRows } from './emit-rows.ts'

/** The statements of a plan with one list. */
export function emitFile(emitter: Emitter, plan: PhysicalPlan): Omit<FileStatements, 'version'> {
  const [root] = plan.roots
  if (root?.output.kind !== 'list') throw new Error('The rows are not those of a list.')
  const { list } = root.output
  return {
    count: limitedStatement(emitter, plan, (within) => sql`select ${emitTotal(within, list, null)} as total`),
    rows: limitedStatement(emitter, plan, (within) => emitFileRows(within, list)),
  }
}

/** Yields the selected nodes in the order of the list, one row of JSON text for each. */
function emitFileRows(emitter: Emitter, list: PhysicalList): Sql {
  const { page, fields } = list
  const nodes = fields.map(({ output }) => output).find(({ kind }) => kind === 'nodes')
  if (page === null || nodes?.kind !== 'nodes') throw new Error('The list has no rows.')
  const text = (row: RecordRow): Sql => emitFields(emitter, nodes.fields, row)
  const { table } = list.list
  if (emitter.stages !== null) {
    const { row, rest } = emitStagedPage(emitter, list, page, null)
    const printed = sql`${text(row)} as json from ${row.from ?? row.alias}`
    return sql`select ${printed}${rest()} order by ${row.alias}.n`
  }
  const row = newRow(emitter, table)
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
      throw new Error('A file has no page info.')
  }
}
