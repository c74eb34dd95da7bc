/** What a collection can be grouped by, and the keys of its records. */
import { declaredTarget } from './matches.ts'
import { type Place, placesOf, readPath } from './places.ts'
import type { Shape } from './shapes.ts'
import { type Bucket, buckets, type Key, printBucket, printInstant, hourOfDay, weekday } from './values.ts'
import { firstMoment, localTime, printLocal } from './zones.ts'
import {
  linkOf,
  type PlainRecord,
  readField,
  recordSubject,
  scalarKey,
  shapeOf,
  type World,
} from './world.ts'

export interface GroupField {
  readonly name: string
  /** What clients see: a string, a number, a boolean, a printed instant. */
  readonly prints: 'plain' | 'instant' | 'part of time' | Bucket
  /** Of the label; none without an argument `timeZone`. */
  readonly timeZone?: string | undefined
  /** The keys of a `where` that lead to conditions on it. */
  readonly path: readonly string[]
  readonly isReference: boolean
  /** The distinct keys a record has here; a missing value is the one key `undefined`. */
  readonly keysOf: (record: PlainRecord) => readonly Key[]
}

/** Everything a collection can be grouped by; joined fields pass at most two references, no collection twice. */
export function groupFields(world: World, collection: string): GroupField[] {
  const system: GroupField[] = [
    { ...plain('did'), keysOf: (record) => [record.did] },
    { ...plain('collection'), keysOf: (record) => [record.collection] },
    { ...plain('indexedAt'), prints: 'instant', keysOf: (record) => [record.indexedAt] },
    ...bucketFields(world, 'indexedAt', (record) => record.indexedAt),
  ]
  const fields = [...system, ...ownAndJoined(world, shapeOf(world, collection), [collection])]
  return fields.map((field) =>
    namesOfGroups.includes(field.name) ? { ...field, name: `record_${field.name}` } : field,
  )
}

/** Groups have fields of these names themselves; records are grouped by `record_<name>`. */
const namesOfGroups = `total share cursor top nodes median stddev percentile pairs groupsPageInfo cumulative
  movingAverage change`.split(/\s+/)

function plain(name: string) {
  return { name, prints: 'plain', path: [name], isReference: false } as const
}

/** Where two fields would have the same name, one of the record itself counts, otherwise the first. */
function ownAndJoined(world: World, shape: Shape, passed: readonly string[]): GroupField[] {
  // A third reference would be one too many, as a value too.
  const places = placesOf(shape).filter(({ kind }) => kind.kind !== 'reference' || passed.length <= 2)
  const own = places.flatMap((place) => ownGroupFields(world, place))
  const joined = shape.fields.flatMap(({ name, kind }) => {
    if (kind.kind !== 'reference' || passed.length > 2) return []
    const { target } = kind
    if (target === null || passed.includes(target)) return []
    return ownAndJoined(world, shapeOf(world, target), [...passed, target]).map(
      (inner): GroupField => ({
        name: `${name}_${inner.name}`,
        prints: inner.prints,
        timeZone: inner.timeZone,
        path: [name, ...inner.path],
        isReference: inner.isReference,
        keysOf: (record) => {
          const { value } = readField(recordSubject(world, record), name)
          const found = value === undefined ? null : declaredTarget(world, kind, linkOf(value))
          return found === null ? [undefined] : inner.keysOf(found)
        },
      }),
    )
  })
  const names = new Set(own.map((field) => field.name))
  return [...own, ...joined.filter((field) => !names.has(field.name))]
}

function ownGroupFields(world: World, { name, path, kind }: Place): GroupField[] {
  const read = (record: PlainRecord) => readPath(recordSubject(world, record), path)
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
      return bucketFields(world, name, (record) => scalarKey(kind, read(record)))
    case 'array':
      if (kind.of.kind !== 'string') return []
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

function bucketFields({ time = {} }: World, name: string, read: (record: PlainRecord) => Key): GroupField[] {
  const keyOf = (key: (instant: bigint) => Key) => (record: PlainRecord) => {
    const instant = read(record)
    return [typeof instant === 'bigint' ? key(instant) : undefined]
  }
  return [
    ...buckets.map((bucket) => ({
      ...plain(`${name}_${bucket}`),
      prints: bucket,
      timeZone: time.timeZone,
      keysOf: keyOf((instant) => firstMoment(time, bucket, instant)),
    })),
    {
      ...plain(`${name}_hourOfDay`),
      prints: 'part of time',
      keysOf: keyOf((instant) => hourOfDay(localTime(time, instant))),
    },
    {
      ...plain(`${name}_weekday`),
      prints: 'part of time',
      keysOf: keyOf((instant) => weekday(localTime(time, instant))),
    },
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
