/**
 * The values of groups by which these are described, ordered and chosen, one entry each. The GraphQL types and inputs,
 * the compiler, the prices, the agents' tools and the random generators of tests read this table; a new measure needs an
 * entry here, its expression in query/outputs/measures.ts, and its meaning in test/reference/groups/measures.ts.
 */

/** A value that every group has: what it is, and how it is ordered and compared. */
interface GroupMeasure {
  readonly of: 'none'
  readonly result: 'double' | 'integer'
}

interface FieldMeasure {
  /** What it is of: integers, integers and moments, all by which records are grouped, or two times. */
  readonly of: 'integer' | 'ordered' | 'groupable' | 'times'
  /** A double, an integer of at most 53 bits, one for each rank, a sum that may exceed 64 bits, or a value of the field. */
  readonly result: 'double' | 'integer' | 'ranks' | 'sum' | 'value'
  /** The weight in query/price/cost-weights.ts. */
  readonly price: 'lookup' | 'compared' | 'join'
  /** What agents may write, first the word that answers have; ranks are written as p90, times as avg:one..other. */
  readonly words: readonly string[]
  readonly description: string
}

const ofIntegers = { of: 'integer', result: 'double', price: 'lookup' } as const
const collected = { ...ofIntegers, price: 'compared' } as const
const ofTimes = { of: 'times', result: 'double', words: [] } as const
const extreme = { of: 'ordered', result: 'value', price: 'lookup' } as const

export const measures = {
  count: { of: 'none', result: 'integer' },
  share: { of: 'none', result: 'double' },
  total: { of: 'none', result: 'integer' },
  avg: { ...ofIntegers, words: ['avg', 'average', 'mean'], description: 'Means of present values.' },
  sum: { ...ofIntegers, result: 'sum', words: ['sum'], description: 'Sums of present values.' },
  median: {
    ...collected,
    words: ['median'],
    description: 'Medians of present values: the mean of the two middle ones of an even number.',
  },
  stddev: {
    ...collected,
    words: ['stddev', 'std'],
    description: 'Standard deviations of present values, as of a sample; null below two values.',
  },
  percentile: {
    ...collected,
    result: 'ranks',
    words: [],
    description:
      'Present values at the nearest ranks, in the order of `p`: 0 is the smallest value, 1 the largest. Null without values.',
  },
  min: { ...extreme, words: ['min'], description: 'Smallest present values.' },
  max: { ...extreme, words: ['max'], description: 'Largest present values.' },
  avgDuration: {
    ...ofTimes,
    price: 'lookup',
    description: 'The mean of the seconds from one time to another, of records that have both.',
  },
  medianDuration: {
    ...ofTimes,
    price: 'compared',
    description: 'The median of the seconds from one time to another, of records that have both.',
  },
  countDistinct: {
    of: 'groupable',
    result: 'integer',
    price: 'join',
    words: ['distinct', 'countdistinct'],
    description: 'How many different present values there are; of arrays, different elements.',
  },
} as const satisfies Readonly<Record<string, GroupMeasure | FieldMeasure>>

export type MeasureName = keyof typeof measures
export type FieldMeasureName = Exclude<MeasureName, 'count' | 'share' | 'total'>

export const measureNames = Object.keys(measures) as readonly MeasureName[]
export const fieldMeasures = Object.entries(measures).filter(
  ([, { of }]) => of !== 'none',
) as readonly (readonly [FieldMeasureName, FieldMeasure])[]

/** `COUNT_DISTINCT` for `countDistinct`: the name in inputs. */
export function measureConstant(name: MeasureName): string {
  return name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()
}

/** Names that the types of groups have for themselves, every measure among them. Elsewhere fields keep these names. */
const reservedOnGroups: ReadonlySet<string> = new Set([
  ...Object.keys(measures),
  'matching',
  'countShare',
  'cursor',
  'top',
  'nodes',
  'pairs',
  'groupsPageInfo',
  'change',
])

/** The name by which records are grouped by a field; `taken`: the names of all group fields. */
export function groupFieldName(name: string, taken: ReadonlySet<string>): string {
  if (!reservedOnGroups.has(name)) return name
  let free = `record_${name}`
  while (taken.has(free)) free = `${free}_`
  return free
}
