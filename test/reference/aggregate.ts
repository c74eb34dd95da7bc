/** Groups and measures, over whole arrays. */
import { declaredTarget, type Where } from './matches.ts'
import { nearestDouble } from './rationals.ts'
import type { Field, Kind, Shape } from './shapes.ts'
import { type Significance, significanceOf } from './significance.ts'
import { type Bucket, buckets, compareKeys, type Key, printBucket, printInstant, startOf } from './values.ts'
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
  readonly prints: 'plain' | 'instant' | Bucket
  /** The keys of a `where` that lead to conditions on it. */
  readonly path: readonly string[]
  readonly isReference: boolean
  /** The distinct keys a record has here; a missing value is the one key `undefined`. */
  readonly keysOf: (record: PlainRecord) => readonly Key[]
}

export interface GroupArguments {
  readonly groupBy?: readonly string[]
  readonly orderBy?: 'COUNT_DESC' | 'COUNT_ASC' | 'KEY_ASC' | 'KEY_DESC'
  readonly rankBy?: {
    readonly measure: RankMeasure
    readonly field: string
    readonly direction: 'ASC' | 'DESC'
  }
  readonly significant?: { readonly against: Where }
  readonly minCount?: number
  readonly limit?: number
}

export type RankMeasure = 'AVG' | 'SUM' | 'MIN' | 'MAX' | 'COUNT_DISTINCT'

export interface Group {
  readonly keys: readonly Key[]
  readonly members: readonly PlainRecord[]
  /** Null without `significant`. */
  readonly significance: Significance | null
}

export interface Grouped {
  /** How many groups there are, whatever `limit` cuts; with `significant`, how many of them are significant. */
  readonly groupCount: number
  readonly groups: readonly Group[]
}

/** `background`: the records with which `significant` compares. */
export function groupRecords(
  world: World,
  collection: string,
  records: readonly PlainRecord[],
  given: GroupArguments,
  background: readonly PlainRecord[],
): Grouped {
  const names = given.groupBy ?? []
  if (names.length === 0) return { groupCount: 0, groups: [] }
  const all = groupFields(world, collection)
  const fields = names.map((name) => {
    const field = all.find((candidate) => candidate.name === name)
    if (field === undefined) throw new Error(`${collection} cannot be grouped by ${name}.`)
    return field
  })
  const groups = formGroups(fields, records)
  if (given.significant !== undefined) {
    const significant = compareWith(groups, formGroups(fields, background), records, background)
      .filter((group) => group.members.length >= (given.minCount ?? 5))
      .sort(compareSignificant)
    return { groupCount: significant.length, groups: significant.slice(0, given.limit ?? 50) }
  }
  const large = groups.filter((group) => group.members.length >= (given.minCount ?? 1))
  large.sort((a, b) => compareGroups(world, collection, a, b, given))
  return { groupCount: groups.length, groups: large.slice(0, given.limit ?? 50) }
}

function formGroups(fields: readonly GroupField[], records: readonly PlainRecord[]): Group[] {
  const groups: { keys: readonly Key[]; members: PlainRecord[]; significance: null }[] = []
  for (const record of records) {
    for (const keys of combinations(fields.map((field) => field.keysOf(record)))) {
      const known = groups.find((group) => compareKeyLists(group.keys, keys) === 0)
      if (known === undefined) groups.push({ keys, members: [record], significance: null })
      else known.members.push(record)
    }
  }
  return groups
}

/** The groups that are more frequent than in the background. */
function compareWith(
  groups: readonly Group[],
  others: readonly Group[],
  records: readonly PlainRecord[],
  background: readonly PlainRecord[],
): Group[] {
  return groups.flatMap((group) => {
    const other = others.find(({ keys }) => compareKeyLists(keys, group.keys) === 0)
    const significance = significanceOf({
      count: group.members.length,
      total: records.length,
      againstCount: other?.members.length ?? 0,
      againstTotal: background.length,
    })
    return significance === null ? [] : [{ ...group, significance }]
  })
}

function compareSignificant(a: Group, b: Group): number {
  const byScore = (b.significance?.score ?? 0) - (a.significance?.score ?? 0)
  return byScore || b.members.length - a.members.length || compareKeyLists(a.keys, b.keys)
}

/** Everything a collection can be grouped by; joined fields pass at most two references, no collection twice. */
export function groupFields(world: World, collection: string): GroupField[] {
  const system: GroupField[] = [
    { ...plain('did'), keysOf: (record) => [record.did] },
    { ...plain('collection'), keysOf: (record) => [record.collection] },
    { ...plain('indexedAt'), prints: 'instant', keysOf: (record) => [record.indexedAt] },
    ...bucketFields('indexedAt', (record) => record.indexedAt),
  ]
  return [...system, ...ownAndJoined(world, shapeOf(world, collection), [collection])]
}

function plain(name: string) {
  return { name, prints: 'plain', path: [name], isReference: false } as const
}

