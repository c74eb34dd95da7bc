/** Emits a plan as one statement whose result is the response. */
import { longestSilence, type Statement, unnamedSource } from '../../database/database.ts'
import type { FileStatements } from '../../database/files/file-source.ts'
import { splitUri } from '../../database/derive.ts'
import { identifier, join, literal, raw, type Sql, sql } from '../../sql/sql.ts'
import { columnList } from './emit-access-path.ts'
import { columnsOf } from './emit-records.ts'
import { emitAggregate } from './groups/emit-aggregate.ts'
import { emitTotal } from './lists/emit-distinct.ts'
import { emitList } from './lists/emit-list.ts'
import { emitMerged } from './lists/emit-merged.ts'
import { idAndRankOf } from './lists/emit-order.ts'
import { emitRows } from './lists/emit-rows.ts'
import { emitStagedPage } from './lists/emit-staged-page.ts'
import {
  emitArray,
  emitFields,
  emitObject,
  emitRowsArray,
  emitTuple,
  numberJson,
  resolved,
} from './emit-output.ts'
import { emitCount } from './groups/emit-counts.ts'
import { type Emitter, newRow, type RecordRow } from './emitter.ts'
import { emitQuery, staged } from './steps.ts'
import { shardOf } from '../../database/layout/shards.ts'
import { assertWithin } from '../parse/limits.ts'
import type { CountedTable, PhysicalList, PhysicalPlan, PhysicalRoot } from '../plan/physical-plan.ts'
import type { Fields } from '../plan/fields.ts'
import type {
  CollectionStatusOutput,
  Plan,
  RecordSelections,
  SourceStatusOutput,
  StatusOutput,
} from '../plan/plan.ts'

/** The statement returns one row: the plan version under which it ran, and the bytes of the response, with its cost. */
export function emitStatement(emitter: Emitter, plan: PhysicalPlan, points: number): Statement {
  const { dialect } = emitter
  return limitedStatement(emitter, plan, (within) => {
    const data = emitObject(within, plan.roots, (output) => emitRoot(within, output))
    const body = dialect.body(dialect.concat([literal('{"data":'), data, literal(closing(points))]))
    return sql`select (select plan_version from state) as version, ${body} as body`
  })
}

/** Throws QUERY_TOO_COMPLEX if the statement compares with too many values. */
function limitedStatement(
  emitter: Emitter,
  { sourceValues }: PhysicalPlan,
  query: (emitter: Emitter) => Sql,
): Statement {
  const statement = emitQuery(emitter, query)
  // Values of candidate sources are not counted: no operation may be refused because of them.
  const compared = statement.values.length - sourceValues
  assertWithin('parameters', compared, 'The operation compares with too many values')
  return statement
}

/** The response if nothing in the plan reads data, otherwise null. */
export function constantResponse({ roots }: Plan, points: number): string | null {
  const constants = roots.flatMap(({ key, output }) =>
    output.kind === 'constant' || output.kind === 'introspection' ? [{ key, output }] : [],
  )
  if (constants.length < roots.length) return null
  const parts = constants.map(
    ({ key, output }) => `${JSON.stringify(key)}:${output.kind === 'constant' ? output.json : output.json()}`,
  )
  return `{"data":{${parts.join(',')}}${closing(points)}`
}

/** The part of the response after the data; the same for every caller, so that equal requests have equal answers. */
function closing(points: number): string {
  return `,"extensions":{"cost":${points}}}`
}

