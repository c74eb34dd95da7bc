/** Random orders, pages and groups for a collection, from the kinds of its fields. */
import fc from 'fast-check'
import { type FacetArguments, facetNames } from '../../reference/groups/facets.ts'
import type { Where } from '../../reference/matches.ts'
import { type Place, placesOf } from '../../reference/places.ts'
import type { AggregateArguments, Reference } from '../../reference/reference.ts'
import type { SortField } from '../../reference/order.ts'
import type { GroupCondition } from '../../reference/groups/having.ts'
import { type Measured, valueOf } from '../../reference/groups/measures.ts'
import { parseInstant, printInstant } from '../../reference/values.ts'
import { weekdays } from '../../reference/zones.ts'
import { datetimesOfChanges, timeZones } from './values/time-zones.ts'
import { wheres } from './where.ts'

export function sortFields(reference: Reference, collection: string): string[] {
  const own = placesIn(reference, collection).filter(
    ({ kind, array }) =>
      array === null &&
      (['integer', 'boolean', 'datetime'].includes(kind.kind) || (kind.kind === 'string' && kind.sortable)),
  )
  const counts = reference
    .referredBy(collection)
    .filter((held) => held.kind.target === collection)
    .map((held) => `${held.viaField}_count`)
  return [
    'uri',
    'did',
    'rkey',
    'indexedAt',
    'changedAt',
    ...own.map((field) => field.name),
    ...counts,
    ...counts,
  ]
}

function placesIn({ shapes }: Reference, collection: string): readonly Place[] {
  const shape = shapes.get(collection)
  return shape === undefined ? [] : placesOf(shape)
}

export function sorts(reference: Reference, collection: string): fc.Arbitrary<SortField[]> {
  const field = fc.constantFrom(...sortFields(reference, collection))
  const direction = fc.constantFrom('ASC' as const, 'DESC' as const, undefined)
  return fc.uniqueArray(
    fc
      .record({ field, direction })
      .map(({ field, direction }): SortField => (direction === undefined ? { field } : { field, direction })),
    { maxLength: 5, selector: (sort) => sort.field },
  )
}

/** Few fields, in which records often have the same values. */
export function distincts(reference: Reference, collection: string): fc.Arbitrary<string[]> {
  const places = placesIn(reference, collection).filter(({ array }) => array === null)
  const references = places.filter(({ kind }) => kind.kind === 'reference')
  const names = references.map(({ name }) => name)
  const often = places.filter(
    ({ kind }) => kind.kind === 'boolean' || (kind.kind === 'string' && kind.sortable),
  )
  const field = fc.oneof(
    fc.constantFrom(...sortFields(reference, collection), ...names),
    fc.constantFrom('did', ...names, ...often.map(({ name }) => name)),
  )
  return fc.oneof(
    { weight: 3, arbitrary: fc.tuple(field) },
    { weight: 1, arbitrary: fc.uniqueArray(field, { maxLength: 3 }) },
  )
}

/** Integers that any number of records may sum without leaving what JSON numbers hold. */
export function smallIntegers(reference: Reference, collection: string): string[] {
  return placesIn(reference, collection)
    .filter(({ kind }) => kind.kind === 'integer' && kind.bits === 32)
    .map((field) => field.name)
}

/** Numbers from 0 to 1 with at most six decimals, written without an exponent. */
export const percentiles = fc.oneof(
  fc.constantFrom(0, 1, 0.5, 0.25, 0.9, 0.07, 0.35, 0.999999, 0.3),
  fc.integer({ min: 1, max: 100 }).map((n) => n / 100),
  fc.integer({ min: 10, max: 1_000_000 }).map((n) => n / 1_000_000),
)

export function fieldsOfKind(reference: Reference, collection: string, kinds: readonly string[]): string[] {
  return placesIn(reference, collection)
    .filter(({ kind }) => kinds.includes(kind.kind))
    .map((field) => field.name)
}

/** Joined system-like names are left out; everything else that can be grouped by is drawn. */
export function groupNames(reference: Reference, collection: string): string[] {
  return reference
    .groupFields(collection)
    .map((field) => field.name)
    .filter((name) => !name.includes('_record_'))
}

/** Arrays of strings of the collection itself. */
export function arrayNames(reference: Reference, collection: string): string[] {
  const names = groupNames(reference, collection)
  return fieldsOfKind(reference, collection, ['array']).filter((name) => names.includes(name))
}

/** Those that records have integers in, parts of time among them. */
function integralNames(reference: Reference, collection: string): string[] {
  const records = reference.records.filter((record) => record.collection === collection)
  return reference
    .groupFields(collection)
    .filter(
      ({ name, keysOf }) =>
        !name.includes('_record_') &&
        records.some((record) => keysOf(record).some((key) => typeof key === 'number')),
    )
    .map(({ name }) => name)
}

