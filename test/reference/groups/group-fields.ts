/** What a collection can be grouped by, and the keys of its records. */
import { measureNames } from '../../../src/schema/model/measures.ts'
import { declaredTarget } from '../matches.ts'
import { type Element, type ElementArray, elementKey, elementsIn } from '../elements.ts'
import { arrayAround, type Place, placesOf, readPath } from '../places.ts'
import type { Shape } from '../shapes.ts'
import { type Bucket, buckets, type Key, printBucket, printInstant, hourOfDay, weekday } from '../values.ts'
import { firstMoment, localTime, printLocal } from '../zones.ts'
import {
  linkOf,
  type PlainRecord,
  readField,
  recordSubject,
  scalarKey,
  shapeOf,
  type Dataset,
} from '../dataset.ts'

export interface GroupField {
  readonly name: string
  /** What clients see: a string, a number, a boolean, a printed instant. */
  readonly prints: 'plain' | 'instant' | 'part of time' | Bucket
  /** Of the label; none without an argument `timeZone`. */
  readonly timeZone?: string | undefined
  /** The keys of a `where` that lead to conditions on it. */
  readonly path: readonly string[]
  readonly isReference: boolean
  /** Whether durations are measured from and to it, but records are not grouped by it. */
  readonly isTime?: true
  /** The distinct keys a record has here; a missing value is the one key `undefined`. */
  readonly keysOf: (record: PlainRecord) => readonly Key[]
  /** The array of objects that it is inside of, and its key in an element, or without one. */
  readonly through: {
    readonly array: ElementArray
    readonly keyOf: (element: Element | undefined) => Key
  } | null
}

/** Everything a collection can be grouped by; joined fields pass at most two references, no collection twice. */
export function groupFields(data: Dataset, collection: string): GroupField[] {
  return allFields(data, collection)
    .filter(({ isTime }) => isTime !== true)
    .map((field) => (namesOfGroups.includes(field.name) ? { ...field, name: `record_${field.name}` } : field))
}

/** The times from and to which durations are measured. */
export function momentFields(data: Dataset, collection: string): GroupField[] {
  return allFields(data, collection).filter(({ isTime, name }) => isTime === true || name === 'indexedAt')
}

function allFields(data: Dataset, collection: string): GroupField[] {
  const system: GroupField[] = [
    { ...plain('did'), keysOf: (record) => [record.did] },
    { ...plain('collection'), keysOf: (record) => [record.collection] },
    { ...plain('indexedAt'), prints: 'instant', keysOf: (record) => [record.indexedAt] },
    ...bucketFields(data, 'indexedAt', (record) => record.indexedAt),
  ]
  return [...system, ...ownAndJoined(data, shapeOf(data, collection), [collection])]
}

/** Groups have fields of these names themselves; records are grouped by `record_<name>`. */
const namesOfGroups: readonly string[] = [
  ...measureNames,
  ...`total matching countShare cursor top nodes pairs groupsPageInfo change`.split(' '),
]

function plain(name: string) {
  return { name, prints: 'plain', path: [name], isReference: false, through: null } as const
}

/** Where two fields would have the same name, one of the record itself counts, otherwise the first. */
function ownAndJoined(data: Dataset, shape: Shape, passed: readonly string[]): GroupField[] {
  const own = placesOf(shape).flatMap((place) => ownGroupFields(data, place))
  const joined = shape.fields.flatMap(({ name, kind }) => {
    if (kind.kind !== 'reference' || passed.length > 2) return []
    const { target } = kind
    if (target === null || !data.shapes.has(target) || passed.includes(target)) return []
    const follow = (record: PlainRecord) => {
      const { value } = readField(recordSubject(data, record), name)
      return value === undefined ? null : declaredTarget(data, kind, linkOf(value))
    }
    return ownAndJoined(data, shapeOf(data, target), [...passed, target]).map(
      (inner): GroupField => ({
        name: `${name}_${inner.name}`,
        prints: inner.prints,
        timeZone: inner.timeZone,
        path: [name, ...inner.path],
        isReference: inner.isReference,
        ...(inner.isTime && { isTime: inner.isTime }),
        keysOf: (record) => {
          const found = follow(record)
          return found === null ? [undefined] : inner.keysOf(found)
        },
        through: inner.through && {
          keyOf: inner.through.keyOf,
          array: behind(name, inner.through.array, follow),
        },
      }),
    )
  })
  const names = new Set(own.map((field) => field.name))
  return [...own, ...joined.filter((field) => !names.has(field.name))]
}

