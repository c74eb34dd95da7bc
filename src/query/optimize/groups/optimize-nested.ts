/**
 * Plans how the records within the groups of a page are found: each group by an index over its reference, if the page
 * has few of many groups and the conditions leave many records; otherwise among all records that meet the conditions.
 */
import type { Table, TableIndex } from '../../../database/layout/tables.ts'
import { all, type Condition } from '../../plan/conditions.ts'
import type { CountedRows, GroupAccess, PhysicalAggregate, SharePart } from '../../plan/physical-plan.ts'
import { columnIndex, conjuncts } from '../../plan/plan-facts.ts'
import type { AggregatePlan } from '../../plan/plan.ts'
import { countFound, planFilter } from '../optimize-filter.ts'
import { isUnhinted, type Optimizer, rowsOf } from '../optimizer.ts'
import { countsOf } from '../../plan/groups/count-tables.ts'
import { rowsOfCounts } from './optimize-count.ts'

/** Pages of more groups have most of the records. */
const mostGroups = 100
/** A page has few of the groups if there are so many times more. */
const fewOfGroups = 10
/** Looking up a record in an index takes so many times as long as reading one in a scan. */
const perLookup = 3
/** Number of records up to which the matches of a condition are counted. */
const mostCounted = 40_000

/** Finds the rows of inner groups, and those of their denominators, by the index of the outer groups if that is fast. */
export function withinGroups(
  optimizer: Optimizer,
  outer: AggregatePlan,
  inner: PhysicalAggregate,
): PhysicalAggregate {
  const index = groupIndex(optimizer, outer)
  if (index === null) return inner
  const found = (access: GroupAccess | null, where: Condition): GroupAccess | null =>
    access && rowsWithin(optimizer, index, access, where)
  const { groups, shares, aggregate } = inner
  const part = <Counted extends string>(each: SharePart | Counted): SharePart | Counted =>
    typeof each === 'string' ? each : { ...each, groups: found(each.groups, each.where) }
  return {
    ...inner,
    groups: found(groups, aggregate.where),
    shares: shares && { total: part(shares.total), numerator: part(shares.numerator) },
  }
}

/** The same for sample records. */
export function samplesWithin(optimizer: Optimizer, outer: AggregatePlan, access: CountedRows): CountedRows {
  const index = groupIndex(optimizer, outer)
  return index === null ? access : rowsWithin(optimizer, index, access, outer.where)
}

function rowsWithin<Access extends GroupAccess>(
  optimizer: Optimizer,
  index: TableIndex,
  access: Access,
  where: Condition,
): Access {
  if (access.kind !== 'rows' || 'sources' in access.path) return access
  return isSelective(optimizer, access.table, where) ? access : { ...access, groupIndex: index }
}

/** The index that finds the records of a group by its first key; null if the page may have most of the records. */
function groupIndex(optimizer: Optimizer, { table, keys, limit }: AggregatePlan): TableIndex | null {
  const leaf = keys[0]?.leaf
  if (isUnhinted(optimizer) || optimizer.state.hiding || limit > mostGroups) return null
  if (leaf?.kind !== 'reference' || keys[0]?.joins.length !== 0) return null
  const counts = countsOf(table, 'reference', [leaf.base, leaf.key])
  if (counts === undefined || rowsOfCounts(optimizer, counts) < fewOfGroups * limit) return null
  const names = [leaf.base.name, leaf.key.name].join()
  return table.indexes.find(({ columns, partial }) => columns.join() === names && !partial) ?? null
}

/** Whether an index leads to few of the records that meet the conditions. */
function isSelective(optimizer: Optimizer, table: Table, where: Condition): boolean {
  const indexed = Map.groupBy(conjuncts(where), (part) => columnIndex(table, part)?.columns[0])
  indexed.delete(undefined)
  const many = Math.min(Math.ceil(rowsOf(optimizer, table) / perLookup), mostCounted)
  return [...indexed.values()].some(
    (parts) => countFound(optimizer, table, planFilter(optimizer, all(parts)), many) < many,
  )
}
