/**
 * Plans how the groups of a background are counted. The background is the larger set as a rule, so that, where
 * materialized counts answer for all records, it is what remains of these without the records that are compared with it
 * and without the few records that belong to neither.
 */
import type { Table } from '../../../database/layout/tables.ts'
import { emitRowsProbe } from '../../emit/emit-access-path.ts'
import { createEmitter } from '../../emit/emitter.ts'
import { joinWords } from '../match-words.ts'
import { countsOf } from '../../plan/groups/count-tables.ts'
import { materializedGroups, planCount, planCountedRows, planGroups } from './optimize-count.ts'
import { planConjuncts, planFilter } from '../optimize-filter.ts'
import { isFenced, type Optimizer, rowsOf } from '../optimizer.ts'
import { all, alwaysTrue, not } from '../../plan/conditions.ts'
import type {
  AccessPath,
  BackgroundPart,
  GroupAccess,
  PhysicalSignificance,
  PhysicalUnusualWords,
  SampledRecords,
  TotalAccess,
} from '../../plan/physical-plan.ts'
import type { GroupKey, UnusualWordsPlan } from '../../plan/groups/group-plan.ts'
import type { AggregatePlan } from '../../plan/plan.ts'
import type { Comparison, Condition } from '../../plan/conditions.ts'
import { columnIndex, conjuncts, readingsOf, simpleConditions } from '../../plan/plan-facts.ts'

/** Number of records outside `against` up to which it is cheaper to read these than the background. */
const mostOutside = 20_000
/** Bounds of `against`, and values in `where`, up to which the statement may repeat them. */
const mostBounds = 2
const mostValues = 100
/** Number of elements of arrays that are counted in the time of one record. */
const elementsPerRecord = 8

/** Null if groups are not compared. */
export function planSignificance(optimizer: Optimizer, plan: AggregatePlan): PhysicalSignificance | null {
  const { significance, table, where, keys } = plan
  if (significance === null) return null
  const { addsUp } = readingsOf(plan)
  const totalOf = (condition: Condition): TotalAccess =>
    addsUp ? { kind: 'groups' } : planCount(optimizer, table, condition, null)
  const total = totalOf(where)
  const everything = groupsOfAll(optimizer, plan.table, keys)
  const outside = everything === null ? null : recordsOutside(optimizer, plan)
  if (everything === null || outside === null) {
    const { background } = significance
    const groups = planGroups(optimizer, { ...plan, where: background, measures: [] }, keys)
    const part = { where: background, isSubtracted: false, groups, total: totalOf(background) }
    return { total, background: [part], subtractsGroups: false }
  }
  const whole = { where: alwaysTrue, isSubtracted: false, groups: everything, total: totalOf(alwaysTrue) }
  const subtracted = outside.map(({ condition, path }): BackgroundPart => {
    const part = all([condition, not(where)])
    const rows = { table, path, filter: planConjuncts(optimizer, conjuncts(part)) }
    const counted = addsUp ? ({ kind: 'groups' } as const) : ({ kind: 'rows', rows } as const)
    return { where: part, isSubtracted: true, groups: { kind: 'rows', rows }, total: counted }
  })
  return { total, background: [whole, ...subtracted], subtractsGroups: true }
}

/** Samples are chosen by CIDs, which only the records have, so that all records are looked at. */
export function planUnusualWords(optimizer: Optimizer, words: UnusualWordsPlan): PhysicalUnusualWords {
  const { table, where, background } = words
  const sampled = (condition: Condition): SampledRecords => ({
    count: planCount(optimizer, table, condition, null),
    rows: planCountedRows(optimizer, table, condition, null),
  })
  optimizer.estimate.rows = Number.POSITIVE_INFINITY
  return { ...words, own: sampled(joinWords(where)), others: sampled(joinWords(background)) }
}

