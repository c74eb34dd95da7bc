/** Random arguments of aggregates, from the kinds of a collection's fields. */
import fc from 'fast-check'
import { measureConstant, measureNames, measures } from '../../../src/schema/model/measures.ts'
import { type Bucket, buckets } from '../../../src/schema/model/operators.ts'
import type { GroupCondition } from '../../reference/groups/having.ts'
import { type Measured, valueOf } from '../../reference/groups/measures.ts'
import type { Where } from '../../reference/matches.ts'
import type { AggregateArguments, Reference } from '../../reference/reference.ts'
import { parseInstant, printInstant } from '../../reference/values.ts'
import { enumNames } from './enums.ts'
import {
  arrayNames,
  type Direction,
  fieldsOfKind,
  groupNames,
  integerNames,
  integralNames,
  isBucketName,
  isTimeName,
  type Nulls,
  smallIntegers,
} from './questions.ts'
import { datetimesOfChanges, timeZones } from './values/time-zones.ts'
import { wheres } from './where.ts'

type OrderBy = NonNullable<AggregateArguments['orderBy']>
type Weekday = NonNullable<AggregateArguments['weekStart']>

/** In which zone and weeks times are grouped, if not in UTC and from Monday on. */
export const timeFrames = fc.record(
  {
    timeZone: fc.constantFrom(...timeZones),
    weekStart: fc.constantFrom(...enumNames<Weekday>('Weekday')),
  },
  { requiredKeys: [] },
)

/** Numbers from 0 to 1 with at most six decimals, written without an exponent. */
export const percentiles = fc.oneof(
  fc.constantFrom(0, 1, 0.5, 0.25, 0.9, 0.07, 0.35, 0.999999, 0.3),
  fc.integer({ min: 1, max: 100 }).map((n) => n / 100),
  fc.integer({ min: 10, max: 1_000_000 }).map((n) => n / 1_000_000),
)

/**
 * A numerator for a `where`, or a denominator: none, everything, other records, or records of which the `where` is a part
 * or a whole.
 */
function shareArguments(
  reference: Reference,
  collection: string,
): fc.Arbitrary<(where: Where) => Pick<AggregateArguments, 'denominator' | 'numerator'>> {
  const other = fc.oneof(wheres(reference, collection, 1), wheres(reference, collection, 2))
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(() => ({})) },
    { weight: 2, arbitrary: fc.constant(() => ({ denominator: {} })) },
    { weight: 2, arbitrary: other.map((denominator) => () => ({ denominator })) },
    { weight: 4, arbitrary: other.map((numerator) => () => ({ numerator })) },
    { weight: 1, arbitrary: other.map((more) => (where: Where) => ({ denominator: { ...where, ...more } })) },
    {
      weight: 1,
      arbitrary: fc.nat(3).map((place) => (where: Where) => ({
        denominator: Object.fromEntries(Object.entries(where).filter((_, index) => index !== place)),
      })),
    },
  )
}

/** What groups have only with a denominator or numerator. */
export const ofShares: ReadonlySet<string> = new Set(['SHARE', 'TOTAL'])

/** Without a denominator or numerator there are no shares to compare or to rank by. */
export function possibleShares(
  given: AggregateArguments,
  { denominator, numerator }: AggregateArguments = given,
): AggregateArguments {
  if ((denominator ?? numerator) !== undefined) return given
  const { rankBy, having, ...others } = given
  const conditions = having?.filter(({ measure }) => !ofShares.has(measure)) ?? []
  return {
    ...others,
    ...(rankBy !== undefined && !ofShares.has(rankBy.measure) && { rankBy }),
    ...(conditions.length > 0 && { having: conditions }),
  }
}

/** What `rankBy` and `having` may name; `group`: a field that is grouped by. */
function measuredValues(
  reference: Reference,
  collection: string,
  group: fc.Arbitrary<string>,
): fc.Arbitrary<Measured> {
  const integers = integerNames(reference, collection)
  const time = fc.constantFrom(...reference.timeNames(collection))
  const fields = {
    integer: fc.constantFrom(...integers),
    ordered: fc.constantFrom(...integers, ...fieldsOfKind(reference, collection, ['datetime'])),
    groupable: group,
  }
  return fc.oneof(
    ...measureNames.flatMap((name): fc.Arbitrary<Measured>[] => {
      const { of, result } = measures[name]
      const measure = measureConstant(name)
      if (of === 'none') return [fc.constant({ measure } as Measured)]
      if (of === 'times')
        return [fc.record({ measure: fc.constant(measure), from: time, to: time }) as fc.Arbitrary<Measured>]
      if (of === 'integer' && integers.length === 0) return []
      const p = result === 'ranks' ? percentiles : fc.constant(undefined)
      return [
        fc
          .record({ field: fields[of], p })
          .map(({ field, p }) => ({ measure, field, ...(p !== undefined && { p }) }) as Measured),
      ]
    }),
  )
}

