/** Emits a plan as one statement whose result is the response. */
import type { ColumnValue, Statement } from '../../database/database.ts'
import { splitUri } from '../../database/derive.ts'
import { literal, type Sql, sql } from '../../sql/sql.ts'
import { emitAggregate } from './groups/emit-aggregate.ts'
import { emitList } from './lists/emit-list.ts'
import { emitNodes } from './emit-nodes.ts'
import { emitFields, emitObject } from './emit-output.ts'
import { emitStatus } from './emit-status.ts'
import type { Emitter } from './emitter.ts'
import { assertWithin } from '../parse/limits.ts'
import type { PhysicalPlan, PhysicalRoot } from '../plan/physical-plan.ts'
import type { Plan } from '../plan/plan.ts'

/** The statement returns one row: the plan version under which it ran, and the bytes of the response, with its cost. */
export function emitStatement(emitter: Emitter, { roots }: PhysicalPlan, points: number): Statement {
  const { dialect } = emitter
  const data = emitObject(emitter, roots, (output) => emitRoot(emitter, output))
  const body = dialect.body(dialect.concat([literal('{"data":'), data, literal(closing(points))]))
  const statement = sql`select (select plan_version from state) as version, ${body} as body`
  return { text: dialect.text(statement), values: statement.values as readonly ColumnValue[] }
}

/** Values of candidate sources are not counted: no operation may be refused because of them. */
export function assertValuesWithin({ values }: Statement, { sourceValues }: PhysicalPlan): void {
  assertWithin('parameters', values.length - sourceValues, 'The operation compares with too many values')
}

/** The response if nothing in the plan reads data, otherwise null. */
export function constantResponse({ roots }: Plan, points: number): string | null {
  const parts = roots.map(({ key, output }) =>
    output.kind === 'constant'
      ? `${JSON.stringify(key)}:${output.json}`
      : output.kind === 'introspection'
        ? `${JSON.stringify(key)}:${output.json()}`
        : null,
  )
  return parts.includes(null) ? null : `{"data":{${parts.join(',')}}${closing(points)}`
}

/** The part of the response after the data; the same for every caller, so that equal requests have equal answers. */
function closing(points: number): string {
  return `,"extensions":{"cost":${points}}}`
}

function emitRoot(emitter: Emitter, output: PhysicalRoot): Sql {
  switch (output.kind) {
    case 'constant':
      return literal(output.json)
    case 'introspection':
      return sql`cast(${output.json()} as text)`
    case 'list':
      return emitList(emitter, output.list, null)
    case 'status':
      return emitStatus(emitter, output.fields)
    case 'aggregate':
      return emitAggregate(emitter, output.aggregate)
    case 'nodes':
      return emitNodes(emitter, output.uris, output.records)
    case 'byUri': {
      const { table, uri, fields } = output
      const alias = emitter.alias()
      const [base, key] = splitUri(uri)
      const node = emitFields(emitter, fields, { kind: 'record', alias, table })
      return sql`coalesce((select ${node} from ${emitter.rows(table, alias)}
        where ${alias}.base = (select id from base where uri = ${base}) and ${alias}.rkey = ${key}), 'null')`
    }
  }
}