/** Facets of a list; where it has a `where`, mostly of fields that this is about. */
export function facets(
  reference: Reference,
  collection: string,
  where: Where = {},
): fc.Arbitrary<FacetArguments> {
  const names = facetNames(reference.groupFields(collection)).filter((name) => !name.includes('_record_'))
  const paths = Object.entries(where).flatMap(([key, inner]) => [
    key,
    ...Object.keys(inner ?? {}).map((name) => `${key}_${name}`),
  ])
  const own = names.filter((name) => paths.includes(name))
  const name = fc.oneof(
    fc.constantFrom(...names),
    fc.constantFrom(...fieldsOfKind(reference, collection, ['array', 'boolean', 'reference'])),
    fc.constantFrom(...(own.length === 0 ? names : own)),
  )
  return fc.record(
    {
      fields: fc.uniqueArray(
        name.filter((one) => names.includes(one)),
        { maxLength: 4 },
      ),
      limit: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(100)),
      ignoreOwn: fc.boolean(),
    },
    { requiredKeys: ['fields'] },
  )
}

/** A denominator for a `where`: none, everything, other records, or records of which the `where` is a part or a whole. */
function divisors(
  reference: Reference,
  collection: string,
): fc.Arbitrary<(where: Where) => { readonly denominator?: Where }> {
  const other = fc.oneof(wheres(reference, collection, 1), wheres(reference, collection, 2))
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(() => ({})) },
    { weight: 2, arbitrary: fc.constant(() => ({ denominator: {} })) },
    { weight: 2, arbitrary: other.map((denominator) => () => ({ denominator })) },
    { weight: 1, arbitrary: fc.constant((where: Where) => ({ denominator: where })) },
    { weight: 1, arbitrary: other.map((more) => (where: Where) => ({ denominator: { ...where, ...more } })) },
    {
      weight: 1,
      arbitrary: fc.nat(3).map((place) => (where: Where) => ({
        denominator: Object.fromEntries(Object.entries(where).filter((_, index) => index !== place)),
      })),
    },
  )
}

/** Without a denominator there are no shares to compare or to rank by. */
export function withoutShares(given: AggregateArguments): AggregateArguments {
  const { rankBy, having, ...others } = given
  const conditions = having?.filter(({ measure }) => measure !== 'SHARE') ?? []
  return {
    ...others,
    ...(rankBy !== undefined && rankBy.measure !== 'SHARE' && { rankBy }),
    ...(conditions.length > 0 && { having: conditions }),
  }
}

/** What `rankBy` and `having` may name; `name`: a field that is grouped by. */
function measuredValues(
  reference: Reference,
  collection: string,
  name: fc.Arbitrary<string>,
): fc.Arbitrary<Measured> {
  const integers = fieldsOfKind(reference, collection, ['integer'])
  const ordered = fieldsOfKind(reference, collection, ['integer', 'datetime'])
  const ofIntegers = (field: fc.Arbitrary<string>): fc.Arbitrary<Measured>[] => [
    fc.record({
      measure: fc.constantFrom('AVG' as const, 'SUM' as const, 'MEDIAN' as const, 'STDDEV' as const),
      field,
    }),
    fc.record({ measure: fc.constant('PERCENTILE' as const), field, p: percentiles }),
  ]
  return fc.oneof(
    fc.constantFrom({ measure: 'COUNT' as const }, { measure: 'SHARE' as const }),
    ...(integers.length === 0 ? [] : ofIntegers(fc.constantFrom(...integers))),
    fc.record({
      measure: fc.constantFrom('MIN' as const, 'MAX' as const),
      field: fc.constantFrom(...ordered),
    }),
    fc.record({ measure: fc.constant('COUNT_DISTINCT' as const), field: name }),
  )
}

/** What running figures may be of: numbers, and sums only of small integers. */
export function runningValues(reference: Reference, collection: string): fc.Arbitrary<Measured> {
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
  return fc.oneof(fc.constantFrom({ measure: 'COUNT' as const }, { measure: 'SHARE' as const }), numbers)
}

