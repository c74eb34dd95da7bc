/**
 * The cost of an operation in the worst case, from its logical plan alone, never from the data: a caller can compute it
 * with docs/limits.md, and equal operations cost the same everywhere. This file counts what is printed, where page
 * sizes multiply down the nesting; cost-pages.ts and cost-groups.ts count what is read to find it, cost-where.ts the
 * conditions. bench/costs/cost-search.ts checks the weights against measured time.
 */
import { facetsSize } from '../outputs/facets.ts'
import { missingWordSize } from '../outputs/missing-words.ts'
import { pairsSize } from '../outputs/pairs.ts'
import { samplesSize } from '../outputs/samples.ts'
import { sharesSize } from '../outputs/shares.ts'
import { comparisonSize } from '../outputs/significance.ts'
import { unusualWordsSize } from '../outputs/unusual-words.ts'
import type { Condition } from '../plan/conditions.ts'
import type { Constant, Fields } from '../plan/fields.ts'
import { readingsOf, withoutElements } from '../plan/plan-facts.ts'
import type {
  AggregateOutput,
  AggregatePlan,
  EdgeOutput,
  GroupOutput,
  ListPlan,
  Output,
  Plan,
  RecordSelections,
  RootOutput,
  StatusOutput,
} from '../plan/plan.ts'
import { filtersSize, readingSize } from './cost-groups.ts'
import { pageSize, totalSize } from './cost-pages.ts'
import { selectedSize, sum, weights } from './cost-weights.ts'
import { whereSize } from './cost-where.ts'

/** The points that a caller pays; at least one. */
export function costOf(plan: Plan): number {
  return pointsOf(sizeOf(plan))
}

function pointsOf(size: number): number {
  return Math.max(1, Math.ceil(size / weights.point))
}

/** The cost of a file of one list, whose page is the whole file: its rows are one stream. */
export function fileCostOf(plan: Plan) {
  const [root] = plan.roots
  if (root?.output.kind !== 'list') throw new Error('A file is one list.')
  const { key, output } = root
  const { list } = output
  const sizeWith = (size: number): number =>
    sizeOf({
      ...plan,
      roots: [{ key, output: { ...output, list: { ...list, page: { ...list.page, size } } } }],
    })
  const search = sizeWith(1)
  const perRow = (sizeWith(2) - search) / weights.filed
  return {
    /** Points of a file without rows, which may not exceed those of an operation. */
    search: pointsOf(search),
    /** Points of the whole, with so many rows. */
    pointsFor: (rows: number) => pointsOf(search + perRow * Math.max(0, rows - 1)),
    /** Maximum number of rows. */
    limit: list.page.size,
  }
}

/** The size from which points are computed: what is written, read, and printed if every page is full. */
export function sizeOf({ roots, written }: Plan): number {
  return written * weights.written + selectedSize(roots, rootSize)
}

function rootSize(output: RootOutput): number {
  switch (output.kind) {
    case 'introspection':
      return Math.min(output.fields * weights.value, weights.most)
    case 'byUri':
      return weights.reference + fieldsSize(output.fields)
    case 'nodes':
      return weights.value + output.uris.length * resolvedSize(output.records)
    case 'aggregate':
      return aggregateSize(output.aggregate)
    case 'status':
      return sum(output.fields, (field) => statusSize(field.output))
    case 'list':
      return listSize(output.list)
    case 'merged':
      return mergedSize(output.lists)
  }
}

/** A page of each collection is read, and one page is printed. */
function mergedSize(lists: readonly ListPlan[]): number {
  return sum(lists, pageSize) + Math.max(...lists.map((list) => listSize(list) - pageSize(list)))
}

/** The size has a maximum, so that `indexStatus` is affordable however many collections there are. */
function statusSize(output: StatusOutput | Constant): number {
  if (output.kind !== 'collections') return weights.written
  const { tables, fields } = output
  const counted = fields.filter(({ output }) => output.kind === 'records').length
  const all = tables.length * (fields.length * weights.value + counted * weights.total)
  return weights.written + Math.min(all, Math.max(1, counted) * weights.most)
}

function aggregateSize(plan: AggregatePlan): number {
  const read = sum(plan.fields, ({ output }) => readSize(plan, output))
  return (
    groupingSize(plan) + plan.changes.length * weights.lookup + plan.limit * printedGroupSize(plan) + read
  )
}

