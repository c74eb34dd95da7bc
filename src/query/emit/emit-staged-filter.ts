/** Conditions in a statement of stages: what other records or elements must be is a stage of its own. */
import type { Table } from '../../database/layout/tables.ts'
import { join, type Sql, sql } from '../../sql/sql.ts'
import type { ReferenceOperand } from '../plan/conditions.ts'
import type { Filter, PhysicalSemiJoin } from '../plan/physical-plan.ts'
import { countsOf } from '../plan/groups/count-tables.ts'
import { mentionsReference } from '../plan/plan-facts.ts'
import { emitReferringCount, linked } from './emit-links.ts'
import { keysOf } from './emit-records.ts'
import { isNotTrue, isNull } from './emit-membership.ts'
import {
  type Emitter,
  jsonOf,
  newRow,
  pinnedCid,
  recordOf,
  type RecordRow,
  referenceParts,
  referenceUri,
  type Row,
} from './emitter.ts'
import { refuseStages } from './steps.ts'

export interface FilterContext {
  /** The row whose reference led to this row. */
  readonly reference: Row | null
  /** Whether an index answers the filter, so that it is not evaluated for each row. */
  readonly isIndexed: boolean
  /** In place of `reference`: whether it names the current version of this row, which is taken to be so. */
  readonly isCurrent?: boolean
}

export const alone: FilterContext = { reference: null, isIndexed: false }

/** Emits a condition; it is passed in, because conditions contain each other. */
type EmitFilter = (emitter: Emitter, condition: Filter, row: Row, around?: FilterContext) => Sql

/** Null for a condition on the row alone. */
export function emitStagedFilter(
  emitter: Emitter,
  condition: Filter,
  row: Row,
  emitFilter: EmitFilter,
): Sql | null {
  const { kind } = condition
  // A cluster's planner simplifies a constant, and then no longer sees which rows lie together.
  if (row.kind === 'record' && isConstantly(condition, false)) return sql`(${row.alias}.base < 0)`
  if (kind === 'target' || kind === 'referring') return isAmongKeys(emitter, condition, row, emitFilter)
  if (kind === 'element') return hasSuchElement(emitter, condition, row, emitFilter)
  return kind === 'indexed' || kind === 'current' ? isAtRecord(emitter, condition, row) : null
}

function isConstantly(condition: Filter, value: boolean): boolean {
  if (condition.kind === 'not') return isConstantly(condition.of, !value)
  if (condition.kind !== 'all' && condition.kind !== 'any') return false
  const isPart = (part: Filter): boolean => isConstantly(part, value)
  return (condition.kind === 'all') === value ? condition.of.every(isPart) : condition.of.some(isPart)
}

/** Whether the row is among the keys of a semi-join, which a stage has. */
function isAmongKeys(emitter: Emitter, semiJoin: PhysicalSemiJoin, row: Row, emitFilter: EmitFilter): Sql {
  const keys = (columns: (other: RecordRow) => Sql, isCurrent?: boolean): Sql => {
    const other = newRow(emitter, semiJoin.table)
    const where = emitFilter(emitter, semiJoin.where, other, {
      ...alone,
      ...(isCurrent !== undefined && { isCurrent }),
    })
    const from = emitter.rows(semiJoin.table, other.alias)
    return sql`(select * from ${emitter.step(sql`select ${columns(other)} from ${from} where ${where}`)})`
  }
  if (semiJoin.kind === 'referring') {
    const { alias } = recordOf(row)
    const counts = countsOfAll(emitter, semiJoin)
    if (counts !== undefined)
      return sql`(${emitReferringCount(emitter, { ...semiJoin, kind: 'count', counts }, alias)} > 0)`
    const other = newRow(emitter, semiJoin.table)
    const { from, base, key } = linked(emitter, semiJoin.link, other, null)
    const where = emitFilter(emitter, semiJoin.where, other)
    const found = emitter.step(sql`select distinct ${base}, ${key} from ${from} where ${where}`)
    return sql`((${alias}.base, ${alias}.rkey) in (select * from ${found}))`
  }
  const { base, key } = referenceParts(emitter, semiJoin.of, row)
  const own = ({ alias }: RecordRow): Sql => sql`${alias}.base, ${alias}.rkey`
  if (!mentionsReference(semiJoin.where)) return sql`((${base}, ${key}) in ${keys(own)})`
  // A record has one version: the reference names it, or the record is found without it.
  const cid = pinnedCid(emitter, semiJoin.of, row)
  const version = ({ alias }: RecordRow): Sql =>
    sql`${alias}.base, ${alias}.rkey, ${emitter.dialect.cidText(sql`${alias}.cid`)}`
  return sql`((${base}, ${key}, ${cid}) in ${keys(version, true)}
    or ((${base}, ${key}) in ${keys(own, false)} and not (${base}, ${key}, ${cid}) in ${keys(version, false)}))`
}

