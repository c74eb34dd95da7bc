/** Emits a plan as one statement whose result is the response. */
import type { ColumnValue, Statement } from '../../database/database.ts'
import { splitUri } from '../../database/derive.ts'
import { join, literal, raw, type Sql, sql } from '../../sql/sql.ts'
import { emitAggregate } from './groups/emit-aggregate.ts'
import { emitList } from './lists/emit-list.ts'
import { emitFields, emitObject, resolved } from './emit-output.ts'
import { emitStatus } from './emit-status.ts'
import type { Emitter } from './emitter.ts'
import { assertWithin } from '../parse/limits.ts'
import type { PhysicalList, PhysicalPlan, PhysicalRoot } from '../plan/physical-plan.ts'
import type { Plan, RecordSelections } from '../plan/plan.ts'

/** The statement returns one row: the plan version under which it ran, and the bytes of the response, with its cost. */
export function emitStatement(emitter: Emitter, plan: PhysicalPlan, points: number): Statement {
  const { dialect } = emitter
  const data = emitObject(emitter, plan.roots, (output) => emitRoot(emitter, output))
  const body = dialect.body(dialect.concat([literal('{"data":'), data, literal(closing(points))]))
  const statement = sql`select (select plan_version from state) as version, ${body} as body`
  // Values of candidate sources are not counted: no operation may be refused because of them.
  const compared = statement.values.length - plan.sourceValues
  assertWithin('parameters', compared, 'The operation compares with too many values')
  return { text: dialect.text(statement), values: statement.values as readonly ColumnValue[] }
}

/** The response if nothing in the plan reads data, otherwise null. */
export function constantResponse({ roots }: Plan, points: number): string | null {
  const parts: string[] = []
  for (const { key, output } of roots) {
    if (output.kind !== 'constant' && output.kind !== 'introspection') return null
    parts.push(`${JSON.stringify(key)}:${output.kind === 'constant' ? output.json : output.json()}`)
  }
  return `{"data":{${parts.join(',')}}${closing(points)}`
}

/** The part of the response after the data; the same for every caller, so that equal requests have equal answers. */
function closing(points: number): string {
  return `,"extensions":{"cost":${points}}}`
}

function emitRoot(emitter: Emitter, output: PhysicalRoot): Sql {
  switch (output.kind) {
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

/** Records by a list of URIs as a JSON array. The URIs are rows, so that the selection is emitted once, however many URIs there are. */
function emitNodes(emitter: Emitter, uris: readonly string[], records: RecordSelections<PhysicalList>): Sql {
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
