/** Access paths as `from` clauses with conditions, and statements that count what an index finds. */
import type { ColumnValue, Statement } from '../../database/database.ts'
import type { CountTable } from '../../database/layout/counts.ts'
import { ownKey, type Table } from '../../database/layout/tables.ts'
import { accountsOf, isKey, linkIndexOf, ownUris } from '../plan/plan-facts.ts'
import { allOf, identifier, join, type Sql, sql } from '../../sql/sql.ts'
import type { IdOrder } from './emit-filter.ts'
import { countCondition, emitFilter, emitIds, emitIndexed, mayBeCandidate, sourceIds } from './emit-filter.ts'
import { linkedTo } from './emit-links.ts'
import { emitQuery } from './steps.ts'
import { type Emitter, newRow, opaqueTermsOf, type Parent, recordOf, type RecordRow } from './emitter.ts'
import type { CandidateSource, Conjunct, Filter, RowAccess } from '../plan/physical-plan.ts'
import type { Direction } from '../plan/fields.ts'

export interface From {
  readonly from: Sql
  readonly on: readonly Sql[]
}

export type Access = Omit<RowAccess, 'table'>

/** Where rows are found, and the conditions by which they are. `parent`: the row to which their link refers. */
export function emitFrom(
  emitter: Emitter,
  access: Access,
  row: RecordRow,
  parent: Parent,
  order?: IdOrder,
): From {
  const { path, filter, link } = access
  const { alias, table } = row
  const bound = order?.bound == null ? [] : [sql`${alias}.id ${order.bound}`]
  if (link !== null) {
    const { from, on } = linkedTo(emitter, link, row, recordOf(parent), linkIndexOf(table, link))
    return { from, on: [on, ...bound] }
  }
  const range = idRange(emitter, row, filter)
  switch (path.kind) {
    case 'planner':
    case 'index-scan': {
      const index = path.kind === 'planner' ? undefined : path.index
      const conditions = filter.map((part) => part.filter)
      const on = [...bound, ...range, ...keyBound(index, conditions, row)]
      return { from: emitter.rows(table, alias, index), on }
    }
    case 'candidate-ids': {
      const found = emitter.alias()
      const ids = sql`(${emitIds(emitter, path.sources, order)}) ${found}`
      return {
        from: sql`${ids} cross join ${emitter.rows(table, alias)} on ${alias}.id = ${found}.id`,
        on: range,
      }
    }
    case 'candidate-rows':
      return { from: emitter.rows(table, alias), on: [mayBeCandidate(emitter, path.sources, row)] }
    case 'index-range': {
      const held = path.held.map((part) => emitIndexed(emitter, part, row))
      return { from: emitter.rows(table, alias), on: [...held, ...keyBound(path.index, path.held, row)] }
    }
  }
}

/** Rows in any order: where they are found, and all their conditions, with `more`. */
export function emitAccess(
  emitter: Emitter,
  access: Access,
  row: RecordRow,
  parent: Parent,
  more: readonly Sql[] = [],
): { readonly from: Sql; readonly where: Sql } {
  const { from, on } = emitFrom(emitter, access, row, parent)
  return { from, where: allOf([...on, emitFilters(emitter, access, row), ...more]) }
}

/** All filters of a row; those that the path does not answer must not lead the planner to another path. */
export function emitFilters(emitter: Emitter, { path, filter }: Access, row: RecordRow): Sql {
  const all = allOf(
    filter.map((part) =>
      part.isIndexed ? emitIndexed(emitter, part.filter, row) : emitFilter(emitter, part.filter, row),
    ),
  )
  return isOpaque(path) && filter.length > 0 ? opaqueTermsOf(emitter.dialect).condition(all) : all
}

/** Whether the planner follows the path because it recognizes nothing else. */
export function isOpaque({ kind }: RowAccess['path']): boolean {
  return kind === 'index-range' || kind === 'candidate-rows'
}

/** The repo collections of the table, so that a record key is looked up in the index over both. */
function keyBound(
  index: string | null | undefined,
  filter: readonly Filter[],
  { alias, table }: RecordRow,
): Sql[] {
  if (index !== ownKey(table).name || !filter.some(isKey)) return []
  if (filter.some((part) => accountsOf(part) !== null || ownUris(part) !== null)) return []
  return [sql`${alias}.base in (select id from base where collection = ${table.collection.nsid})`]
}

/** Never an empty list: a row without columns is still a row. */
export function columnList(alias: Sql, names: ReadonlySet<string>): Sql {
  const list = names.size === 0 ? ['id'] : [...names]
  return join(
    list.map((name) => sql`${alias}.${identifier(name)}`),
    ', ',
  )
}

// Positions as ids

