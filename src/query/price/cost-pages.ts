/** The size of finding a list's page or its total in the worst case. Tables decide whether an order has an index. */
import type { Column, Table } from '../../database/layout/tables.ts'
import { isBoundOn } from '../plan/bounds.ts'
import type { Condition } from '../plan/conditions.ts'
import { columnIndex, conjuncts, isDefaultOrder } from '../plan/plan-facts.ts'
import type { ListPlan, Ranking, SortKey } from '../plan/plan.ts'
import { weights } from './cost-weights.ts'
import { matchSize, whereSize } from './cost-where.ts'

/** Finding the records of a list's page, if any are selected. */
export function pageSize(list: ListPlan): number {
  const kinds = list.fields.map(({ output }) => output.kind)
  if (!kinds.some((kind) => kind === 'edges' || kind === 'nodes' || kind === 'pageInfo')) return 0
  if (list.page.size === 0 && !kinds.includes('pageInfo')) return 0
  if (list.distinct.length > 0) return linkedSize(list, distinctSize(list) * (1 + looksBehind(list)))
  const inOrder = isDefaultOrder(list.sort)
  const sort = Math.max(list.link !== null && !inOrder ? weights.join : 0, sortSize(list.sort))
  const where = isNarrow(list) ? weights.adjacent : whereSize(list, inOrder ? 'page' : 'sorted page')
  const ranking = list.ranking === null ? 0 : rankingSize(list.ranking)
  return linkedSize(list, (where + sort + ranking) * (1 + looksBehind(list)))
}

/** One `totalCount`. */
export function totalSize(list: ListPlan): number {
  return linkedSize(
    list,
    weights.total +
      (list.distinct.length > 0 ? weights.scan + combinationsSize(list) : whereSize(list, 'all')),
  )
}

/** The first record of each combination of values. */
function distinctSize(list: ListPlan): number {
  const sort = isDefaultOrder(list.sort) ? 0 : Math.max(weights.join, sortSize(list.sort))
  return weights.text + weights.join + combinationsSize(list) + sort
}

/** All combinations of values that matching records have. */
function combinationsSize(list: ListPlan): number {
  const long = list.distinct.filter((value) => value.kind === 'column' && value.column.virtual)
  const counts = list.distinct.filter((value) => value.kind === 'count')
  return (
    whereSize(list, 'all') +
    (list.distinct.length - 1) * weights.lookup +
    long.length * weights.text +
    counts.length * weights.join
  )
}

/** A list within a record reads a part of what a list of its own reads. */
export function linkedSize({ link }: ListPlan, size: number): number {
  return link === null ? size : Math.ceil(size / weights.linked)
}

/** After a cursor, `hasPreviousPage` reads a page of its own. */
function looksBehind({ page, fields }: ListPlan): number {
  const wanted = page.backward ? 'hasNextPage' : 'hasPreviousPage'
  if (page.from === null) return 0
  return fields
    .flatMap(({ output }) => (output.kind === 'pageInfo' ? output.fields : []))
    .filter(({ output }) => output.kind === wanted).length
}

/** The last two keys, which end every order, are not counted. */
export function sortSize(sort: readonly SortKey[]): number {
  const [first, ...further] = sort.slice(0, -2)
  const others = further.filter(
    ({ value }, index) => !(index === 0 && isNamed(value, 'rkey') && isNamed(first?.value, 'baseUri')),
  )
  return (first !== undefined && givesOrder(first) ? 0 : weights.join) + others.length * weights.compared
}

function isNamed(value: SortKey['value'] | undefined, name: string): boolean {
  return value?.kind === 'system' && value.name === name
}

/** Instants and integers have an index that also orders equal keys; inside objects it lacks the missing ones. */
function givesOrder({ value }: SortKey): boolean {
  if (value.kind === 'column')
    return (
      (value.column.kind === 'instant' || value.column.kind === 'integer') && value.column.path.length === 1
    )
  return isNamed(value, 'indexed_at')
}

/**
 * Whether the records of every page are adjacent and in order in an index: bounds on the sort key, one equality in the
 * default order, or an equality on a code in the order of the instant that is indexed with it.
 */
function isNarrow({ table, link, where, sort }: ListPlan): boolean {
  if (link !== null) return false
  const [first, ...others] = sort.slice(0, -2)
  if (first === undefined || others.length > 0 || !givesOrder(first)) return false
  const parts = conjuncts(where)
  const [equality, ...more] = parts.filter((part) => !isBoundOn(part, first))
  if (parts.length === 0 || more.length > 0) return false
  if (equality === undefined) return true
  if (first.value.kind === 'column') return isPair(table, equality, first.value.column)
  return parts.length === 1 && isEquality(table, equality)
}

function isPair(table: Table, part: Condition, moment: Column): boolean {
  if (part.kind !== 'compare' || part.op !== 'eq' || part.operand.kind !== 'column') return false
  const { name } = part.operand.column
  return table.indexes.some(
    ({ kind, columns }) => kind === 'pair' && columns[0] === name && columns[1] === moment.name,
  )
}

/** In these indexes, equal keys are in the default order. */
function isEquality(table: Table, part: Condition): boolean {
  if (part.kind === 'uri') return !part.negated && part.list.length <= 1 && part.of?.kind !== 'json'
  if (part.kind === 'has') return part.array.index !== null && part.list.length <= 1
  if (part.kind !== 'url' && (part.kind !== 'compare' || part.op !== 'eq')) return false
  return part.operand.kind === 'column' && columnIndex(table, part)?.kind === 'value'
}

/** For each term of a ranking, the records that have it are read together with the search, whose words are read again. */
function rankingSize({ terms }: Ranking): number {
  return terms.length * terms.reduce((sum, term) => sum + matchSize(term), 0)
}
