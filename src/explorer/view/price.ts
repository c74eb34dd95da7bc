/**
 * An estimate of what the panels of a page cost, in points: the real price is known only to the service. It chooses how
 * many facets a page has by itself. docs/prices.md has the prices.
 */
import type { ShownField } from '../fields/shown-field.ts'
import type { Condition } from './conditions.ts'

export interface Restriction {
  readonly conditions: readonly Condition[]
  /** Whether words are searched. */
  readonly isSearch: boolean
}

const scan = 15
/** Instead, for a single condition that an index answers. */
const indexLookup = 5
const join = 22
const total = 2
/** Besides reading the records once more; an order by relevance costs as much. */
const sort = 15
const search = 6
const didYouMean = 5
const grouping = 16
/** Instead, for groups of all records by a value that is counted as records change. */
const countedGrouping = 5
/** Instead, for a facet that shares the records of another. */
const furtherFacet = 12
const groupJoin = 20
const groupField = 6
const bucket = 8
const groupArray = 15
const groupText = 60
/** The names of the records that a reference refers to. */
const names = 21

/** Of one place that has the conditions. */
function whereCost({ conditions, isSearch }: Restriction): number {
  const [only, ...others] = conditions
  if (only === undefined) return isSearch ? indexLookup + search : 0
  if (others.length === 0 && !isSearch && isLookup(only)) return indexLookup
  const ways = new Set(conditions.flatMap(({ field }) => waysOf(field)))
  return conditions.reduce(
    (sum, condition) => sum + costOf(condition),
    scan + ways.size * join + (isSearch ? search : 0),
  )
}

/** Whether an index of the collection finds the records. */
function isLookup({ field, operator }: Condition): boolean {
  const { type, steps, isArray } = field
  return operator === 'is' && steps.length === 1 && (isArray || isCounted(type) || type.kind === 'integer')
}

/** Types whose values, or references, have materialized counts. */
function isCounted(type: ShownField['type']): boolean {
  return type.kind === 'boolean' || type.kind === 'strongRef' || (type.kind === 'string' && type.categorical)
}

/** References and arrays of objects on the way to a field. */
function waysOf({ steps }: ShownField): readonly string[] {
  return steps.flatMap(({ some, record }, at) =>
    some || record !== null
      ? [
          steps
            .slice(0, at + 1)
            .map(({ name }) => name)
            .join('.'),
        ]
      : [],
  )
}

function costOf({ field, operator }: Condition): number {
  const { type, many, isArray } = field
  if (operator === 'contains' || operator === 'starts')
    return type.kind === 'string' && type.freeText && !many ? 6 : 22
  if (type.kind === 'strongRef') return isArray ? join + 7 : 7
  if (isArray) return 10
  return type.kind === 'atUri' || (type.kind === 'string' && !type.categorical) ? 7 : 1
}

/** A page of records with its total. */
export function listCost(restriction: Restriction, isSorted: boolean): number {
  const where = whereCost(restriction)
  const order = isSorted ? where + sort : 0
  return 1 + total + 2 * where + order + (restriction.isSearch ? didYouMean : 0)
}

export function facetCost(field: ShownField, restriction: Restriction): number {
  const { type, isArray, many } = field
  const isAll = restriction.conditions.length === 0 && !restriction.isSearch
  const isOfCounts = isAll && !isArray && !many && isCounted(type) && joinsOf(field) < 2
  return (isOfCounts ? countedGrouping : grouping) + keyCost(field) + whereCost(restriction)
}

/** Facets share the search for their records, unless one leaves out conditions on its own field. */
export function furtherFacetCost(field: ShownField): number {
  return furtherFacet + keyCost(field)
}

function keyCost(field: ShownField): number {
  const { type, isArray, target, many } = field
  const isText = type.kind === 'string' && type.freeText && !isArray
  return (
    joinsOf(field) * groupJoin +
    (isArray ? groupArray : 0) +
    (many ? groupArray * 3 : 0) +
    (isText ? groupText : 0) +
    (target === null ? 0 : names)
  )
}

function joinsOf({ steps }: ShownField): number {
  return steps.filter(({ record }) => record !== null).length
}

/** Groups by a period of time, and by a field; a thousand groups of three values. */
export function timeCost(field: ShownField | null, restriction: Restriction): number {
  const groups =
    field === null ? grouping + whereCost(restriction) : groupField + facetCost(field, restriction)
  return groups + bucket + 3
}
