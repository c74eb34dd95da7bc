/**
 * Ids that were looked up, in the order of a list, before it is read whether the condition holds that they were looked
 * up by. Where it is likely to take less, the first of them are met along an index of that order.
 */
import type { ColumnValue } from '../database/database.ts'
import type { Table } from '../database/tables.ts'
import type { OptimizerHints } from '../sql/dialect.ts'
import { allOf, anyOf, identifier, join, raw, type Sql, sql } from '../sql/sql.ts'
import { sideOf } from './bounds.ts'
import { keyOf, orderOf, segments } from './emit-order.ts'
import { type From, fromIds, emitAccessPath, idsOf } from './emit-access-path.ts'
import { emitCondition } from './emit-where.ts'
import { type Emitter, type RecordRow, rowsOf } from './emitter.ts'
import { conjuncts, heldBy } from './index-matching.ts'
import type { Condition, Direction, SortKey } from './plan.ts'
import type { CandidateIds } from './access-paths.ts'

/** Of which list, and from where on. */
interface Wanted {
  readonly table: Table
  readonly where: Condition
  readonly sort: readonly SortKey[]
  readonly position: readonly ColumnValue[] | null
  /** Whether the row at the position counts. */
  readonly inclusive: boolean
  /** How many a page needs. */
  readonly limit: number
}

/** So many are brought in order before they are verified. */
const manyCandidates = 500

/** They are looked for so many times as far along an index as a page goes where matches are spread evenly. */
const expectedPages = 4

/** To find the row of a candidate takes as long as to pass so many entries of an index. */
const entriesPerRow = 24

export function isMany({ estimate, along }: CandidateIds): boolean {
  return along !== null || estimate >= manyCandidates
}

/** All conditions hold for their rows but that of the road. */
export function candidatesInOrder(
  emitter: Emitter,
  plannerControl: OptimizerHints,
  accessPath: CandidateIds,
  wanted: Wanted,
): Sql {
  const { table, where, sort, position, inclusive } = wanted
  const inOrder = (fromOf: (row: RecordRow) => From): Sql => {
    const row = rowOf(emitter, table)
    const { from, on } = fromOf(row)
    const { orders, joined } = orderOf(emitter, sort, row)
    const beyond = position === null ? [] : [anyOf(segments(emitter, sort, position, row, inclusive))]
    const others = conjuncts(where).filter((part) => part !== accessPath.part)
    const held = allOf([...on, ...beyond, ...others.map((part) => emitCondition(emitter, part, row))])
    return sql`select ${row.alias}.id as id from ${from}${joined} where ${held} order by ${join(orders, ', ')} limit -1`
  }
  const ids = idsOf(emitter, plannerControl, accessPath, null)
  const { along } = accessPath
  // Missing values are in no range.
  if (along === null || position?.[0] === null)
    return inOrder((row) => fromIds(emitter, sql`(${ids})`, row, where))
  const [found, bound] = [emitter.alias(), emitter.alias()]
  const isNear = (row: RecordRow): Sql => nearness(emitter, wanted, row, sql`(select at from ${bound})`)
  const near = inOrder((row) => {
    const { from, on } = emitAccessPath(emitter, { kind: 'index-scan', index: along }, row, where, null)
    return { from, on: [...on, isNear(row), sql`${row.alias}.id in (select id from ${found})`] }
  })
  const far = inOrder((row) => {
    const { from, on } = fromIds(emitter, found, row, where)
    return { from, on: [...on, sql`(${isNear(row)}) is not true`] }
  })
  const nearest = boundAlong(emitter, plannerControl, along, wanted, found)
  return sql`with ${found}(id) as materialized (${ids}), ${bound}(at) as materialized (${nearest})
    select id from (${near}) union all select id from (${far})`
}

/** Whether the order comes to a row no later than to a bound, which any value may be; to none where that is missing. */
function nearness(emitter: Emitter, { table, sort, position }: Wanted, row: RecordRow, bound: Sql): Sql {
  const key = sort[0] as SortKey
  const at = keyOf(emitter, key, row)
  const before = sql`${at} ${key.direction === 'asc' ? sql`<=` : sql`>=`} ${bound}`
  if (position !== null) return sql`${before} and ${started(emitter, key, position, row)}`
  if (key.direction === 'desc' || !key.nullable) return before
  // Missing values come first going up, which no range has them do: where there are any, nothing is near.
  const missing = rowOf(emitter, table)
  return sql`${before} and not exists (select 1 from ${identifier(table.name)} ${missing.alias} where ${keyOf(emitter, key, missing)} is null)`
}

/**
 * What stands along an index some times as far as the number of candidates lets expect a page to go, or at its end. None
 * where candidates are so few that their rows are found sooner.
 */
function boundAlong(
  emitter: Emitter,
  { scan }: OptimizerHints,
  along: string,
  { table, where, sort, position, limit }: Wanted,
  found: Sql,
): Sql {
  const key = sort[0] as SortKey
  const row = rowOf(emitter, table)
  const at = keyOf(emitter, key, row)
  const entered = heldBy(table, along, where)
    .filter((part) => isEntry(part, key.direction))
    .map((part) => emitCondition(emitter, part, row))
  const start = position === null ? [] : [started(emitter, key, position, row)]
  const entries = expectedPages * limit * rowsOf(emitter, table)
  const number = sql`(select count(*) from ${found})`
  const name = identifier(table.name)
  const [end, last] = [rowOf(emitter, table), raw(key.direction === 'asc' ? 'max' : 'min')]
  return sql`select * from (select ${at} from ${name} ${row.alias} ${scan(along)} where ${allOf([...start, ...entered])}
      order by ${at} ${raw(key.direction)} limit 1 offset cast(${entries} / max(${number}, 1) as integer))
    union all select ${last}(${keyOf(emitter, key, end)}) from ${name} ${end.alias}
    limit ${number} * ${number} * ${entriesPerRow} >= ${entries}`
}

/** Whether an index of the order begins where that holds: of keys behind the first it says nothing. */
function isEntry(part: Condition, direction: Direction): boolean {
  if (part.kind !== 'compare' || (part.operand.kind === 'system' && part.operand.name === 'rkey'))
    return false
  return part.op === 'eq' || sideOf(direction).has(part.op)
}

function started(emitter: Emitter, key: SortKey, position: readonly ColumnValue[], row: RecordRow): Sql {
  return sql`${keyOf(emitter, key, row)} ${key.direction === 'asc' ? sql`>=` : sql`<=`} ${position[0]}`
}

function rowOf(emitter: Emitter, table: Table): RecordRow {
  return { kind: 'record', alias: emitter.alias(), table }
}
