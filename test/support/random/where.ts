/** Random conditions over a corpus, from the kinds of fields; most arguments are values that occur. */
import fc from 'fast-check'
import type { Where } from '../../reference/matches.ts'
import type { Reference } from '../../reference/reference.ts'
import type { Field, Json, Kind, ReferenceKind } from '../../reference/shapes.ts'
import { fold } from '../../reference/values.ts'
import { recordsOf } from '../../reference/world.ts'
import { onceFor } from './once.ts'
import { isFreeText } from '../../reference/words/search.ts'
import { searches } from './searches.ts'
import { writtenUrls } from './values/urls.ts'
import { datetimeArguments, integers, needles, texts } from './values/scalars.ts'

/** What a condition is drawn for: the fields in reach, and objects that have values there. */
interface Place {
  readonly fields: readonly Field[]
  readonly samples: readonly Json[]
  /** Set where a whole record is meant: its system and reverse fields are in reach too. */
  readonly collection: string | null
}

/** Conditions on a collection's records, nested up to `depth` levels. */
export function wheres(reference: Reference, collection: string, depth = 4): fc.Arbitrary<Where> {
  return onceFor(
    () => conditions(reference, placeOf(reference, collection), depth),
    reference,
    'where',
    collection,
    depth,
  )
}

function placeOf(reference: Reference, collection: string): Place {
  return onceFor(() => newPlace(reference, collection), reference, 'place', collection)
}

function newPlace(reference: Reference, collection: string): Place {
  const samples = recordsOf(reference, collection).map(({ value, ...system }) => ({ ...value, ...system }))
  return { fields: reference.shapes.get(collection)?.fields ?? [], samples, collection }
}

function conditions(
  reference: Reference,
  place: Place,
  depth: number,
  own: readonly Entry[] = [],
): fc.Arbitrary<Where> {
  return entries([
    ...own,
    ...connectives(() => conditions(reference, place, depth - 1, own), depth),
    ...fieldEntries(reference, place, depth),
  ])
}

/** A key that a condition may have, and what may stand behind it. */
type Entry = readonly [key: string, value: () => fc.Arbitrary<Json>]

/** A few of the possible keys, once each. Whatever they are about is drawn only when they are chosen. */
function entries(possible: readonly Entry[]): fc.Arbitrary<Where> {
  if (possible.length === 0) return fc.constant({})
  const one = fc
    .constantFrom(...possible)
    .chain(([key, value]) => value().map((given) => [key, given] as const))
  return fc
    .oneof(
      { weight: 6, arbitrary: fc.tuple(one) },
      { weight: 3, arbitrary: fc.tuple(one, one) },
      { weight: 1, arbitrary: fc.constant([]) },
    )
    .map((pairs) => Object.fromEntries(pairs))
}

/** Often enough that they do not drown among the fields. */
function connectives(inner: () => fc.Arbitrary<Where>, depth: number): Entry[] {
  if (depth <= 0) return []
  const list = () => fc.array(inner(), { maxLength: 3 })
  const three: Entry[] = [
    ['AND', list],
    ['OR', list],
    ['NOT', inner],
  ]
  return [...three, ...three, ...three]
}

function fieldEntries(reference: Reference, place: Place, depth: number): Entry[] {
  const own = place.fields.flatMap((field): Entry[] => {
    const present = place.samples
      .map((sample) => sample[field.property])
      .filter((value) => value !== undefined && value !== null)
    if (!hasConditions(field.kind) || (depth <= 0 && isNested(field.kind))) return []
    return [[field.name, () => condition(reference, field.kind, present, depth, place.collection !== null)]]
  })
  if (place.collection === null) return own
  const system = ['uri', 'cid', 'rev', 'did', 'rkey', 'collection'].map((name): Entry => {
    const present = place.samples.map((sample) => sample[name]).filter((value) => value !== undefined)
    return [
      name,
      () =>
        stringCondition(present, [
          'eq',
          'ne',
          'in',
          'notIn',
          'gt',
          'gte',
          'lt',
          'lte',
          'contains',
          'startsWith',
          'isNull',
        ]),
    ]
  })
  const instants = place.samples.map((sample) => new Date(Number(sample.indexedAt / 1000n)).toISOString())
  const reverses = depth <= 0 ? [] : reverseEntries(reference, place.collection, depth)
  return [
    ...own,
    ...system,
    ['indexedAt', () => comparison(instants, datetimeArguments)],
    ['changedAt', () => comparison(instants, datetimeArguments)],
    ...reverses,
    ...reverses,
  ]
}

function hasConditions(kind: Kind): boolean {
  if (kind.kind === 'array') return ['string', 'integer', 'object'].includes(kind.of.kind)
  return ['string', 'integer', 'boolean', 'datetime', 'reference', 'object'].includes(kind.kind)
}

function isNested(kind: Kind): boolean {
  return kind.kind === 'object' || (kind.kind === 'array' && kind.of.kind === 'object')
}

