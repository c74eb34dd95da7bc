/**
 * The size of what is read to find a page, a total or groups, in the worst case. The tables decide whether a `where`
 * and an order have an index, as in access-paths.ts; how many records the index finds must not matter.
 */
import type { Column, Table } from '../../database/layout/tables.ts'
import type { WordMatch } from '../../sql/dialect.ts'
import { weights } from './cost-weights.ts'
import { whereOperators } from '../../schema/model/where-operators.ts'
import { summedTop } from '../plan/groups/nested/summed-top.ts'
import type { GroupKey, UnusualWordsPlan } from '../plan/groups/group-plan.ts'
import type {
  AggregatePlan,
  FacetPlan,
  ListPlan,
  Ranking,
  SamplesPlan,
  SortKey,
  WordTerm,
} from '../plan/plan.ts'
import type { Condition, Operand, ReferringCount } from '../plan/conditions.ts'
import {
  conjuncts,
  collectsValues,
  elementsOf,
  measuresElements,
  withoutElements,
  ownUris,
  readingsOf,
  type SimpleCondition,
  simpleConditions,
} from '../plan/plan-facts.ts'

/** Finding the records of a list's page, if any are selected. */
export function pageSize(list: ListPlan): number {
  const kinds = list.fields.map(({ output }) => output.kind)
  if (!kinds.some((kind) => kind === 'edges' || kind === 'nodes' || kind === 'pageInfo')) return 0
  if (list.page.size === 0 && !kinds.includes('pageInfo')) return 0
  if (list.distinct.length > 0) return shareOf(list, distinctSize(list) * (1 + looksBehind(list)))
  const inOrder = isDefault(list.sort)
  const sort = Math.max(list.link !== null && !inOrder ? weights.sort : 0, sortSize(list.sort))
  const where = isNarrow(list) ? weights.narrow : whereSize(list, inOrder ? 'page' : 'sorted page')
  const ranking = list.ranking === null ? 0 : rankingSize(list.ranking)
  return shareOf(list, (where + sort + ranking) * (1 + looksBehind(list)))
}

/** One `totalCount`. */
export function totalSize(list: ListPlan): number {
  return shareOf(
    list,
    weights.total +
      (list.distinct.length > 0 ? weights.grouping + combinationsSize(list) : whereSize(list, 'all')),
  )
}

/** The first record of each combination of values. */
function distinctSize(list: ListPlan): number {
  const sort = isDefault(list.sort) ? 0 : Math.max(weights.sort, sortSize(list.sort))
  return weights.distinct + combinationsSize(list) + sort
}

/** All combinations of values that matching records have. */
function combinationsSize(list: ListPlan): number {
  const long = list.distinct.filter((value) => value.kind === 'column' && value.column.virtual)
  return (
    whereSize(list, 'all') + (list.distinct.length - 1) * weights.groupField + long.length * weights.groupText
  )
}

/** One facet, which costs what groups by its key cost. */
export function facetSize(list: ListPlan, { key, where }: FacetPlan): number {
  return shareOf(list, readingSize({ measures: [] }, [key], whereSize({ ...list, where }, 'all')))
}

/** Counting the words of both samples, and finding which records these are. */
export function unusualWordsSize({ table, where, background }: UnusualWordsPlan): number {
  const sizes = [where, background].map((part) => whereSize({ table, where: part, link: null }, 'all'))
  return sizes.reduce((sum, size) => sum + weights.total + weights.words + 2 * size, 0)
}

/** Sample records of groups: all records are numbered within their groups. */
export function samplesSize(plan: AggregatePlan, { sort }: SamplesPlan): number {
  const where = whereSize({ ...plan, where: withoutElements(plan, plan.keys), link: null }, 'all')
  return (
    readingSize({ measures: [] }, plan.keys, where + filtersSize(plan)) +
    Math.max(weights.sort, sortSize(sort))
  )
}

