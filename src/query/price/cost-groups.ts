/** The size of what is read for groups, facets, measures and shares, in the worst case. */
import { measures } from '../../schema/model/measures.ts'
import type { Condition } from '../plan/conditions.ts'
import type { GroupKey, UnusualWordsPlan, PairsPlan } from '../plan/groups/group-plan.ts'
import { summedTop } from '../plan/groups/nested/summed-top.ts'
import {
  conjuncts,
  elementsOf,
  groupedNames,
  measuresElements,
  readingsOf,
  withoutElements,
} from '../plan/plan-facts.ts'
import type { AggregatePlan, FacetPlan, ListPlan, SamplesPlan } from '../plan/plan.ts'
import { countsBelow } from '../plan/groups/count-tables.ts'
import { linkedSize, sortSize } from './cost-pages.ts'
import { weights } from './cost-weights.ts'
import { conditionSize, whereSize } from './cost-where.ts'

/**
 * What each facet reads. The first under a condition costs what groups by its key cost; the others share the records
 * that it finds. Conditions are equal if they are the same object.
 */
export function facetSizes(list: ListPlan, facets: readonly FacetPlan[]): ReadonlyMap<FacetPlan, number> {
  const found = new Set<Condition>()
  const mayCount = list.link === null
  return new Map(
    facets.map((facet) => {
      const { key, where } = facet
      const size = found.has(where)
        ? weights.furtherFacet + keysSize([key])
        : readingSize({ ...list, measures: [] }, [key], whereSize({ ...list, where }, 'all'), mayCount)
      if (conjuncts(where).length > 0) found.add(where)
      return [facet, linkedSize(list, size)]
    }),
  )
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
    readingSize({ ...plan, measures: [] }, plan.keys, where + filtersSize(plan), false) +
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
      (sharesGroups ? readingSize({ ...plan, measures: [] }, keys, size) : 0) +
      (areCounted ? weights.total + size : 0),
    ownCount,
  )
}

/**
 * One pass over all records, one more for each array whose elements are measured or counted, and one if anything else is
 * measured by elements: PostgreSQL measures elements apart from groups, and records are made distinct before they are
 * measured.
 * `mayCount`: whether materialized counts may be the groups.
 */
function readingSize(
  plan: Pick<AggregatePlan, 'table' | 'measures'> & Partial<Pick<AggregatePlan, 'elements'>>,
  keys: readonly GroupKey[],
  where: number,
  mayCount = true,
): number {
  const { table, measures: measured } = plan
  const [key, ...others] = keys
  // Without conditions an index has the groups, even while materialized counts cannot be used.
  const isCounted =
    mayCount && where === 0 && measured.length === 0 && others.length === 0 && key !== undefined
  const grouping =
    isCounted && countsBelow(table, key) !== undefined ? weights.countedGrouping : weights.grouping
  const isOfNames = groupedNames(keys, plan) !== null
  const pass = (all: readonly GroupKey[]): number => grouping + where + keysSize(all, isOfNames)
  const inside = measured.map(({ of }) => of).filter((of) => elementsOf(of) !== null)
  const isOnePass = keys.length === 0 && measuresElements(keys, measured)
  const byElements = keys.some((key) => elementsOf(key) !== null) && measured.length > inside.length
  const aside = Map.groupBy(inside, elementsOf).values()
  const passes = isOnePass ? [inside] : [[], ...(byElements ? [[]] : []), ...aside]
  const base = passes.reduce((sum, of) => sum + pass([...keys, ...of]), 0)
  return measured.reduce((sum, { measure, of }) => {
    const own = sum + weights[measures[measure].price]
    if (measures[measure].of !== 'groupable' || of.leaf.kind === 'element') return own
    return own + (of.leaf.kind === 'array' ? pass([...keys, of]) : keysSize([of]))
  }, base)
}

/** `isOfNames`: whether the values of elements are names that a column has. */
function keysSize(keys: readonly GroupKey[], isOfNames = false): number {
  const lists = keys.filter(({ leaf }) => leaf.kind === 'array').length
  const names = keys.map(elementsOf).filter((name) => name !== null)
  const objects = new Set(names).size
  const further = (names.length - objects) * weights.furtherObjects
  const each = keys.reduce((sum, key) => sum + keySize(key), further)
  const first = objects === 0 ? weights.groupArray : isOfNames ? weights.groupNames : weights.groupObjects
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

/** The size of pairs of elements of an array: reading them, and printing them. */
export function pairsSize({ table, where, fields, limit }: PairsPlan): number {
  const read = weights.grouping + weights.groupArray + weights.pairs
  const printed = fields.reduce<number>(
    (sum, { output }) => sum + weights.value * (output.kind === 'values' ? 3 : 1),
    weights.value,
  )
  return read + whereSize({ table, where, link: null }, 'all') + weights.value + limit * printed
}