function reverseEntries(reference: Reference, collection: string, depth: number): Entry[] {
  return reference
    .referredBy(collection)
    .filter((held) => held.kind.target === collection)
    .map((held): Entry => {
      const inner = () => wheres(reference, held.collection, Math.min(depth - 1, 1))
      return [
        held.viaField,
        () =>
          entries([
            ['some', inner],
            ['none', inner],
            ['count', () => comparison([0, 1, 2, 3], integers(-(2 ** 31), 2 ** 31 - 1))],
          ]),
      ]
    })
}

const ordinary = [
  'eq',
  'ne',
  'in',
  'notIn',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'contains',
  'startsWith',
  'isNull',
]

function condition(
  reference: Reference,
  kind: Kind,
  present: readonly Json[],
  depth: number,
  isRecord = false,
): fc.Arbitrary<Json> {
  switch (kind.kind) {
    case 'string':
      if (isRecord && isFreeText(kind.lexicon) && present.length > 0)
        return fc.oneof(
          { weight: 1, arbitrary: searches(present, []).map((matches) => ({ matches })) },
          { weight: 3, arbitrary: stringCondition(present, ordinary) },
        )
      if (kind.lexicon.format === 'uri')
        return stringCondition(present, [...ordinary, 'sameUrl', 'sameUrl', 'sameUrl'])
      return stringCondition(present, ordinary)
    case 'integer': {
      const limit = kind.bits === 32 ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER
      return comparison(present, integers(-limit, limit))
    }
    case 'datetime':
      return comparison(present, datetimeArguments)
    case 'boolean':
      return entries([
        ['eq', fc.boolean],
        ['ne', fc.boolean],
        ['isNull', fc.boolean],
      ])
    case 'reference':
      return referenceCondition(reference, kind, present, depth)
    case 'object':
      return conditions(reference, { fields: kind.fields(), samples: present, collection: null }, depth - 1, [
        ['isNull', fc.boolean],
      ])
    case 'array':
      return arrayCondition(reference, kind.of, present.flat(), depth)
    default:
      throw new Error(`A ${kind.kind} has no conditions.`)
  }
}

function arrayCondition(
  reference: Reference,
  of: Kind,
  elements: readonly Json[],
  depth: number,
): fc.Arbitrary<Json> {
  if (of.kind === 'object') {
    const inner = () =>
      conditions(reference, { fields: of.fields(), samples: elements, collection: null }, depth - 1)
    return entries([
      ['some', inner],
      ['some', inner],
      ['some', inner],
      ['isNull', fc.boolean],
    ])
  }
  const one =
    of.kind === 'integer' ? integers(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) : texts(640, 64)
  const element = () => among(elements, one)
  const list = () => fc.array(element(), { maxLength: 3 })
  return entries([
    ['has', element],
    ['hasAny', list],
    ['hasAll', list],
    ['isNull', fc.boolean],
  ])
}

function stringCondition(present: readonly string[], operators: readonly string[]): fc.Arbitrary<Json> {
  const value = () => among(present, texts(200, 50))
  const needle = () => needles([...present, ...present.map(fold)])
  return entries(
    operators.map((operator): Entry => {
      if (operator === 'isNull') return [operator, fc.boolean]
      if (operator === 'in' || operator === 'notIn')
        return [operator, () => fc.array(value(), { maxLength: 3 })]
      if (operator === 'sameUrl') return [operator, () => writtenUrls(present)]
      return [operator, operator === 'contains' || operator === 'startsWith' ? needle : value]
    }),
  )
}

function comparison(present: readonly Json[], anything: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const value = () => among(present, anything)
  const list = () => fc.array(value(), { maxLength: 3 })
  const ordering = (['eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const).map(
    (operator): Entry => [operator, value],
  )
  return entries([...ordering, ['in', list], ['notIn', list], ['isNull', fc.boolean]])
}

function among<T>(present: readonly T[], anything: fc.Arbitrary<T>): fc.Arbitrary<T> {
  if (present.length === 0) return anything
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...present) }, { weight: 1, arbitrary: anything })
}

function referenceCondition(
  reference: Reference,
  kind: ReferenceKind,
  present: readonly Json[],
  depth: number,
): fc.Arbitrary<Where> {
  const uris = present.map((value) => (typeof value === 'string' ? value : value.uri))
  const own: Entry[] = [
    ['uri', () => stringCondition(uris, ['eq', 'ne', 'in', 'notIn', 'isNull'])],
    ['isNull', fc.boolean],
    ['isIndexed', fc.boolean],
    ...(kind.link === 'strongRef' ? [['isCurrent', fc.boolean] as const] : []),
  ]
  if (depth <= 0) return entries(own)
  if (kind.asked === null) {
    return entries([
      ...own,
      ...connectives(() => referenceCondition(reference, kind, present, depth - 1), depth - 1),
    ])
  }
  // The target's own `uri` is out of reach: there, it speaks of the reference.
  const target = placeOf(reference, kind.asked)
  const inner = (left: number): fc.Arbitrary<Where> =>
    entries([
      ...own,
      ...connectives(() => inner(left - 1), left),
      ...fieldEntries(reference, target, left).filter(([key]) => key !== 'uri'),
    ])
  return inner(depth - 1)
}
