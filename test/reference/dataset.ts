/** The records an evaluator looks at, and how it reads one value of one of them. */
import type { Field, HeldReference, Json, Kind, Shape, Shapes } from './shapes.ts'
import type { TimeFrame } from './zones.ts'
import { once } from './once.ts'
import { type Key, parseInstant } from './values.ts'

export interface PlainRecord {
  readonly uri: string
  readonly cid: string
  /** Absent if it was imported without one. */
  readonly rev?: string | undefined
  readonly did: string
  readonly rkey: string
  readonly collection: string
  /** Microseconds since 1970. */
  readonly indexedAt: bigint
  readonly changedAt: bigint
  readonly value: Json
}

export interface Dataset {
  readonly shapes: Shapes
  readonly records: readonly PlainRecord[]
  /** In which times are grouped; UTC when absent. */
  readonly time?: TimeFrame | undefined
}

export interface Link {
  readonly uri: string
  readonly cid: string | null
}

/** Where a condition looks: a whole record, or an object inside one. */
export type Subject =
  | { readonly kind: 'record'; readonly record: PlainRecord; readonly shape: Shape }
  | {
      readonly kind: 'object'
      readonly value: Json
      readonly fields: readonly Field[]
      /** The definitions of the objects around it, its own included; null inside an array or inside its own kind. */
      readonly within: readonly string[] | null
    }

export function recordSubject(data: Dataset, record: PlainRecord): Subject {
  return { kind: 'record', record, shape: shapeOf(data, record.collection) }
}

export function shapeOf(data: Dataset, collection: string): Shape {
  const shape = data.shapes.get(collection)
  if (shape === undefined) throw new Error(`There is no collection ${collection}.`)
  return shape
}

const byCollection = once((records: readonly PlainRecord[]) =>
  Map.groupBy(records, ({ collection }) => collection),
)

export function recordsOf(data: Dataset, collection: string): readonly PlainRecord[] {
  return byCollection(data.records).get(collection) ?? []
}

export const systemStrings = ['uri', 'cid', 'rev', 'did', 'rkey', 'collection'] as const
export const systemInstants = ['indexedAt', 'changedAt'] as const

/** The kind of a field and what the subject has there; `undefined` when it is missing or null. */
export function readField(subject: Subject, name: string): { kind: Kind; value: Json } {
  if (subject.kind === 'record') {
    const text = systemStrings.find((field) => field === name)
    if (text !== undefined) {
      return { kind: { kind: 'string', sortable: true, lexicon: {} }, value: subject.record[text] }
    }
    const instant = systemInstants.find((field) => field === name)
    if (instant !== undefined) return { kind: { kind: 'datetime' }, value: subject.record[instant] }
  }
  const fields = subject.kind === 'record' ? subject.shape.fields : subject.fields
  const object = subject.kind === 'record' ? subject.record.value : subject.value
  const field = fields.find((candidate) => candidate.name === name)
  if (field === undefined) throw new Error(`There is no field ${name}.`)
  const value = (Object.hasOwn(object, field.property) ? object[field.property] : null) ?? undefined
  const isPlain = subject.kind === 'object' && subject.within === null
  return { kind: field.kind, value: !isPlain && isTooLong(field.kind, value) ? undefined : value }
}

/** A known value, code or URI that is shown as it is, and otherwise taken for missing. */
function isTooLong(kind: Kind, value: Json): boolean {
  if (value === undefined) return false
  if (kind.kind === 'string') {
    const { knownValues, enum: listed, const: constant, format } = kind.lexicon
    const isListed = knownValues !== undefined || listed !== undefined || constant !== undefined
    return (isListed || format === 'language') && Buffer.byteLength(value) > 1000
  }
  if (kind.kind !== 'reference') return false
  const parts = linkOf(value).uri.split('/')
  const key = parts.pop() ?? ''
  return parts.join('/').length + 1 > 2400 || key.length > 1000
}

/** The object in a property of a record or of another object. */
export function objectSubject(around: Subject, kind: Kind, value: Json): Subject {
  if (kind.kind !== 'object') throw new Error(`A ${kind.kind} is no object.`)
  const outside = around.kind === 'record' ? [] : around.within
  const within = outside === null || outside.includes(kind.def) ? null : [...outside, kind.def]
  return { kind: 'object', value, fields: kind.fields(), within }
}

/** A scalar as it compares; the fields of records arrive as instants already. */
export function scalarKey(kind: Kind, value: Json): Key {
  if (value === undefined || value === null) return undefined
  switch (kind.kind) {
    case 'string':
    case 'integer':
    case 'boolean':
      return value
    case 'datetime':
      return typeof value === 'bigint' ? value : parseInstant(value)
    case 'reference':
      return linkOf(value).uri
    default:
      throw new Error(`A ${kind.kind} has no scalar value.`)
  }
}

export function linkOf(value: Json): Link {
  return typeof value === 'string' ? { uri: value, cid: null } : { uri: value.uri, cid: value.cid }
}

const byUri = once(
  (records: readonly PlainRecord[]) => new Map(records.map((record) => [record.uri, record])),
)

/** Whatever indexed record has this URI, of any collection. */
export function resolve(data: Dataset, uri: string): PlainRecord | null {
  return byUri(data.records).get(uri) ?? null
}

/** Whether the indexed record still has that CID; null when it is not indexed. */
export function isCurrent(data: Dataset, link: Link): boolean | null {
  const record = resolve(data, link.uri)
  return record === null ? null : record.cid === link.cid
}

const allReferences = once((shapes: Shapes) => [...shapes.values()].flatMap(({ references }) => references))

/** The reverse fields that a collection's records have. */
export function referredBy(data: Dataset, collection: string): HeldReference[] {
  return allReferences(data.shapes).filter(
    ({ kind }) => kind.targets === null || kind.targets.includes(collection),
  )
}

/** For each reference that records hold: who refers to each URI. */
const referrers = once((records: readonly PlainRecord[]) =>
  once((held: HeldReference) => {
    const found = new Map<string, PlainRecord[]>()
    for (const record of byCollection(records).get(held.collection) ?? [])
      for (const uri of new Set(linksAt(record.value, held.path).map((link) => link.uri))) {
        const some = found.get(uri) ?? []
        found.set(uri, some)
        some.push(record)
      }
    return found
  }),
)

/** The records that point at this one through a reference, each once. */
export function reverse(data: Dataset, { uri }: PlainRecord, held: HeldReference): readonly PlainRecord[] {
  return referrers(data.records)(held).get(uri) ?? []
}

/** The links a record holds at a path, passing through arrays. */
export function linksAt(value: Json, path: readonly string[]): Link[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap((element) => linksAt(element, path))
  const [property, ...rest] = path
  return property === undefined ? [linkOf(value)] : linksAt(value[property], rest)
}
