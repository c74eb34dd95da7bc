/**
 * `significant` of an aggregate: groups are compared with those of a background. The background is the larger set as a
 * rule, so that, where materialized counts answer for all records, it is what remains of these without the records that
 * are compared with it and without the few records that belong to neither.
 */
import type { Table } from '../../database/layout/tables.ts'
import { allOf, join, raw, type Sql, sql } from '../../sql/sql.ts'
import type { Emitter } from '../emit/emitter.ts'
import { emitRecordCount } from '../emit/groups/emit-counts.ts'
import type { Grouping } from '../emit/groups/emit-group-values.ts'
import { createGrouping } from '../emit/groups/emit-grouping.ts'
import { describeAccess, describeWhere } from '../optimize/describe-access.ts'
import { groupsOfAll, planCount, planGroups } from '../optimize/groups/optimize-count.ts'
import { countFound, planConjuncts, planFilter } from '../optimize/optimize-filter.ts'
import { isUnhinted, type Optimizer, rowsOf } from '../optimize/optimizer.ts'
import { badInput, integerArgument } from '../parse/prepare.ts'
import { buildWhere } from '../plan/build-where.ts'
import { all, alwaysTrue, type Comparison, type Condition, not } from '../plan/conditions.ts'
import type { SignificancePlan } from '../plan/groups/group-plan.ts'
import type {
  AccessPath,
  BackgroundPart,
  PhysicalAggregate,
  PhysicalSignificance,
  TotalAccess,
} from '../plan/physical-plan.ts'
import {
  columnIndex,
  conjuncts,
  conjunctsBeyond,
  implies,
  readingsOf,
  simpleConditions,
} from '../plan/plan-facts.ts'
import type { AggregatePlan, PlanContext } from '../plan/plan.ts'
import { readingSize } from '../price/cost-groups.ts'
import { sum, weights } from '../price/cost-weights.ts'
import { whereSize } from '../price/cost-where.ts'
import { scoreSteps } from './scores.ts'

/** Below this count the normal distribution, which scores assume, fits badly. */
const minSignificantCount = 5

/** `where` selects the records that are compared with the background. */
export function buildSignificance(
  context: PlanContext,
  table: Table,
  where: Condition,
  given: Readonly<Record<string, unknown>>,
): SignificancePlan {
  const { significant, groupBy } = given
  for (const order of ['orderBy', 'rankBy'])
    if (given[order] !== undefined && given[order] !== null)
      throw badInput(
        `\`significant\` orders groups by their score: leave \`${order}\` out, or write \`${order}\` without \`significant\`.`,
      )
  if (!Array.isArray(groupBy) || groupBy.length === 0)
    throw badInput('`significant` compares groups: name fields in `groupBy`, such as `groupBy: [did]`.')
  return comparison(context, table, where, significant as Readonly<Record<string, unknown>>)
}

/** `given` has `against` and `minCount`. */
export function comparison(
  context: PlanContext,
  table: Table,
  where: Condition,
  given: Readonly<Record<string, unknown>>,
): SignificancePlan {
  const against = buildWhere(context, table, given.against)
  const minCount = integerArgument('minCount', given.minCount, 2 ** 31 - 1, minSignificantCount, 1)
  const other = all(conjunctsBeyond(against, where))
  return { against, background: all([against, not(other)]), minCount }
}

/**
 * What is read for the background. All records under `against`, if those of the `where` are among them: these are
 * subtracted, which needs no look at the `where` of each.
 */
export function readForBackground(where: Condition, { against, background }: SignificancePlan): Condition {
  return implies(where, against) ? against : background
}

/** The groups of the background, and, unless those add up, the number of its records and of those of the `where`. */
export function comparisonSize(plan: AggregatePlan, where: number, addsUp: boolean): number {
  if (plan.significance === null) return 0
  const read = readForBackground(plan.where, plan.significance)
  const readWhere = whereSize({ ...plan, where: read, link: null }, 'all')
  const totals = addsUp ? 0 : 2 * weights.total + where + readWhere
  return totals + readingSize({ ...plan, measures: [] }, plan.keys, readWhere)
}

/** Number of records outside `against` up to which it is cheaper to read these than the background. */
const mostOutside = 20_000
/** Bounds of `against`, and values in `where`, up to which the statement may repeat them. */
const mostBounds = 2
const mostValues = 100

