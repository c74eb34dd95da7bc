/**
 * Plans how records are counted and grouped: from materialized counts or sums if possible, otherwise from rows.
 * Materialized values include every row of a table, so they are used only while no rows are hidden.
 */
import type { CountTable } from '../../../database/layout/counts.ts'
import { ownSums, type SumTable } from '../../../database/layout/sums.ts'
import type { Column, Table } from '../../../database/layout/tables.ts'
import { quote } from '../../../sql/sql.ts'
import type { TimeBucket } from '../../../sql/time-buckets.ts'
import { all, alwaysTrue, type Condition, type TargetSemiJoin } from '../../plan/conditions.ts'
import { countsBelow, countsOf, countsOfKey } from '../../plan/groups/count-tables.ts'
import type { GroupKey, MeasurePlan } from '../../plan/groups/group-plan.ts'
import type { CountAccess, CountedRows, GroupAccess, TotalAccess } from '../../plan/physical-plan.ts'
import {
  accountsOf,
  columnIndex,
  conjuncts,
  leadingColumn,
  mentionsReference,
  withoutElements,
} from '../../plan/plan-facts.ts'
import type { AggregatePlan } from '../../plan/plan.ts'
import { weights } from '../../price/cost-weights.ts'
import { conditionSize } from '../../price/cost-where.ts'
import { chooseForCount, planPath, unanswered } from '../access-paths.ts'
import { findSemiJoinSources } from '../candidate-sources.ts'
import { timeOfMatches } from '../match-words.ts'
import { countFound, filterEstimate, planFilter, planSetJoin } from '../optimize-filter.ts'
import { isUnhinted, type LinkedRecords, type Optimizer, type Records, rowsOf } from '../optimizer.ts'
import { type Choice, pairs } from '../path-options.ts'

/** Beyond this number of count rows the exact number does not matter: reading them all is long anyway. */
const mostCounts = 20_001

/** Plans the count of records that meet conditions: all of a table, or those that refer by a link to the outer row. */
export function planCount(optimizer: Optimizer, records: LinkedRecords): CountAccess {
  const { table, where, link = null } = records
  if (link === null) {
    const found = materializedCount(optimizer, table, where) ?? planDifference(optimizer, table, where)
    if (found !== null) return found
    if (where.kind !== 'words' || optimizer.state.hiding) return planCountedRows(optimizer, records)
    optimizer.estimate.rows += timeOfMatches(optimizer, where.index, where.match)
    return { kind: 'matches', index: where.index, match: where.match }
  }
  if (!optimizer.state.hiding && link.kind === 'columns' && conjuncts(where).length === 0) {
    const counts = countsOf(table, 'reference', [link.base, link.key])
    if (counts !== undefined) return { kind: 'link-counts', counts }
  }
  return planCountedRows(optimizer, records)
}

/** The records of a materialized count that do not meet a condition: all of them without those that do. */
function planDifference(optimizer: Optimizer, table: Table, where: Condition): CountAccess | null {
  const parts = conjuncts(where)
  const excluded = parts.find(({ kind }) => kind === 'not')
  if (excluded?.kind !== 'not') return null
  const others = parts.filter((part) => part !== excluded)
  const of = materializedCount(optimizer, table, all(others))
  return (
    of && {
      kind: 'difference',
      of,
      less: planCount(optimizer, { table, where: all([...others, excluded.of]) }),
    }
  )
}

/** Plans the number of records of an aggregate. `addsUp`: the counts of its groups add up to it. */
export function planTotal(optimizer: Optimizer, { table, where }: Records, addsUp: boolean): TotalAccess {
  const materialized = materializedCount(optimizer, table, where)
  return materialized ?? (addsUp ? { kind: 'groups' } : planCount(optimizer, { table, where }))
}

/** Rows that are counted or grouped, in any order. */
export function planCountedRows(optimizer: Optimizer, records: LinkedRecords): CountedRows {
  const { table, where, link = null } = records
  if (link !== null) {
    optimizer.estimate.rows = Number.POSITIVE_INFINITY
    return countedRows(optimizer, records, { kind: 'planner' })
  }
  const choice = chooseForCount(optimizer, records)
  optimizer.estimate.rows += filterEstimate(optimizer, table, where)
  return countedRows(optimizer, records, choice)
}

/** `targets`: the condition whose targets are found first. */
function countedRows(
  optimizer: Optimizer,
  records: LinkedRecords,
  choice: Choice,
  targets?: TargetSemiJoin,
): CountedRows {
  const { table, link = null } = records
  const isProbed = link !== null || !isUnhinted(optimizer)
  // If the planner chooses the index, it may use the index of any conjunct.
  const mayEnter = link === null && choice.kind === 'planner'
  const filter = unanswered(optimizer, records, choice).map((part) => ({
    filter:
      part === targets ? planSetJoin(optimizer, targets, null) : planFilter(optimizer, part, { isProbed }),
    isIndexed: mayEnter && columnIndex(table, part) !== undefined,
  }))
  return { kind: 'rows', table, link, path: planPath(optimizer, records, choice), filter }
}