/** Conditions on groups, mostly with values that some group may have. */
function conditions(
  reference: Reference,
  collection: string,
  measured: fc.Arbitrary<Measured>,
): fc.Arbitrary<GroupCondition> {
  const records = reference.records.filter((record) => record.collection === collection)
  const datetimes = fieldsOfKind(reference, collection, ['datetime'])
  const operator = fc.constantFrom('GT', 'GTE', 'LT', 'LTE', 'EQ', 'NE')
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
        record === undefined ? undefined : valueOf(reference, collection, { members: [record], share: 1 }, of)
      const value = isMoment
        ? printInstant(typeof own === 'bigint' ? own : (record?.indexedAt ?? 0n))
        : choice === 0 && own !== undefined && of.measure !== 'COUNT'
          ? Number(own)
          : number
      return { ...of, operator: by, value } as GroupCondition
    })
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
  const direction = fc.constantFrom('ASC' as const, 'DESC' as const)
  const rankBy = fc.tuple(measured, direction).map(([one, way]) => ({ ...one, direction: way }))
  const order = fc.oneof(
    fc.constant({}),
    fc.record({
      orderBy: fc.constantFrom(
        'COUNT_DESC' as const,
        'COUNT_ASC' as const,
        'KEY_ASC' as const,
        'KEY_DESC' as const,
      ),
    }),
    fc.record({ rankBy }),
  )
  const rest = fc.record(
    {
      where: wheres(reference, collection, 2),
      groupBy: fc.oneof(
        { weight: 5, arbitrary: fc.uniqueArray(name, { minLength: 1, maxLength: 2 }) },
        { weight: 1, arbitrary: fc.uniqueArray(name, { maxLength: 5 }) },
      ),
      interval: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(100, 2 ** 31 - 1)),
      minCount: fc.integer({ min: 1, max: 4 }),
      timeZone: fc.constantFrom(...timeZones),
      weekStart: fc.constantFrom(...weekdays),
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
  const significant = fc.record({
    against: fc.oneof(fc.constant({}), wheres(reference, collection, 1), wheres(reference, collection, 2)),
  })
  return fc
    .tuple(
      rest,
      order,
      fc.option(significant, { freq: 2, nil: undefined }),
      divisors(reference, collection),
      having,
    )
    .map(([{ interval, ...others }, by, compared, denominatorOf, shown]) => {
      const hasRanges = interval !== undefined && others.groupBy?.some((one) => integral.has(one))
      const isGrouped = (others.groupBy ?? []).length > 0
      const some = {
        ...others,
        ...(hasRanges && { interval }),
        ...(isGrouped && shown.length > 0 && { having: shown }),
      }
      if (compared !== undefined && isGrouped) return withoutShares({ ...some, significant: compared })
      const divided = { ...some, ...by, ...denominatorOf(some.where ?? {}) }
      return divided.denominator === undefined ? withoutShares(divided) : divided
    })
}

/** Series in time, with each bucket between two moments, and groups that only a denominator has. */
export function filledAggregates(reference: Reference, collection: string): fc.Arbitrary<AggregateArguments> {
  const own = fieldsOfKind(reference, collection, ['datetime']).filter((name) => !name.includes('_'))
  const moments = [...own, 'indexedAt']
  const spans = { hour: 0.2, day: 3, week: 20, month: 60, quarter: 90, year: 90 }
  const unit = fc.constantFrom(...(Object.keys(spans) as (keyof typeof spans)[]))
  const series = fc
    .record({
      field: fc.constantFrom(...moments),
      unit,
      start: fc.constantFrom(...datetimesOfChanges),
      length: fc.double({ min: 0, max: 1, noNaN: true }),
      lower: fc.constantFrom('gte', 'gt'),
      upper: fc.constantFrom('lte', 'lt'),
      place: fc.constantFrom('where', 'where', 'denominator'),
      frame: fc.record(
        { timeZone: fc.constantFrom(...timeZones), weekStart: fc.constantFrom(...weekdays) },
        { requiredKeys: [] },
      ),
    })
    .map(({ field, unit: span, start, length, lower, upper, place, frame }) => {
      const from = parseInstant(start)
      const end = printInstant(from + BigInt(Math.round(length * spans[span] * 86_400)) * 1_000_000n)
      const bounds = { [field]: { [lower]: start, [upper]: end } }
      return { ...frame, groupBy: [`${field}_${span}`], [place]: bounds }
    })
  const plain = fc.record({
    groupBy: fc
      .constantFrom(...groupNames(reference, collection).filter((name) => !isBucketName(name)))
      .map((name) => [name]),
    denominator: fc.oneof(fc.constant({}), wheres(reference, collection, 1)),
    where: wheres(reference, collection, 1),
  })
  const rest = fc.record(
    {
      orderBy: fc.constantFrom('COUNT_DESC' as const, 'COUNT_ASC' as const, 'KEY_DESC' as const),
      minCount: fc.integer({ min: 0, max: 2 }),
      limit: fc.integer({ min: 0, max: 9 }),
    },
    { requiredKeys: [] },
  )
  return fc
    .tuple(fc.oneof({ weight: 2, arbitrary: series }, { weight: 1, arbitrary: plain }), rest)
    .map(([some, others]) => ({ ...some, ...others, fill: true }))
}

/** Names of time buckets. */
export function isBucketName(name: string): boolean {
  return /_(hour|day|week|month|quarter|year)$/.test(name)
}

/** Names of time buckets and parts of times. */
export function isTimeName(name: string): boolean {
  return /_(hour|day|week|month|quarter|year|hourOfDay|weekday)$/.test(name)
}