function ownAndJoined(world: World, shape: Shape, passed: readonly string[]): GroupField[] {
  return shape.fields.flatMap((field) => {
    const own = ownGroupFields(world, field)
    if (field.kind.kind !== 'reference') return own
    const { kind } = field
    // A third reference would be one too many, as a value too.
    if (passed.length > 2) return []
    if (kind.target === null || passed.includes(kind.target)) return own
    const joined = ownAndJoined(world, shapeOf(world, kind.target), [...passed, kind.target])
    return [
      ...own,
      ...joined.map(
        (inner): GroupField => ({
          name: `${field.name}_${inner.name}`,
          prints: inner.prints,
          path: [field.name, ...inner.path],
          isReference: inner.isReference,
          keysOf: (record) => {
            const { value } = readField(recordSubject(world, record), field.name)
            const target = value === undefined ? null : declaredTarget(world, kind, linkOf(value))
            return target === null ? [undefined] : inner.keysOf(target)
          },
        }),
      ),
    ]
  })
}

function ownGroupFields(world: World, field: Field): GroupField[] {
  const { name, kind } = field
  const read = (record: PlainRecord) => readField(recordSubject(world, record), name).value
  switch (kind.kind) {
    case 'string':
    case 'integer':
    case 'boolean':
    case 'reference':
      return [
        {
          ...plain(name),
          isReference: kind.kind === 'reference',
          keysOf: (record) => [scalarKey(kind, read(record))],
        },
      ]
    case 'datetime':
      return bucketFields(name, (record) => scalarKey(kind, read(record)))
    case 'array':
      if (kind.of.kind !== 'string') return []
      return [
        {
          ...plain(name),
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

function bucketFields(name: string, read: (record: PlainRecord) => Key): GroupField[] {
  return buckets.map((bucket) => ({
    ...plain(`${name}_${bucket}`),
    prints: bucket,
    keysOf: (record) => {
      const instant = read(record)
      return [typeof instant === 'bigint' ? startOf(bucket, instant) : undefined]
    },
  }))
}

function combinations(lists: readonly (readonly Key[])[]): Key[][] {
  return lists.reduce<Key[][]>(
    (done, list) => done.flatMap((keys) => list.map((key) => [...keys, key])),
    [[]],
  )
}

function compareKeyLists(a: readonly Key[], b: readonly Key[]): number {
  for (let i = 0; i < a.length; i++) {
    const order = compareKeys(a[i], b[i])
    if (order !== 0) return order
  }
  return 0
}

function compareGroups(world: World, collection: string, a: Group, b: Group, given: GroupArguments): number {
  const byKeys = compareKeyLists(a.keys, b.keys)
  if (given.rankBy !== undefined) {
    const { measure, field, direction } = given.rankBy
    const order = compareKeys(
      rankOf(world, collection, a.members, measure, field),
      rankOf(world, collection, b.members, measure, field),
    )
    return (direction === 'DESC' ? -order : order) || byKeys
  }
  const byCount = a.members.length - b.members.length
  switch (given.orderBy ?? 'COUNT_DESC') {
    case 'COUNT_DESC':
      return -byCount || byKeys
    case 'COUNT_ASC':
      return byCount || byKeys
    case 'KEY_ASC':
      return byKeys
    case 'KEY_DESC':
      return -byKeys
  }
}

function rankOf(
  world: World,
  collection: string,
  records: readonly PlainRecord[],
  measure: RankMeasure,
  field: string,
): Key {
  if (measure === 'COUNT_DISTINCT') return countDistinct(world, collection, records, field)
  if (measure === 'MIN' || measure === 'MAX') return extreme(world, records, field, measure)
  if (measure === 'AVG') return mean(world, records, field) ?? undefined
  const { sum, count } = total(world, records, field)
  return count === 0n ? undefined : sum
}

/** The exact average, rounded once; it is ranked by as it is shown. */
export function mean(world: World, records: readonly PlainRecord[], field: string): number | null {
  const { sum, count } = total(world, records, field)
  return count === 0n ? null : nearestDouble(sum, count)
}

export function total(
  world: World,
  records: readonly PlainRecord[],
  field: string,
): { sum: bigint; count: bigint } {
  const present = presentKeys(world, records, field).map((key) => BigInt(Number(key)))
  return { sum: present.reduce((sum, value) => sum + value, 0n), count: BigInt(present.length) }
}

export function extreme(
  world: World,
  records: readonly PlainRecord[],
  field: string,
  which: 'MIN' | 'MAX',
): Key {
  const sorted = presentKeys(world, records, field).sort(compareKeys)
  return which === 'MIN' ? sorted[0] : sorted.at(-1)
}

export function countDistinct(
  world: World,
  collection: string,
  records: readonly PlainRecord[],
  name: string,
): number {
  const field = groupFields(world, collection).find((candidate) => candidate.name === name)
  if (field === undefined) throw new Error(`${collection} cannot be grouped by ${name}.`)
  return new Set(records.flatMap((record) => field.keysOf(record)).filter((key) => key !== undefined)).size
}

function presentKeys(world: World, records: readonly PlainRecord[], field: string): Key[] {
  const keys = records.map((record) => {
    const { kind, value } = readField(recordSubject(world, record), field)
    return scalarKey(kind as Kind, value)
  })
  return keys.filter((key) => key !== undefined)
}

/** A key as the answer's JSON has it. */
export function printKey(field: GroupField, key: Key): string | number | boolean | null {
  if (key === undefined) return null
  if (typeof key !== 'bigint') return key
  return field.prints === 'instant' || field.prints === 'plain'
    ? printInstant(key)
    : printBucket(field.prints, key)
}