/** Null if no materialized counts answer these conditions. */
export function materializedCount(optimizer: Optimizer, table: Table, where: Condition): CountAccess | null {
  if (optimizer.state.hiding) return null
  const [part, ...others] = conjuncts(where)
  if (part === undefined) return countsAccess(countsOf(table, 'total', []), [], null)
  if (others.length > 0) return null
  // Each value is looked up.
  if ('list' in part) optimizer.estimate.rows += part.list.length
  if (part.kind === 'target') return countBehindReference(optimizer, table, part)
  // Ranges and missing values are counted from rows.
  if (part.kind === 'uri') {
    if (part.negated || part.of?.kind !== 'columns') return null
    const { base, key } = part.of
    return countsAccess(countsOf(table, 'reference', [base, key]), [base, key], planFilter(optimizer, part))
  }
  if (part.kind !== 'compare' && part.kind !== 'in') return null
  const dids = accountsOf(part)
  if (dids !== null) {
    const counts = countsOf(table, 'value', [{ name: 'base' }])
    return counts === undefined ? null : { kind: 'account-counts', counts, dids }
  }
  const isEquality = part.kind === 'compare' ? part.op === 'eq' : !part.negated
  if (!isEquality || part.operand.kind !== 'column') return null
  const { column } = part.operand
  return countsAccess(countsOf(table, 'value', [column]), [column], planFilter(optimizer, part))
}

function countsAccess(
  counts: CountTable | undefined,
  columns: readonly Column[],
  filter: ReturnType<typeof planFilter> | null,
): CountAccess | null {
  return counts === undefined ? null : { kind: 'counts', counts, columns, filter }
}

/** Counts the records that refer to the targets for which a condition holds, if each target has many. */
function countBehindReference(optimizer: Optimizer, table: Table, part: TargetSemiJoin): CountAccess | null {
  if (part.of.kind !== 'columns' || mentionsReference(part.where)) return null
  const { base, key } = part.of
  const counts = countsOf(table, 'reference', [base, key])
  const rows = rowsOf(optimizer, part.table)
  if (counts === undefined || rows * fewReferring > rowsOf(optimizer, table)) return null
  const found = findSemiJoinSources(optimizer, part, rows)
  const used = found !== null && optimizer.statistics.affordsValues(found.values) ? found : null
  // Each target is verified, which takes the longer the more points its condition costs.
  const weight = Math.max(1, conditionSize(part.where) / weights.point)
  optimizer.estimate.rows += Math.max(used?.time ?? 0, (used?.estimate ?? rows) * weight)
  return countsAccess(counts, [base, key], planSetJoin(optimizer, part, used?.sources ?? null))
}

/** With this many referring records for a target, counting each costs more than evaluating the semi-join once. */
const fewReferring = 8

/** Plans groups by these keys, or (without keys) all records as one group. */
export function planGroups(
  optimizer: Optimizer,
  aggregate: AggregatePlan,
  keys: readonly GroupKey[],
): GroupAccess {
  const { table, measures } = aggregate
  const materialized = materializedGroups(optimizer, aggregate, keys)
  if (materialized !== null) return materialized
  const [key, ...others] = keys
  const isPlain = key?.joins.length === 0 && others.length === 0 && measures.length === 0
  const mayCount = isPlain && !optimizer.state.hiding && !isUnhinted(optimizer)
  return (
    (mayCount ? groupsOfRanges(optimizer, aggregate, key) : null) ??
    (mayCount ? groupsOfIndex(optimizer, aggregate, key) : null) ??
    planCountedRows(optimizer, { table, where: withoutElements(aggregate, keys) })
  )
}

/** Number of entries of an index that are counted in the time of one record. */
const entriesPerRecord = 10
/** The rows of counts add up to the buckets of these units, each of which is one range of instants. */
const unitsInOrder: ReadonlySet<TimeBucket['unit']> = new Set(['day', 'week', 'month', 'quarter', 'year'])

/**
 * Groups by time of the records with one value of a code: entries of the index by both are counted range by range. Null
 * if the records are not more than the buckets, or the engine cannot be made to count entries of the index alone.
 */
function groupsOfRanges(optimizer: Optimizer, plan: AggregatePlan, key: GroupKey): GroupAccess | null {
  const { table, where } = plan
  if (key.leaf.kind !== 'column' || key.bucket === null || !unitsInOrder.has(key.bucket.unit)) return null
  const instant = key.leaf.column
  const pair = pairs(table, where).find(({ index }) => index.columns[1] === instant.name)
  const counts = countsOfKey(table, key)
  if (pair === undefined || counts === undefined || conjuncts(where).length > 1) return null
  const total = materializedCount(optimizer, table, where)
  if (total === null) return null
  const code = planFilter(optimizer, where)
  const buckets = rowsOfCounts(optimizer, counts)
  if (countFound(optimizer, table, code, buckets + 1) <= buckets) return null
  optimizer.estimate.rows += rowsOf(optimizer, table) / entriesPerRecord
  return { kind: 'ranges', counts, index: pair.index, instant, code, total }
}