/** Null if groups are not compared. */
export function planSignificance(optimizer: Optimizer, plan: AggregatePlan): PhysicalSignificance | null {
  const { significance, table, where, keys } = plan
  if (significance === null) return null
  const { minCount } = significance
  const { addsUp } = readingsOf(plan)
  const totalOf = (condition: Condition): TotalAccess =>
    addsUp ? { kind: 'groups' } : planCount(optimizer, { table, where: condition })
  const total = totalOf(where)
  const everything = groupsOfAll(optimizer, plan.table, keys)
  const outside = everything === null ? null : recordsOutside(optimizer, plan)
  if (everything === null || outside === null) {
    const compared = readForBackground(where, significance)
    const groups = planGroups(optimizer, { ...plan, where: compared, measures: [] }, keys)
    const part = { where: compared, isSubtracted: false, groups, total: totalOf(compared) }
    return { minCount, total, background: [part], subtractsGroups: compared === significance.against }
  }
  const whole = { where: alwaysTrue, isSubtracted: false, groups: everything, total: totalOf(alwaysTrue) }
  const subtracted = outside.map(({ condition, path }): BackgroundPart => {
    const part = all([condition, not(where)])
    const filter = planConjuncts(optimizer, conjuncts(part))
    const groups = { kind: 'rows', table, link: null, path, filter } as const
    return { where: part, isSubtracted: true, groups, total: addsUp ? { kind: 'groups' } : groups }
  })
  return { minCount, total, background: [whole, ...subtracted], subtractsGroups: true }
}

/** Records by a condition, and how they are found. */
interface FoundRecords {
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
): readonly FoundRecords[] | null {
  const bounds = conjuncts(significance?.against ?? alwaysTrue)
  if (bounds.length === 0) return []
  if (bounds.length > mostBounds || valuesOf(where) > mostValues) return null
  const found: FoundRecords[] = []
  let left = Math.min(Math.ceil(rowsOf(optimizer, table) / 3), mostOutside)
  for (const [number, bound] of bounds.entries()) {
    const earlier = bounds.slice(0, number)
    const opposites = oppositesOf(optimizer, table, bound)
    if (opposites === null) return null
    for (const { condition, path } of opposites) {
      // Missing values do not meet an earlier bound on the same column.
      if (condition.kind === 'missing' && earlier.some((part) => isOnSame(part, condition))) continue
      const counted = countFound(optimizer, table, planFilter(optimizer, condition), left)
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
  return sum(simpleConditions(condition), (part) => {
    if ('where' in part) return valuesOf(part.where)
    return 'list' in part ? part.list.length : 1
  })
}

const opposite: Partial<Record<Comparison, Comparison>> = { gt: 'lte', gte: 'lt', lt: 'gte', lte: 'gt' }

/** Conditions one of which holds for each record that does not meet a bound on an indexed value; otherwise null. */
function oppositesOf(optimizer: Optimizer, table: Table, bound: Condition): readonly FoundRecords[] | null {
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
  return isUnhinted(optimizer) ? { kind: 'planner' } : { kind: 'index-scan', index }
}

type Aggregate = PhysicalAggregate['aggregate']

/** Of the groups, those with a positive score, in the columns `score` (thousandths), `n`, `total`, `against` and `others`. */
export function significantGroups(
  emitter: Emitter,
  aggregate: Aggregate,
  { minCount, total, background, subtractsGroups }: PhysicalSignificance,
  groups: Grouping,
): Grouping {
  const parts = background.map(({ groups: access, ...part }) => ({
    ...part,
    grouping: createGrouping(emitter, { ...aggregate, measures: [] }, aggregate.keys, access),
  }))
  const recordsOf = (access: TotalAccess, grouping: Grouping): Sql =>
    emitRecordCount(emitter, access, aggregate.table, grouping)
  const totals = parts.map((part) => signed(part.isSubtracted, recordsOf(part.total, part.grouping)))
  const others = join([...totals, ...(subtractsGroups ? [raw('- total')] : [])], ' ')
  const { keys } = groups.columns
  const own = [raw('n'), ...groups.columns.measures.flat()]
  const isLarge = sql`n >= ${minCount}`
  // Most groups of the background are of no large group's keys; they are left out before they are sorted.
  const isCompared = allOf(
    keys.map(
      (key) => sql`(${key} is null or ${key} in (select ${key} from ${groups.name} where ${isLarge}))`,
    ),
  )
  const unions = [
    sql`select ${join([...keys, ...own], ', ')}, ${raw(subtractsGroups ? '- n' : 'cast(0 as bigint)')} as against from ${groups.name} where ${isLarge}`,
    ...parts.map(
      ({ isSubtracted, grouping }) =>
        sql`select ${join([...keys, ...own.map(() => raw('null'))], ', ')}, ${signed(isSubtracted, raw('n'))} from ${grouping.name} where ${isCompared}`,
    ),
  ]
  const name = scoreSteps(emitter, {
    keys,
    values: own,
    parts: unions,
    totals: sql`select total, ${others} as others from (select ${recordsOf(total, groups)} as total) ${emitter.alias()}`,
  })
  return { ...groups, name }
}

function signed(isNegative: boolean, value: Sql): Sql {
  return sql`${raw(isNegative ? '- ' : '+ ')}${value}`
}

export function describeSignificance({
  background,
  subtractsGroups,
}: PhysicalSignificance): readonly string[] {
  const parts = background.map(
    ({ where, isSubtracted, groups }) =>
      `${isSubtracted ? 'without' : 'compared with'} records ${describeWhere(where)}, their groups from ${describeAccess(groups)}`,
  )
  return subtractsGroups ? [...parts, 'without the records that are compared'] : parts
}