/** The statements of a plan with one list that is read as a stream: its rows, and their number. */
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
  if (emitter.dialect.isSpread) {
    const { row, rest } = emitStagedPage(emitter, list, page, null)
    const printed = sql`${text(row)} as json from ${row.from ?? row.alias}`
    return sql`select ${printed}${rest()} order by ${row.alias}.n`
  }
  const row = newRow(emitter, table)
  switch (page.carries) {
    case 'texts':
      return emitRows(emitter, page.rows, null, { value: (found) => sql`${text(found)} as json` })
    case 'rows': {
      const value = ({ alias }: RecordRow): Sql => columnList(alias, page.columns)
      const rows = emitRows(emitter, page.rows, null, { value })
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

function emitRoot(emitter: Emitter, output: PhysicalRoot): Sql {
  switch (output.kind) {
    case 'introspection':
      return sql`cast(${output.json()} as text)`
    case 'list':
      return emitList(emitter, output.list, null)
    case 'merged':
      return emitMerged(emitter, output.lists)
    case 'status':
      return emitStatus(emitter, output.fields)
    case 'aggregate':
      return emitAggregate(emitter, output.aggregate)
    case 'nodes':
      return emitNodes(emitter, output.uris, output.records)
    case 'byUri': {
      const { table, uri, fields } = output
      const row = newRow(emitter, table)
      const { alias } = row
      const [base, key] = splitUri(uri)
      const records = emitter.rows(table, alias)
      const isIt = sql`${alias}.base = (select id from base where uri = ${base}) and ${alias}.rkey = ${key}`
      if (!emitter.dialect.isSpread)
        return sql`coalesce((select ${emitFields(emitter, fields, row)} from ${records} where ${isIt}), 'null')`
      const at = sql`${isIt} and ${alias}.shard = ${shardOf(uri)}`
      const from = sql`${emitter.step(sql`select ${columnsOf(table, alias)} from ${records} where ${at}`)} ${alias}`
      return sql`coalesce((select ${emitFields(emitter, fields, { ...row, from })} from ${from}), 'null')`
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
  const from = sql`${staged(emitter, ids)} ${id}`
  const record = resolved(emitter, { base: sql`${id}.base`, key: sql`${id}.key`, from }, records)
  const all = sql`select ${dialect.joinedBy(sql`${id}.position`, record, null)} from ${from}`
  return emitArray(emitter, sql`(${all})`)
}

/** The status of the index, which must never be cached: it depends on the clock, and on sources. */
function emitStatus(emitter: Emitter, fields: Fields<StatusOutput<CountedTable>>): Sql {
  return emitObject(emitter, fields, (output) => {
    if (output.kind === 'collections') {
      const objects = output.tables.map((counted) =>
        emitObject(emitter, output.fields, (value) => collectionValue(emitter, counted, value)),
      )
      return emitTuple(emitter, objects)
    }
    const source = emitter.alias()
    const text = emitObject(emitter, output.fields, (value) => sourceValue(emitter, source, value))
    return emitRowsArray(emitter, sql`select * from source order by name`, source, text)
  })
}

function collectionValue(
  emitter: Emitter,
  { table, count }: CountedTable,
  output: CollectionStatusOutput,
): Sql {
  const { dialect, state } = emitter
  const { nsid } = table.collection
  switch (output.kind) {
    case 'name':
      return literal(JSON.stringify(nsid))
    case 'records':
      if (count === null) throw new Error('The plan counts no records.')
      return emitCount(emitter, count, table, null)
    case 'newestIndexedAt': {
      // Ids are in the order of `indexed_at`, or there is an index on it: in both cases the first row read is the
      // newest.
      const order = raw(state.ordered.has(nsid) ? 'id' : 'indexed_at')
      const newest = sql`select indexed_at from ${emitter.rows(table, emitter.alias())} order by ${order} desc`
      return dialect.toJson(sql`instant_text(${staged(emitter, sql`${newest} limit 1`)})`)
    }
    case 'storiesComplete': {
      if (table.stories === null) return raw(`'null'`)
      // Records of accounts that are being hidden still begin stories.
      if (state.hiding) return raw(`'false'`)
      const marks = identifier(table.stories.marks)
      return dialect.booleanJson(sql`not exists (select 1 from ${marks} where at <= ${dialect.now()})`)
    }
  }
}

function sourceValue(emitter: Emitter, source: Sql, output: SourceStatusOutput): Sql {
  const { dialect } = emitter
  const silent = sql`${source}.heard_at < ${dialect.now()} - ${raw(String(longestSilence))}`
  switch (output.kind) {
    case 'name':
      return dialect.toJson(sql`coalesce(${source}.public_name, ${literal(unnamedSource)})`)
    case 'state':
      return sql`case when ${source}.state <> 'finished' and ${silent} then '"stopped"' else ${dialect.toJson(sql`${source}.state`)} end`
    case 'lagSeconds': {
      // Clocks differ: an event may be later than the local time.
      const age = sql`case when ${source}.event_at > ${dialect.now()} then 0.0 else ${dialect.asFloat(sql`${dialect.now()} - ${source}.event_at`)} / 1000000 end`
      const live = sql`${source}.state = 'live' and not ${silent}`
      return numberJson(emitter, sql`coalesce(case when ${live} then ${source}.lag end, ${age})`)
    }
    case 'lastEventAt':
      return dialect.toJson(sql`instant_text(${source}.event_at)`)
  }
}
