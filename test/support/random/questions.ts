/** Random orders, pages and groups for a collection, from the kinds of its fields. */
import fc from 'fast-check'
import { type FacetArguments, facetNames } from '../../reference/groups/facets.ts'
import type { Where } from '../../reference/matches.ts'
import { type Place, placesOf } from '../../reference/places.ts'
import type { Reference } from '../../reference/reference.ts'
import type { SortField } from '../../reference/order.ts'
import { buckets, timeParts } from '../../../src/schema/model/operators.ts'
import { enumNames } from './enums.ts'

export type Direction = NonNullable<SortField['direction']>
export type Nulls = NonNullable<SortField['nulls']>

export function sortFields(reference: Reference, collection: string): string[] {
  const own = placesIn(reference, collection).filter(
    ({ kind, array }) =>
      array === null &&
      (['integer', 'boolean', 'datetime'].includes(kind.kind) ||
        (kind.kind === 'string' && kind.sortable) ||
        (kind.kind === 'reference' && kind.link === 'atUri')),
  )
  const counts = countNames(reference, collection)
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

function countNames(reference: Reference, collection: string): string[] {
  return reference
    .referredBy(collection)
    .filter((held) => held.kind.target === collection)
    .map((held) => `${held.viaField}_count`)
}

/** What measures of integers are of. */
export function integerNames(reference: Reference, collection: string): string[] {
  return [...fieldsOfKind(reference, collection, ['integer']), ...countNames(reference, collection)]
}

function placesIn({ shapes }: Reference, collection: string): readonly Place[] {
  const shape = shapes.get(collection)
  return shape === undefined ? [] : placesOf(shape)
}

export function sorts(reference: Reference, collection: string): fc.Arbitrary<SortField[]> {
  const field = fc.constantFrom(...sortFields(reference, collection))
  const direction = fc.constantFrom(...enumNames<Direction>('SortDirection'))
  const nulls = fc.constantFrom(...enumNames<Nulls>('NullsPlace'))
  const sort: fc.Arbitrary<SortField> = fc.record({ field, direction, nulls }, { requiredKeys: ['field'] })
  return fc.uniqueArray(sort, { maxLength: 5, selector: ({ field }) => field })
}

export function distinctFields(reference: Reference, collection: string): string[] {
  const places = placesIn(reference, collection).filter(
    ({ array, kind }) => array === null && kind.kind === 'reference',
  )
  return [...sortFields(reference, collection), ...places.map(({ name }) => name)]
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
    fc.constantFrom(...distinctFields(reference, collection)),
    fc.constantFrom('did', ...names, ...often.map(({ name }) => name)),
  )
  return fc.oneof(
    { weight: 3, arbitrary: fc.tuple(field) },
    { weight: 1, arbitrary: fc.uniqueArray(field, { maxLength: 3 }) },
  )
}

/** Integers that any number of records may sum without leaving what JSON numbers hold. */
export function smallIntegers(reference: Reference, collection: string): string[] {
  const own = placesIn(reference, collection).filter(
    ({ kind }) => kind.kind === 'integer' && kind.bits === 32,
  )
  return [...own.map((field) => field.name), ...countNames(reference, collection)]
}

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
export function integralNames(reference: Reference, collection: string): string[] {
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

/** Names of time buckets. */
export function isBucketName(name: string): boolean {
  return buckets.some((bucket) => name.endsWith(`_${bucket}`))
}

/** Names of time buckets and parts of times. */
export function isTimeName(name: string): boolean {
  return isBucketName(name) || timeParts.some((part) => name.endsWith(`_${part}`))
}