/** What is read for an output besides the groups. */
function readSize(plan: AggregatePlan, output: AggregateOutput | Constant): number {
  switch (output.kind) {
    case 'unusualWords':
      return unusualWordsSize(output)
    case 'pairs':
      return pairsSize(output)
    case 'groups':
      return sum(output.fields, (field) => nestedSize(plan, field.output))
    case 'count':
    case 'total':
    case 'matching':
    case 'share':
    case 'groupCount':
    case 'groupsPageInfo':
    case 'measure':
    case 'measures':
    case 'constant':
      return 0
  }
}

/** What is read for inner groups and sample records, once for all groups. */
function nestedSize(plan: AggregatePlan, output: GroupOutput | Constant): number {
  if (output.kind === 'top') return groupingSize(output.aggregate)
  return output.kind === 'nodes' ? samplesSize(plan, output) : 0
}

function printedGroupSize(plan: AggregatePlan): number {
  return sum(plan.fields, ({ output }) =>
    output.kind === 'groups'
      ? weights.value + selectedSize(output.fields, (each) => groupSize(each, plan))
      : 0,
  )
}

function groupSize(output: GroupOutput, { measures }: Pick<AggregatePlan, 'measures'>): number {
  switch (output.kind) {
    case 'measures':
    case 'significance':
      return weights.value + output.fields.length * weights.value
    case 'keyResolved':
      return resolvedSize(output.records)
    case 'top':
      return weights.value + output.aggregate.limit * printedGroupSize(output.aggregate)
    case 'nodes':
      return weights.value + output.first * fieldsSize(output.fields)
    case 'count':
    case 'total':
    case 'matching':
    case 'share':
    case 'change':
    case 'countShare':
    case 'cursor':
    case 'key':
      return weights.value
    case 'measure':
      return weights.value * (1 + (measures[output.measure]?.ranks.length ?? 0))
  }
}

function resolvedSize(records: RecordSelections): number {
  return weights.reference + Math.max(...records.map(({ fields }) => fieldsSize(fields)))
}

function listSize(list: ListPlan): number {
  const perRow = sum(list.fields, ({ output }) => {
    if (output.kind === 'nodes') return fieldsSize(output.fields)
    if (output.kind === 'edges') return weights.value + selectedSize(output.fields, edgeSize)
    return 0
  })
  const own = selectedSize(list.fields, (output) => {
    switch (output.kind) {
      case 'totalCount':
      case 'ranked':
        return totalSize(list)
      case 'missingWords':
        return weights.value + sum(output.words, () => missingWordSize(output))
      case 'facets':
        return weights.value + facetsSize(list, output.facets)
      case 'pageInfo':
        return output.fields.length * weights.value
      case 'edges':
      case 'nodes':
        return weights.value
    }
  })
  return weights.written + own + pageSize(list) + list.page.size * perRow
}

function edgeSize(output: EdgeOutput): number {
  if (output.kind === 'snippet') return output.isLong ? weights.adjacent : weights.word
  return output.kind === 'node' ? fieldsSize(output.fields) : weights.value
}

/** One for the row itself, which is read even if the selection is empty. */
function fieldsSize(fields: Fields<Output>): number {
  return weights.value + selectedSize(fields, outputSize)
}

function outputSize(output: Output): number {
  switch (output.kind) {
    case 'object':
      return fieldsSize(output.fields)
    case 'union':
      return Math.max(
        ...[...output.cases.map(({ fields }) => fields), output.otherwise ?? []].map(fieldsSize),
      )
    case 'array':
      return weights.reference * outputSize(output.element)
    case 'resolved':
      return resolvedSize(output.records)
    case 'isCurrent':
      return weights.reference
    case 'anyJson':
      return weights.written
    case 'system':
      return output.name === 'recordJson' ? weights.written : weights.value
    case 'list':
      return listSize(output.list)
    case 'json':
    case 'jsonArray':
    case 'wrapped':
    case 'blobField':
      return weights.value
  }
}

/** Everything an aggregate reads, except what printing its groups reads. */
export function groupingSize(plan: AggregatePlan): number {
  const sizeOf = (where: Condition): number =>
    whereSize({ ...plan, where, link: null }, 'all') + filtersSize(plan)
  const where = sizeOf(plan.where)
  const { isGrouped, isWhole, addsUp, ...readings } = readingsOf(plan)
  const counts = Math.max(readings.counts, readings.dividesCounts ? 1 : 0)
  return (
    sharesSize(plan, where) +
    (isGrouped ? comparisonSize(plan, where, addsUp) : 0) +
    (addsUp ? 0 : counts * (weights.total + where)) +
    (isGrouped ? readingSize(plan, plan.keys, sizeOf(withoutElements(plan, plan.keys))) : 0) +
    (isWhole ? readingSize(plan, [], sizeOf(withoutElements(plan, []))) : 0)
  )
}