function behind(
  name: string,
  array: ElementArray,
  follow: (record: PlainRecord) => PlainRecord | null,
): ElementArray {
  const read = (record: PlainRecord) => {
    const found = follow(record)
    return found === null ? [] : array.read(found)
  }
  return { name: `${name}_${array.name}`, path: null, of: array.of, read }
}

/** A field inside the elements of an array of objects, which are chosen when groups are formed. */
function elementField(data: Dataset, place: Place, array: ElementArray): GroupField[] {
  const { name, path, kind } = place
  const keyIn = (element: Element | undefined) => element && elementKey(element, path, kind)
  const field = (
    suffix: string,
    printed: Pick<GroupField, 'prints' | 'timeZone'>,
    print: (key: Key) => Key,
  ): GroupField => {
    const keyOf = (element: Element | undefined) => print(keyIn(element))
    return {
      ...plain(name + suffix),
      ...printed,
      isReference: kind.kind === 'reference',
      through: { array, keyOf },
      keysOf: (record) => {
        const { elements } = elementsIn(data, [], record, array)
        return elements.length === 0 ? [undefined] : elements.map(keyOf)
      },
    }
  }
  switch (kind.kind) {
    case 'string':
    case 'integer':
    case 'boolean':
    case 'reference':
      return [field('', { prints: 'plain' }, (key) => key)]
    case 'datetime':
      return timeFields(data).map(({ suffix, keyOf, ...printed }) =>
        field(`_${suffix}`, printed, (key) => (typeof key === 'bigint' ? keyOf(key) : undefined)),
      )
    default:
      return []
  }
}

function ownGroupFields(data: Dataset, place: Place): GroupField[] {
  const array = arrayAround(data, place)
  if (array !== null) return elementField(data, place, array)
  const { name, path, kind } = place
  const read = (record: PlainRecord) => readPath(recordSubject(data, record), path)
  const field = { ...plain(name), path }
  switch (kind.kind) {
    case 'string':
    case 'integer':
    case 'boolean':
    case 'reference':
      return [
        {
          ...field,
          isReference: kind.kind === 'reference',
          keysOf: (record) => [scalarKey(kind, read(record))],
        },
      ]
    case 'datetime':
      return [
        { ...field, prints: 'instant', isTime: true, keysOf: (record) => [scalarKey(kind, read(record))] },
        ...bucketFields(data, name, (record) => scalarKey(kind, read(record))),
      ]
    case 'array':
      if (kind.of.kind !== 'string' && !(kind.of.kind === 'reference' && kind.of.link === 'atUri')) return []
      return [
        {
          ...field,
          keysOf: (record) => {
            const distinct = [...new Set<Key>(read(record) ?? [])]
            return distinct.length === 0 ? [undefined] : distinct
          },
        },
      ]
    default:
      return []
  }
}

function bucketFields(data: Dataset, name: string, read: (record: PlainRecord) => Key): GroupField[] {
  return timeFields(data).map(({ suffix, prints, timeZone, keyOf }) => ({
    ...plain(`${name}_${suffix}`),
    path: [name],
    prints,
    timeZone,
    keysOf: (record) => {
      const instant = read(record)
      return [typeof instant === 'bigint' ? keyOf(instant) : undefined]
    },
  }))
}

interface TimeField extends Pick<GroupField, 'prints' | 'timeZone'> {
  readonly suffix: string
  readonly keyOf: (instant: bigint) => Key
}

function timeFields({ time = {} }: Dataset): TimeField[] {
  return [
    ...buckets.map((bucket) => ({
      suffix: bucket,
      prints: bucket,
      timeZone: time.timeZone,
      keyOf: (instant: bigint) => firstMoment(time, bucket, instant),
    })),
    {
      suffix: 'hourOfDay',
      prints: 'part of time',
      keyOf: (instant) => hourOfDay(localTime(time, instant)),
    },
    { suffix: 'weekday', prints: 'part of time', keyOf: (instant) => weekday(localTime(time, instant)) },
  ]
}

/** A key as the answer's JSON has it. */
export function printKey(field: GroupField, key: Key): string | number | boolean | null {
  if (key === undefined) return null
  if (typeof key !== 'bigint') return key
  return field.prints === 'instant' || field.prints === 'plain' || field.prints === 'part of time'
    ? printInstant(key)
    : field.timeZone === undefined
      ? printBucket(field.prints, key)
      : printLocal(field.timeZone, key)
}
