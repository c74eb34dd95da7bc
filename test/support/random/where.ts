/** Random conditions over a corpus, from the kinds of fields; most arguments are values that occur. */
import fc from 'fast-check'
import { stringFormat } from '../../../src/schema/model/string-formats.ts'
import {
  operatorsOn,
  type OperatorTarget,
  type WhereOperator,
} from '../../../src/schema/model/where-operators.ts'
import { freeTextPaths, textsIn, type Where } from '../../reference/matches.ts'
import type { Reference } from '../../reference/reference.ts'
import type { Field, Json, Kind, ReferenceKind } from '../../reference/shapes.ts'
import { fold } from '../../reference/values.ts'
import { recordsOf, systemInstants, systemStrings } from '../../reference/dataset.ts'
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

/** The keys that conditions on a record of this collection may have. */
export function whereKeys(reference: Reference, collection: string): string[] {
  const place = placeOf(reference, collection)
  return [...connectives(() => fc.constant({}), 1), ...fieldEntries(reference, place, 1)].map(([key]) => key)
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
    // Numbers that are kept as text are not compared by their order.
    if (/^(latitude|longitude)$/.test(field.name)) return []
    if (!hasConditions(field.kind) || (depth <= 0 && isNested(field.kind))) return []
    return [[field.name, () => condition(reference, field.kind, present, depth, place.collection !== null)]]
  })
  if (place.collection === null) return own
  const system = systemStrings.map((name): Entry => {
    const present = place.samples.map((sample) => sample[name]).filter((value) => value !== undefined)
    return [name, () => stringCondition('string', present)]
  })
  const instants = place.samples.map((sample) => new Date(Number(sample.indexedAt / 1000n)).toISOString())
  const reverses = depth <= 0 ? [] : reverseEntries(reference, place.collection, depth)
  return [
    ...own,
    ...system,
    ...systemInstants.map((name): Entry => [name, () => comparison('datetime', instants, datetimeArguments)]),
    ...reverses,
    ...reverses,
  ]
}

function hasConditions(kind: Kind): boolean {
  if (kind.kind === 'array') return ['string', 'integer', 'object', 'reference'].includes(kind.of.kind)
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
      const where = () => wheres(reference, held.collection, Math.min(depth - 1, 1))
      const number = () => comparison('integer', [0, 1, 2, 3], integers(-(2 ** 31), 2 ** 31 - 1))
      return [held.viaField, () => entries(operatorEntries(['reverse'], { where, number }))]
    })
}

/** Arbitraries for arguments of operators, by what the program's table says of them. */
interface Arguments {
  readonly value?: () => fc.Arbitrary<Json>
  readonly where?: () => fc.Arbitrary<Where>
  readonly number?: () => fc.Arbitrary<Json>
  readonly needle?: () => fc.Arbitrary<string>
  readonly url?: () => fc.Arbitrary<string>
  readonly words?: () => fc.Arbitrary<string>
}

/** Drawn more often, because they find records in more ways than others. */
const weights: Readonly<Record<string, number>> = { contains: 2, sameUrl: 3, some: 3 }

/** An entry for every operator that the program has there, so that a new one is drawn at once. */
function operatorEntries(targets: readonly OperatorTarget[], given: Arguments): Entry[] {
  return operatorsOn(...targets).flatMap(([name, operator]): Entry[] => {
    const drawn = argumentOf(operator, given)
    if (drawn === undefined) throw new Error(`Nothing draws arguments of ${name} on ${targets}.`)
    return Array.from({ length: weights[name] ?? 1 }, (): Entry => [name, drawn])
  })
}

function argumentOf(
  { value: kind, condition }: WhereOperator,
  { value, where, number, needle, url, words }: Arguments,
): (() => fc.Arbitrary<Json>) | undefined {
  switch (kind) {
    case 'flag':
      return fc.boolean
    case 'value':
      return value
    case 'list':
      return value && (() => fc.array(value(), { maxLength: 3 }))
    case 'where':
      return where
    case 'number':
      return number
    case 'text':
      return { text: needle, url, words }[condition as string]
  }
}

function condition(
  reference: Reference,
  kind: Kind,
  present: readonly Json[],
  depth: number,
  isRecord = false,
): fc.Arbitrary<Json> {
  switch (kind.kind) {
    case 'string': {
      const words = isRecord && isFreeText(kind.lexicon) && present.length > 0
      return stringCondition(
        stringFormat(kind.lexicon.format ?? null).filter,
        present,
        words ? () => searches(present, []) : undefined,
      )
    }
    case 'integer': {
      const limit = kind.bits === 32 ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER
      return comparison('integer', present, integers(-limit, limit))
    }
    case 'datetime':
      return comparison('datetime', present, datetimeArguments)
    case 'boolean':
      return entries(operatorEntries(['boolean'], { value: fc.boolean }))
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
    const texts = elements.flatMap((element) => textsIn(of, element))
    const hasTexts = freeTextPaths(of).length > 0
    const needle = () => needles(texts)
    return entries(operatorEntries(hasTexts ? ['elements', 'texts'] : ['elements'], { where: inner, needle }))
  }
  if (of.kind === 'reference' && of.link === 'strongRef')
    return entries(
      operatorEntries(['elements'], { where: () => referenceCondition(reference, of, elements, depth - 1) }),
    )
  const one =
    of.kind === 'integer' ? integers(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) : texts(640, 64)
  const value = () => among(elements, one)
  if (of.kind === 'integer') return entries(operatorEntries(['array'], { value }))
  return entries(operatorEntries(['array', 'texts'], { value, needle: () => needles(elements) }))
}

function stringCondition(
  target: 'string' | 'url' | 'uri',
  present: readonly string[],
  words?: () => fc.Arbitrary<string>,
): fc.Arbitrary<Json> {
  const value = () => among(present, texts(200, 50))
  const needle = () => needles([...present, ...present.map(fold)])
  return entries(
    operatorEntries(words === undefined ? [target] : [target, 'searched'], {
      value,
      needle,
      url: () => writtenUrls(present),
      ...(words && { words }),
    }),
  )
}

function comparison(
  target: 'integer' | 'datetime',
  present: readonly Json[],
  anything: fc.Arbitrary<Json>,
): fc.Arbitrary<Json> {
  return entries(operatorEntries([target], { value: () => among(present, anything) }))
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
  const own: Entry[] = [['uri', () => stringCondition('uri', uris)], ...operatorEntries([kind.link], {})]
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
