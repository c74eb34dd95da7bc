/** Statements that count what an index finds, for the optimizer's statistics. An estimate may include hidden rows. */
import type { ColumnValue, Statement } from '../../database/database.ts'
import type { Table } from '../../database/layout/tables.ts'
import { allOf, identifier, type Sql, sql } from '../../sql/sql.ts'
import { emitIndexed, sourceIds } from './emit-filter.ts'
import type { Emitter, RecordRow } from './emitter.ts'
import type { CandidateSource, Filter } from '../plan/physical-plan.ts'

/** The rows that a source finds. */
export function emitSourceProbe(emitter: Emitter, source: CandidateSource): Statement {
  const { from, where } = sourceIds(emitter, source)
  return statementOf(emitter, sql`select 1 from ${from} where ${where}`)
}

/** The rows of an index that meet filters. */
export function emitIndexProbe(
  emitter: Emitter,
  table: Table,
  index: string,
  filters: readonly Filter[],
): Statement {
  const row: RecordRow = { kind: 'record', alias: emitter.alias(), table }
  const where = allOf(filters.map((filter) => emitIndexed(emitter, filter, row)))
  const from = sql`${identifier(table.name)} ${row.alias}${emitter.dialect.scan(index)}`
  return statementOf(emitter, sql`select 1 from ${from} where ${where}`)
}

function statementOf({ dialect }: Emitter, statement: Sql): Statement {
  return { text: dialect.text(statement), values: statement.values as readonly ColumnValue[] }
}