/** The conditions on elements that are grouped and measured. */
function filtersSize({ elements }: Pick<AggregatePlan, 'elements'>): number {
  return elements.reduce((sum, { where }) => sum + conditionSize(where), 0)
}

/** Everything an aggregate reads, except what printing its groups reads. */
export function groupingSize(plan: AggregatePlan): number {
  const sizeOf = (where: Condition): number =>
    whereSize({ ...plan, where, link: null }, 'all') + filtersSize(plan)
  const where = sizeOf(plan.where)
  const { isGrouped, isWhole, counts, addsUp } = readingsOf(plan)
  return (
    sharesSize(plan, where) +
    (isGrouped ? comparisonSize(plan, where, addsUp) : 0) +
    (addsUp ? 0 : counts * (weights.total + where)) +
    (isGrouped ? readingSize(plan, plan.keys, sizeOf(withoutElements(plan, plan.keys))) : 0) +
    (isWhole ? readingSize(plan, [], sizeOf(withoutElements(plan, []))) : 0)
  )
}

/** The groups of the background, and, unless those add up, the number of its records and of those of the `where`. */
function comparisonSize(plan: AggregatePlan, where: number, addsUp: boolean): number {
  if (plan.significance === null) return 0
  const { background } = plan.significance
  const backgroundWhere = whereSize({ ...plan, where: background, link: null }, 'all')
  const totals = addsUp ? 0 : 2 * weights.total + where + backgroundWhere
  return totals + readingSize({ ...plan, measures: [] }, plan.keys, backgroundWhere)
}

/**
 * The records of the denominator, and, unless their number is known from the other sets, those that are divided by
 * them: each set is grouped for the groups, and counted for the whole.
 */
function sharesSize(plan: AggregatePlan, where: number): number {
  const { share, keys } = plan
  const { sharesWhole, addsUp, counts, ...readings } = readingsOf(plan)
  if (share === null) return 0
  const sharesGroups = readings.sharesGroups && summedTop(plan) === null
  const { denominator, numerator } = share
  const sizes = (typeof numerator === 'string' ? [denominator] : [denominator, numerator]).map((part) =>
    whereSize({ ...plan, where: part, link: null }, 'all'),
  )
  const areCounted = sharesWhole && !(sharesGroups && addsUp)
  // The whole is divided by its own count, which is counted even if it is not selected.
  const ownCount = sharesWhole && numerator === 'count' && counts === 0 && !addsUp ? weights.total + where : 0
  return sizes.reduce(
    (sum, size) =>
      sum +
      (sharesGroups ? readingSize({ measures: [] }, keys, size) : 0) +
      (areCounted ? weights.total + size : 0),
    ownCount,
  )
}

/** One pass over all records, and one more for each array whose elements are measured or counted. */
function readingSize(
  { measures }: Pick<AggregatePlan, 'measures'>,
  keys: readonly GroupKey[],
  where: number,
): number {
  const pass = (all: readonly GroupKey[]): number => weights.grouping + where + keysSize(all)
  const inside = measures.map(({ of }) => of).filter((of) => elementsOf(of) !== null)
  const isOnePass = measuresElements(keys, measures)
  const passes = isOnePass ? [] : Map.groupBy(inside, elementsOf).values().toArray()
  const base = [isOnePass ? inside : [], ...passes].reduce((sum, of) => sum + pass([...keys, ...of]), 0)
  return measures.reduce((sum, { measure, of }) => {
    if (measure !== 'countDistinct')
      return sum + (collectsValues(measure) ? weights.orderedMeasure : weights.measure)
    if (of.leaf.kind === 'element') return sum + weights.countDistinct
    if (of.leaf.kind !== 'array') return sum + weights.countDistinct + keysSize([of])
    return sum + weights.countDistinct + pass([...keys, of])
  }, base)
}

