/** The size of what is read for groups, facets, measures and shares, in the worst case. */
import { measures } from '../../schema/model/measures.ts'
import { countsBelow } from '../plan/groups/count-tables.ts'
import type { GroupKey } from '../plan/groups/group-plan.ts'
import { elementsOf, groupedNames, keysOfMeasure, measuresElements } from '../plan/plan-facts.ts'
import type { AggregatePlan } from '../plan/plan.ts'
import { weights } from './cost-weights.ts'
import { conditionSize } from './cost-where.ts'

/** Each further array multiplies the rows of the arrays before it. */
const rowsPerArray = 3

/** The conditions on elements that are grouped and measured. */
export function filtersSize({ elements }: Pick<AggregatePlan, 'elements'>): number {
  return elements.reduce((sum, { where }) => sum + conditionSize(where), 0)
}

/**
 * One pass over all records, one more for each array whose elements are measured or counted, apart on PostgreSQL, and one
 * if distinct records are measured by elements. `mayCount`: whether materialized counts may be the groups.
 */
export function readingSize(
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
  const grouping = isCounted && countsBelow(table, key) !== undefined ? weights.lookup : weights.scan
  const isOfNames = groupedNames(keys, plan) !== null
  const pass = (all: readonly GroupKey[]): number => grouping + where + keysSize(all, isOfNames)
  const inside = measured.map(({ of }) => of).filter((of) => elementsOf(of) !== null)
  const isOnePass = keys.length === 0 && measuresElements(keys, measured)
  const byElements = keys.some((key) => elementsOf(key) !== null) && measured.length > inside.length
  const aside = Map.groupBy(inside, elementsOf).values()
  const passes = isOnePass ? [inside] : [[], ...(byElements ? [[]] : []), ...aside]
  const base = passes.reduce((sum, of) => sum + pass([...keys, ...of]), 0)
  return measured.reduce((sum, each) => {
    const { measure, of } = each
    const own = sum + weights[measures[measure].price]
    if (of.leaf.kind === 'element') return own
    return own + (of.leaf.kind === 'array' ? pass([...keys, of]) : keysSize(keysOfMeasure(each)))
  }, base)
}

/** `isOfNames`: whether the values of elements are names that a column has. */
export function keysSize(keys: readonly GroupKey[], isOfNames = false): number {
  const lists = keys.filter(({ leaf }) => leaf.kind === 'array').length
  const names = keys.map(elementsOf).filter((name) => name !== null)
  const objects = new Set(names).size
  const further = (names.length - objects) * weights.compared
  const each = keys.reduce((sum, key) => sum + keySize(key), further)
  const first = objects === 0 ? weights.scan : isOfNames ? weights.words : weights.text
  const multiplied = lists + objects === 0 ? 0 : first * rowsPerArray ** (lists + objects - 1)
  return each + multiplied + Math.max(0, keys.length - 1) * weights.lookup
}

function keySize({ joins, leaf, bucket, interval }: GroupKey): number {
  const long = leaf.kind === 'column' && leaf.column.virtual
  const joined = joins.length + (leaf.kind === 'count' ? 1 : 0)
  const time = bucket === null ? 0 : weights.compared + (bucket.zone === null ? 0 : weights.lookup)
  return joined * weights.join + (long ? weights.text : 0) + time + (interval === null ? 0 : weights.lookup)
}