/** Groups of all records that need not be read; null if there are none. */
export function groupsOfAll(
  optimizer: Optimizer,
  table: Table,
  keys: readonly GroupKey[],
): GroupAccess | null {
  const materialized = materializedGroups(optimizer, { table, where: alwaysTrue, measures: [] }, keys)
  const [key, ...further] = keys
  const total = countsOf(table, 'total', [])
  const isArray = key?.leaf.kind === 'array' && key.joins.length === 0 && further.length === 0
  if (materialized !== null || !isArray || optimizer.state.hiding || total === undefined) return materialized
  optimizer.estimate.rows += rowsOf(optimizer, table) / elementsPerRecord
  return { kind: 'elements', array: key.leaf.array, total }
}

/** Records by a condition, and how they are found. */
interface Found {
  readonly condition: Condition
  readonly path: AccessPath
}

/**
 * The records that do not meet the bounds of `against`, in disjoint sets; null if an index does not find them, if they
 * may be many, or if the statement would repeat a long `where`.
 */
function recordsOutside(
  optimizer: Optimizer,
  { table, where, significance }: AggregatePlan,
): readonly Found[] | null {
  const bounds = conjuncts(significance?.against ?? alwaysTrue)
  const { statistics } = optimizer
  if (bounds.length === 0) return []
  if (statistics === null || bounds.length > mostBounds || valuesOf(where) > mostValues) return null
  const found: Found[] = []
  let left = Math.min(Math.ceil(rowsOf(optimizer, table) / 3), mostOutside)
  for (const [number, bound] of bounds.entries()) {
    const earlier = bounds.slice(0, number)
    const opposites = oppositesOf(optimizer, table, bound)
    if (opposites === null) return null
    for (const { condition, path } of opposites) {
      // Missing values do not meet an earlier bound on the same column.
      if (condition.kind === 'missing' && earlier.some((part) => isOnSame(part, condition))) continue
      const probe = emitRowsProbe(createEmitter(optimizer), table, planFilter(optimizer, condition))
      const counted = statistics.countUpTo(probe, left)
      left -= counted
      if (left <= 0) return null
      optimizer.estimate.rows += counted
      found.push({ condition: all([...earlier, condition]), path })
    }
  }
  return found
}

function isOnSame(part: Condition, { operand }: Extract<Condition, { kind: 'missing' }>): boolean {
  if (part.kind !== 'compare' || part.operand.kind !== 'column') return false
  return operand.kind === 'column' && operand.column === part.operand.column
}

/** Number of values that a condition compares with. */
function valuesOf(condition: Condition): number {
  return simpleConditions(condition).reduce((sum, part) => {
    if ('where' in part) return sum + valuesOf(part.where)
    return sum + ('list' in part ? part.list.length : 1)
  }, 0)
}

const opposite: Partial<Record<Comparison, Comparison>> = { gt: 'lte', gte: 'lt', lt: 'gte', lte: 'gt' }

/** Conditions one of which holds for each record that does not meet a bound on an indexed value; otherwise null. */
function oppositesOf(optimizer: Optimizer, table: Table, bound: Condition): readonly Found[] | null {
  const op = bound.kind === 'compare' ? opposite[bound.op] : undefined
  if (bound.kind !== 'compare' || op === undefined) return null
  const { operand } = bound
  const condition: Condition = { ...bound, op }
  if (operand.kind === 'system') {
    const isOrdered = optimizer.state.ordered.has(table.collection.nsid)
    const index = isOrdered ? null : `${table.name}/indexed_at`
    return operand.name === 'indexed_at' ? [{ condition, path: scanOf(optimizer, index) }] : null
  }
  const index = columnIndex(table, bound)
  if (operand.kind !== 'column' || index === undefined) return null
  const { path, kind } = operand.column
  if (kind !== 'instant' && kind !== 'integer') return null
  const scan = scanOf(optimizer, index.name)
  const beyond = { condition, path: scan }
  const field = table.collection.type.fields.find(({ property }) => property === path[0])
  if (path.length === 1 && field?.mayMiss === false) return [beyond]
  // A partial index does not have the missing values.
  if (index.partial) return null
  return [beyond, { condition: { kind: 'missing', operand, index: null, is: true }, path: scan }]
}

/** SQLite's planner would rather read all records in the order of the groups. */
function scanOf(optimizer: Optimizer, index: string | null): AccessPath {
  return isFenced(optimizer) ? { kind: 'planner' } : { kind: 'index-scan', index }
}