/** What changes may be of: numbers, and sums only of small integers. */
export function changingValues(reference: Reference, collection: string): fc.Arbitrary<Measured> {
  const datetimes = fieldsOfKind(reference, collection, ['datetime'])
  const small = smallIntegers(reference, collection)
  const any = measuredValues(reference, collection, fc.constantFrom(...groupNames(reference, collection)))
  const numbers = any.filter(
    (of) =>
      !('field' in of) ||
      (of.measure === 'SUM'
        ? small.includes(of.field)
        : !((of.measure === 'MIN' || of.measure === 'MAX') && datetimes.includes(of.field))),
  )
  return fc.oneof(
    fc.constantFrom(...(['COUNT', 'SHARE', 'TOTAL'] as const).map((measure) => ({ measure }))),
    numbers,
  )
}

/** Conditions on groups, mostly with values that some group may have. */
function conditions(
  reference: Reference,
  collection: string,
  measured: fc.Arbitrary<Measured>,
): fc.Arbitrary<GroupCondition> {
  const records = reference.records.filter((record) => record.collection === collection)
  const datetimes = fieldsOfKind(reference, collection, ['datetime'])
  const operator = fc.constantFrom(...enumNames('HavingOperator'))
  const numbers = fc.oneof(
    fc.integer({ min: -3, max: 12 }),
    fc.integer({ min: -6, max: 100 }).map((n) => n / 4),
    fc.constantFrom(0.5, 1 / 3, 2.000001, -0.5, 2 ** 53, -(2 ** 54), 1e25, -1e300),
  )
  return fc
    .tuple(measured, operator, numbers, fc.constantFrom(undefined, ...records), fc.nat(2))
    .map(([of, by, number, record, choice]) => {
      const isMoment =
        'field' in of && (of.measure === 'MIN' || of.measure === 'MAX') && datetimes.includes(of.field)
      const own =
        record === undefined
          ? undefined
          : valueOf(reference, collection, { members: [record], share: 1, total: 1 }, of)
      const value = isMoment
        ? printInstant(typeof own === 'bigint' ? own : (record?.indexedAt ?? 0n))
        : choice === 0 && own !== undefined && of.measure !== 'COUNT'
          ? Number(own)
          : number
      return { ...of, operator: by, value } as GroupCondition
    })
}

function orders(
  measured: fc.Arbitrary<Measured>,
): fc.Arbitrary<Pick<AggregateArguments, 'orderBy' | 'rankBy'>> {
  const direction = fc.constantFrom(...enumNames<Direction>('SortDirection'))
  const nulls = fc.option(fc.constantFrom(...enumNames<Nulls>('NullsPlace')), { nil: undefined })
  const rankBy = fc
    .tuple(measured, direction, nulls)
    .map(([one, direction, nulls]) => ({ ...one, direction, ...(nulls && { nulls }) }))
  return fc.oneof(
    fc.constant({}),
    fc.record({ orderBy: fc.constantFrom(...enumNames<OrderBy>('AggregateOrderBy')) }),
    fc.record({ rankBy }),
  )
}