/** The id ranges that conditions on `indexedAt` imply; without them a scan by id would not know where to end. */
function idRange(emitter: Emitter, { alias, table }: RecordRow, filter: readonly Conjunct[]): readonly Sql[] {
  if (!emitter.state.ordered.has(table.collection.nsid)) return []
  const name = identifier(table.name)
  const lastWhere = (sign: Sql, value: ColumnValue): Sql => {
    const at = emitter.alias()
    return lastIdBefore(
      emitter,
      table,
      (id) => sql`coalesce((select ${at}.indexed_at ${sign} ${value} from ${name} ${at}
        where ${at}.id <= ${id} order by ${at}.id desc limit 1), true)`,
    )
  }
  return filter.flatMap(({ filter: part }): readonly Sql[] => {
    if (part.kind !== 'compare' || part.operand.kind !== 'system' || part.operand.name !== 'indexed_at')
      return []
    const { op, to } = part
    // The records before the first that meets it, and those up to the last.
    const before = op === 'gt' ? sql`<=` : op === 'gte' || op === 'eq' ? sql`<` : null
    const upTo = op === 'lt' ? sql`<` : op === 'lte' || op === 'eq' ? sql`<=` : null
    return [
      ...(before === null ? [] : [sql`${alias}.id > ${lastWhere(before, to)}`]),
      ...(upTo === null ? [] : [sql`${alias}.id <= ${lastWhere(upTo, to)}`]),
    ]
  })
}

/**
 * The bound on ids beyond a position, if ids follow the default order: the id of the record at the position, or, if
 * that record is gone or has moved, of the last record before the position, found by binary search.
 */
export function beyondPosition(
  emitter: Emitter,
  table: Table,
  [indexedAt, rkey, did]: readonly ColumnValue[],
  direction: Direction,
  inclusive: boolean,
): Sql {
  const name = identifier(table.name)
  const [here, at] = [emitter.alias(), emitter.alias()]
  const base = `at://${String(did)}/${table.collection.nsid}/`
  const exact = sql`select ${here}.id from ${name} ${here} where ${here}.base = (select id from base where uri = ${base})
    and ${here}.rkey = ${rkey} and ${here}.indexed_at = ${indexedAt}`
  const precedes = (
    id: Sql,
  ): Sql => sql`coalesce((select (${at}.indexed_at, ${at}.rkey, ${emitter.dialect.did(at)}) < (${indexedAt}, ${rkey}, ${did})
    from ${name} ${at} where ${at}.id <= ${id} order by ${at}.id desc limit 1), true)`
  const last = lastIdBefore(emitter, table, precedes)
  // The binary search is needed only if the record is gone: `limit 1` stops before it, `coalesce` would not.
  const bound = (otherwise: Sql): Sql => sql`(${exact} union all select ${otherwise} limit 1)`
  if (direction === 'asc') return inclusive ? sql`>= ${bound(sql`${last} + 1`)}` : sql`> ${bound(last)}`
  return inclusive ? sql`<= ${bound(last)}` : sql`< ${bound(sql`${last} + 1`)}`
}

/** The last id for which `precedes` holds, or 0; it must hold for all ids up to some id, and for none after that id. */
function lastIdBefore(emitter: Emitter, table: Table, precedes: (id: Sql) => Sql): Sql {
  const steps = emitter.alias()
  const low = sql`case when p then (low + high) / 2 else low end`
  const high = sql`case when p then high else (low + high) / 2 end`
  const end = sql`(select coalesce(max(id), 0) + 1 from ${identifier(table.name)})`
  return sql`(with recursive ${steps}(low, high, p) as (
    select 0, ${end}, ${precedes(sql`${end} / 2`)}
    union all select ${low}, ${high}, ${precedes(sql`(${low} + ${high}) / 2`)} from ${steps} where high - low > 1
    ) select max(low) from ${steps})`
}

/** A statement that counts the rows that a source finds, for the optimizer's statistics. */
export function emitSourceProbe(emitter: Emitter, source: CandidateSource): Statement {
  return emitQuery(emitter, (within) => {
    const { from, where } = sourceIds(within, source)
    return sql`select 1 from ${from} where ${where}`
  })
}

/** A statement that counts the rows for which a condition on an indexed value holds. */
export function emitRowsProbe(emitter: Emitter, table: Table, filter: Filter): Statement {
  return emitQuery(emitter, (within) => {
    const row = newRow(within, table)
    const access: Access = { link: null, path: { kind: 'planner' }, filter: [{ filter, isIndexed: true }] }
    const { from, where } = emitAccess(within, access, row, null)
    return sql`select 1 from ${from} where ${where}`
  })
}

/** A statement that counts the materialized counts of referring records that meet a condition. */
export function emitCountsProbe(
  emitter: Emitter,
  { name }: CountTable,
  condition: Parameters<typeof countCondition>[0],
): Statement {
  return emitQuery(emitter, () => sql`select 1 from ${identifier(name)} where ${countCondition(condition)}`)
}