/**
 * Counts from an index that has the key and all that the conditions are about. Either it begins with the key, and is
 * read from end to end in the order of the groups; or it is that of a reference, and the entries of the targets for
 * which a condition holds are read. Otherwise each record that a condition finds is looked up. Null if there is no such
 * index, if these records are few, or if the engine chooses by itself.
 */
function groupsOfIndex(optimizer: Optimizer, plan: AggregatePlan, { leaf }: GroupKey): GroupAccess | null {
  const { table, where } = plan
  if (leaf.kind !== 'reference' && leaf.kind !== 'column') return null
  const own = namesOf(leaf)
  const parts = conjuncts(where)
  const targets = parts.find(
    (part): part is TargetSemiJoin =>
      part.kind === 'target' &&
      part.of.kind === 'columns' &&
      !mentionsReference(part.where) &&
      rowsOf(optimizer, part.table) * fewReferring <= rowsOf(optimizer, table),
  )
  const first = targets?.of.kind === 'columns' ? namesOf(targets.of) : own
  const read = parts.filter((part) => part !== targets).map((part) => leadingColumn(part) ?? '')
  const index = table.indexes.find(
    ({ columns, included, partial }) =>
      !partial &&
      first.every((name, at) => name === columns[at]) &&
      read.every((name) => !first.includes(name)) &&
      [...own, ...read].every((name) => [...columns, ...included].includes(name)),
  )
  if (index === undefined || parts.length === 0) return null
  const many = Math.ceil(rowsOf(optimizer, table) / entriesPerRecord)
  const found = targets ? planSetJoin(optimizer, targets, null) : planFilter(optimizer, where)
  if (countFound(optimizer, table, found, many) < many) return null
  optimizer.estimate.rows += many
  if (targets)
    optimizer.estimate.rows += rowsOf(optimizer, targets.table) + filterEstimate(optimizer, table, where)
  const scan = { kind: 'index-scan', index: index.name, estimate: null } as const
  return countedRows(optimizer, { table, where }, scan, targets)
}

function namesOf(leaf: { readonly base: Column; readonly key: Column } | { readonly column: Column }) {
  return 'base' in leaf ? [leaf.base.name, leaf.key.name] : [leaf.column.name]
}

/** Null if no materialized counts or sums form these groups. */
export function materializedGroups(
  optimizer: Optimizer,
  { table, where, measures }: Pick<AggregatePlan, 'table' | 'where' | 'measures'>,
  keys: readonly GroupKey[],
): GroupAccess | null {
  const [key, ...others] = keys
  if (optimizer.state.hiding || key === undefined || others.length > 0 || conjuncts(where).length > 0)
    return null
  if (measures.length === 0) {
    const counts = groupCounts(optimizer, table, key)
    if (counts !== null) return counts
  }
  // Nodes of a cluster keep no sums across references.
  if (optimizer.dialect.isSpread) return null
  const sums = ownSums(table).find((its) => leadsAlong(its, key))
  const measured = sums === undefined ? [] : measures.map((measure) => measuredAt(sums, measure))
  if (sums === undefined || measured.includes(-1)) return null
  optimizer.estimate.rows += rowsOfCounts(optimizer, sums)
  return { kind: 'sums', sums, measured }
}

function groupCounts(optimizer: Optimizer, table: Table, key: GroupKey): GroupAccess | null {
  const counts = countsBelow(table, key)
  if (counts === undefined) return null
  const [join] = key.joins
  // Ordering a count by its key takes as long as reading a record.
  optimizer.estimate.rows += rowsOfCounts(optimizer, counts)
  return join === undefined ? { kind: 'counts', counts } : { kind: 'joined-counts', counts, join }
}

/** Position of the summed column of which a measure is a sum or mean; -1: none. */
function measuredAt({ measured }: SumTable, { measure, of: { joins, leaf } }: MeasurePlan): number {
  if ((measure !== 'sum' && measure !== 'avg') || joins.length > 0 || leaf.kind !== 'column') return -1
  return measured.indexOf(leaf.column.name)
}

/** Whether the key is the second reference itself, or a single value of the record that it names. */
function leadsAlong({ first, second, between }: SumTable, { joins, leaf }: GroupKey): boolean {
  const [one, two, ...further] = joins
  if (one?.table.name !== between || one.base.name !== first.base || further.length > 0) return false
  if (two === undefined) return leaf.kind === 'reference' && leaf.base.name === second.base
  return two.base.name === second.base && (leaf.kind === 'column' || leaf.kind === 'reference')
}

export function rowsOfCounts({ statistics }: Optimizer, { name }: Pick<CountTable, 'name'>): number {
  return statistics.countUpTo({ text: `select 1 from ${quote(name)}`, values: [] }, mostCounts)
}

/** Number of elements of arrays that are counted in the time of one record. */
const elementsPerRecord = 8

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