export function aggregates(reference: Reference, collection: string): fc.Arbitrary<AggregateArguments> {
  const names = groupNames(reference, collection)
  const joined = names.filter((name) => name.includes('_'))
  const arrays = arrayNames(reference, collection)
  const integral = new Set(integralNames(reference, collection))
  const times = names.filter((name) => isTimeName(name))
  const name = fc.oneof(
    fc.constantFrom(...names),
    fc.constantFrom(...joined),
    fc.constantFrom(...times),
    fc.constantFrom(...arrays, 'did'),
    fc.constantFrom(...integral, 'did'),
  )
  const measured = measuredValues(reference, collection, name)
  const order = orders(measured)
  const rest = fc.record(
    {
      where: wheres(reference, collection, 2),
      groupBy: fc.oneof(
        { weight: 5, arbitrary: fc.uniqueArray(name, { minLength: 1, maxLength: 2 }) },
        { weight: 1, arbitrary: fc.uniqueArray(name, { maxLength: 5 }) },
      ),
      interval: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(100, 2 ** 31 - 1)),
      limit: fc.oneof(fc.constantFrom(0, 1, 1000), fc.integer({ min: 2, max: 8 })),
    },
    { requiredKeys: [] },
  )
  // Most aggregates have no conditions on groups, which make many too dear to be answered.
  const having = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    {
      weight: 2,
      arbitrary: fc.array(conditions(reference, collection, measured), { minLength: 1, maxLength: 2 }),
    },
  )
  const significant = fc.record(
    {
      against: fc.oneof(fc.constant({}), wheres(reference, collection, 1), wheres(reference, collection, 2)),
      minCount: fc.integer({ min: 1, max: 6 }),
    },
    { requiredKeys: ['against'] },
  )
  return fc
    .tuple(
      rest,
      order,
      fc.option(significant, { freq: 2, nil: undefined }),
      shareArguments(reference, collection),
      having,
      timeFrames,
    )
    .map(([{ interval, ...rest }, by, compared, sharesOf, shown, frame]) => {
      const others = { ...frame, ...rest }
      const hasRanges = interval !== undefined && others.groupBy?.some((one) => integral.has(one))
      const isGrouped = (others.groupBy ?? []).length > 0
      const some = {
        ...others,
        ...(hasRanges && { interval }),
        ...(isGrouped && shown.length > 0 && { having: shown }),
      }
      if (compared !== undefined && isGrouped) return possibleShares({ ...some, significant: compared })
      return possibleShares({ ...some, ...by, ...sharesOf(some.where ?? {}) })
    })
}

/** Series in time, with each bucket between two moments, and groups that only a denominator has. */
export function filledAggregates(reference: Reference, collection: string): fc.Arbitrary<AggregateArguments> {
  const own = fieldsOfKind(reference, collection, ['datetime']).filter((name) => !name.includes('_'))
  const moments = [...own, 'indexedAt']
  const days: Readonly<Record<Bucket, number>> = {
    hour: 0.2,
    day: 3,
    week: 20,
    month: 60,
    quarter: 90,
    year: 90,
  }
  const series = fc
    .record({
      field: fc.constantFrom(...moments),
      unit: fc.constantFrom(...buckets),
      start: fc.constantFrom(...datetimesOfChanges),
      length: fc.double({ min: 0, max: 1, noNaN: true }),
      lower: fc.constantFrom('gte', 'gt'),
      upper: fc.constantFrom('lte', 'lt'),
      place: fc.constantFrom('where', 'where', 'denominator'),
      numerator: wheres(reference, collection, 1),
      frame: timeFrames,
    })
    .map(({ field, unit, start, length, lower, upper, place, numerator, frame }) => {
      const from = parseInstant(start)
      const end = printInstant(from + BigInt(Math.round(length * days[unit] * 86_400)) * 1_000_000n)
      const bounds = { [field]: { [lower]: start, [upper]: end } }
      return {
        ...frame,
        groupBy: [`${field}_${unit}`],
        [place]: bounds,
        ...(place === 'where' && { numerator }),
      }
    })
  const plain = fc.record({
    groupBy: fc
      .constantFrom(...groupNames(reference, collection).filter((name) => !isBucketName(name)))
      .map((name) => [name]),
    denominator: fc.oneof(fc.constant({}), wheres(reference, collection, 1)),
    where: wheres(reference, collection, 1),
  })
  const measured = measuredValues(
    reference,
    collection,
    fc.constantFrom(...groupNames(reference, collection)),
  )
  const rest = fc.record(
    {
      having: fc.tuple(conditions(reference, collection, measured)),
      limit: fc.integer({ min: 0, max: 9 }),
    },
    { requiredKeys: [] },
  )
  return fc
    .tuple(
      fc.oneof({ weight: 2, arbitrary: series }, { weight: 1, arbitrary: plain }),
      orders(measured),
      rest,
    )
    .map(([some, order, others]) => {
      return possibleShares({ ...some, ...order, ...others, fill: true })
    })
}