/** Counts of the referring records, which lie where the records do, if any of these will do. */
function countsOfAll({ state }: Emitter, { table, kind, where, ...semiJoin }: PhysicalSemiJoin) {
  if (kind === 'target' || !('link' in semiJoin) || semiJoin.link.kind !== 'columns') return undefined
  if (state.hiding || where.kind !== 'all' || where.of.length > 0) return undefined
  return countsOf(table, 'reference', [semiJoin.link.base, semiJoin.link.key])
}

/** Whether a record has an element that meets conditions: a stage has such records. */
function hasSuchElement(
  emitter: Emitter,
  { path, where }: Extract<Filter, { kind: 'element' }>,
  row: Row,
  emitFilter: EmitFilter,
): Sql {
  if (row.kind !== 'record') return refuseStages('conditions on elements within elements')
  const [found, alias] = [newRow(emitter, row.table), emitter.alias()]
  const element: Row = { kind: 'json', value: sql`${alias}.value` }
  const elements = emitter.dialect.objects(jsonOf(found), path, alias)
  const ids = sql`select distinct ${found.alias}.id from ${emitter.rows(row.table, found.alias)}
    cross join lateral ${elements} where ${emitFilter(emitter, where, element)}`
  return sql`(${row.alias}.id in (select id from ${emitter.step(ids)}))`
}

/** Whether a record, or (`current`) the version that is named, is at a reference: a stage has those that are named. */
function isAtRecord(
  emitter: Emitter,
  { kind, of, is }: Extract<Filter, { kind: 'indexed' | 'current' }>,
  row: Row,
): Sql {
  const named = row.kind === 'record' ? namedIn(emitter, of, row.table) : null
  const all = emitter.tables.map((table) => {
    const alias = emitter.alias()
    const wanted =
      named === null ? sql`` : sql` where (${alias}.base, ${alias}.rkey) in (select base, rkey from ${named})`
    return sql`select ${alias}.base, ${alias}.rkey, ${emitter.dialect.cidText(sql`${alias}.cid`)} as cid from ${emitter.rows(table, alias)}${wanted}`
  })
  const records = emitter.step(join(all, ' union all '))
  const { base, key } = referenceParts(emitter, of, row)
  const isThere = sql`(${base}, ${key}) in (select base, rkey from ${records})`
  if (kind === 'indexed')
    return sql`(${isNull(referenceUri(emitter, of, row), false)} and ${is ? isThere : isNotTrue(isThere)})`
  const isSame = sql`(${base}, ${key}, ${pinnedCid(emitter, of, row)}) in (select base, rkey, cid from ${records})`
  return is ? sql`(${isSame})` : sql`(${isThere} and not ${isSame})`
}

/** The URIs that the records of a table name by a reference: a stage. */
function namedIn(emitter: Emitter, of: ReferenceOperand, table: Table): Sql {
  const row = newRow(emitter, table)
  return keysOf(emitter, { ...referenceParts(emitter, of, row), from: emitter.rows(table, row.alias) })
}