function keysSize(keys: readonly GroupKey[]): number {
  const lists = keys.filter(({ leaf }) => leaf.kind === 'array').length
  const names = keys.map(elementsOf).filter((name) => name !== null)
  const objects = new Set(names).size
  const further = (names.length - objects) * weights.furtherObjects
  const each = keys.reduce((sum, key) => sum + keySize(key), further)
  const first = objects > 0 ? weights.groupObjects : weights.groupArray
  const multiplied = lists + objects === 0 ? 0 : first * weights.furtherArray ** (lists + objects - 1)
  return each + multiplied + Math.max(0, keys.length - 1) * weights.groupField
}

function keySize({ joins, leaf, bucket, interval }: GroupKey): number {
  const long = leaf.kind === 'column' && leaf.column.virtual
  const time = bucket === null ? 0 : weights.bucket + (bucket.zone === null ? 0 : weights.timeZone)
  return (
    joins.length * weights.groupJoin +
    (long ? weights.groupText : 0) +
    time +
    (interval === null ? 0 : weights.interval)
  )
}

function shareOf({ link }: ListPlan, size: number): number {
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

function isDefault(sort: readonly SortKey[]): boolean {
  return sort.length === 3 && isNamed(sort[0]?.value, 'indexed_at')
}

/** The last two keys, which end every order, are not counted. */
function sortSize(sort: readonly SortKey[]): number {
  const [first, ...further] = sort.slice(0, -2)
  const others = further.filter(
    ({ value }, index) => !(index === 0 && isNamed(value, 'rkey') && isNamed(first?.value, 'baseUri')),
  )
  return (first !== undefined && givesOrder(first) ? 0 : weights.sort) + others.length * weights.sortField
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
  const [equality, ...more] = parts.filter((part) => !isBound(part, first))
  if (parts.length === 0 || more.length > 0) return false
  if (equality === undefined) return true
  if (first.value.kind === 'column') return isPair(table, equality, first.value.column)
  return parts.length === 1 && isEquality(table, equality)
}

function isBound(part: Condition, { value }: SortKey): boolean {
  if (part.kind !== 'compare' || part.op === 'ne') return false
  if (value.kind === 'column') return part.operand.kind === 'column' && part.operand.column === value.column
  return part.operand.kind === 'system' && isNamed(value, part.operand.name)
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
  if (part.kind !== 'compare' || part.op !== 'eq' || part.operand.kind !== 'column') return false
  const { name } = part.operand.column
  return table.indexes.some(({ kind, columns }) => kind === 'value' && columns[0] === name)
}

/**
 * What is found: the records of a page in the default or in another order, or all records for which a `where` holds.
 */
type Found = 'page' | 'sorted page' | 'all'

/** Finding the records for which a `where` holds. */
export function whereSize(
  { table, where, link }: Pick<ListPlan, 'table' | 'where' | 'link'>,
  found: Found,
): number {
  const parts = conjuncts(where)
  const [only, ...others] = parts
  if (only === undefined) return 0
  const named = parts.find((part) => ownUris(part) !== null)
  // Only the records with these URIs are read.
  if (link === null && named !== undefined) {
    const besides = parts.filter((part) => part !== named)
    return weights.narrow + listSize(named) + besides.reduce((sum, part) => sum + conditionSize(part), 0)
  }
  // A list within a record is found by its reference, so that its other conditions are evaluated row by row.
  if (link === null && others.length === 0 && isLookUp(table, only, found))
    return (
      weights.indexLookup + (isSearch(table, only) ? weights.search : 0) + listSize(only) + wordsSize(only)
    )
  return weights.tableScan + (found === 'sorted page' ? weights.inOrder : 0) + conditionSize(where)
}

/** Whether a trigram index answers a condition; each text it finds is then read. */
function isSearch(table: Table, part: Condition): boolean {
  if (part.kind === 'words') return true
  if (part.kind === 'text') return part.index !== null
  if (part.kind !== 'compare' || part.op !== 'eq' || part.operand.kind !== 'column') return false
  const { column } = part.operand
  return table.texts.some(({ text }) => text === column)
}

function listSize(part: Condition): number {
  return 'list' in part ? part.list.length * weights.listValue : 0
}

/** Whether an index answers a condition on its own. */
function isLookUp(table: Table, part: Condition, found: Found): boolean {
  if (found === 'sorted page') return false
  if (part.kind === 'has') return part.array.index !== null
  if (part.kind === 'uri') return !part.negated && part.of?.kind !== 'json'
  if (part.kind === 'words') return true
  if (part.kind === 'text') return part.index !== null && found === 'page'
  if (part.kind !== 'compare' && part.kind !== 'in') return false
  if (part.kind === 'compare' ? whereOperators[part.op].index === null : part.negated) return false
  const { operand } = part
  if (isSearch(table, part)) return found === 'page'
  const isEquality = part.kind === 'in' || part.op === 'eq'
  if (operand.kind === 'system') return operand.name === 'did' && isEquality
  if (operand.kind !== 'column' || (operand.column.virtual && !isEquality)) return false
  return table.indexes.some(({ columns }) => columns[0] === operand.column.name)
}

function conditionSize(where: Condition): number {
  return simpleConditions(where).reduce((sum, part) => sum + simpleSize(part), 0)
}

function simpleSize(condition: SimpleCondition): number {
  switch (condition.kind) {
    case 'compare':
      return operandSize(condition.operand)
    case 'in':
      return operandSize(condition.operand) + condition.list.length * weights.listValue
    case 'text':
      if (isCid(condition.operand)) return weights.cid
      return condition.index === null ? weights.scan : weights[whereOperators[condition.match].price]
    case 'words':
      return weights[whereOperators.matches.price] + wordsSize(condition)
    case 'missing':
      return condition.index === null ? operandSize(condition.operand) : weights.indexed
    case 'absent':
      return weights.text
    case 'has':
      return (
        (condition.array.index === null ? weights.scan : weights[whereOperators.has.price]) +
        condition.list.length * weights.listValue
      )
    case 'uri':
      return weights.text + condition.list.length * weights.listValue
    case 'indexed':
      return weights[whereOperators.isIndexed.price] + weights.text
    case 'current':
      return weights[whereOperators.isCurrent.price]
    case 'outerCurrent':
      return weights.cid
    case 'element':
      return weights.join + weights.text + conditionSize(condition.where)
    case 'target':
    case 'referring':
      return weights[whereOperators.some.price] + conditionSize(condition.where)
  }
}

/** Reading what an index of words has of the words of a search. */
function wordsSize(part: Condition): number {
  return part.kind === 'words' ? matchSize(part.match) : 0
}

function matchSize(match: WordMatch): number {
  if (match.kind === 'term') return match.words.length * weights.word + (match.prefix ? prefixSize(match) : 0)
  const parts = match.kind === 'all' ? [...match.of, ...match.except] : match.of
  return parts.reduce((sum, part) => sum + matchSize(part), 0)
}

/** The shorter it is, the more words begin with it. */
function prefixSize({ words }: WordTerm): number {
  return [...(words.at(-1) ?? '')].length < 3 ? weights.shortPrefix : weights.prefix
}

/** For each term of a ranking, the records that have it are read together with the search, whose words are read again. */
function rankingSize({ terms }: Ranking): number {
  return terms.length * terms.reduce((sum, term) => sum + matchSize(term), 0)
}

function operandSize(operand: Operand | ReferringCount): number {
  switch (operand.kind) {
    case 'column':
      return operand.column.virtual ? weights.text : weights.indexed
    case 'json':
      return weights.text
    case 'count':
      return weights[whereOperators.count.price]
    case 'system':
      if (isCid(operand)) return weights.cid
      return operand.name === 'indexed_at' || operand.name === 'changed_at' ? weights.indexed : weights.text
  }
}

function isCid(operand: Operand): boolean {
  return operand.kind === 'system' && operand.name === 'cid'
}
