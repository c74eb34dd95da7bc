/** What each kind of field has: conditions, orders, groups and measures, for both the GraphQL inputs and the compiler. */
import type { CountLeaf, Leaf, PropertyLeaf } from './leaves.ts'
import { elementArray, isArray, leafName, leafPath, leafType, propertyLeaves, systemLeaf } from './leaves.ts'
import type { Collection, Field, FieldType, Model, ObjectType, Reference } from './model.ts'
import { groupFieldName } from './measures.ts'

/** The path of an object in a record. Reference targets are declared per path. */
export interface ObjectPath {
  readonly collection: Collection
  readonly path: readonly string[]
}

export type PropertyField = Extract<WhereField, { kind: 'property' }>

export type WhereField =
  | { readonly kind: 'system'; readonly name: (typeof systemConditions)[number] }
  | {
      readonly kind: 'property'
      readonly name: string
      readonly field: Field
      /** Set if the field is a reference or an array of references. */
      readonly reference: Reference | null
      /** Set if the field is an object, or an array of objects, that contains references with a declared target. */
      readonly inside: ObjectPath | null
    }
  | { readonly kind: 'reverse'; readonly name: string; readonly reference: Reference }

/** What lists are sorted by, or what is measured: a value of the record, or the number of records that refer to it. */
export interface SortField {
  readonly name: string
  readonly leaf: Leaf | CountLeaf
}

export const buckets = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const
export type Bucket = (typeof buckets)[number]

/** Parts of a time, which are integers: 0 to 23, and 1 (Monday) to 7. */
export const timeParts = ['hourOfDay', 'weekday'] as const
export type TimePart = (typeof timeParts)[number]

export function isTimePart(unit: Bucket | TimePart): unit is TimePart {
  return timeParts.some((part) => part === unit)
}

/** `joins` are the 0 to 2 references from the grouped collection to the collection of the leaf. */
export interface GroupField {
  readonly name: string
  readonly joins: readonly Reference[]
  readonly leaf: Leaf
  readonly bucket: Bucket | TimePart | null
}

export type MeasureField = SortField

const maxJoins = 2

const systemConditions = ['uri', 'cid', 'rev', 'did', 'rkey', 'collection', 'indexedAt', 'changedAt'] as const

/** Reverse fields are omitted where a property has their name. */
export function recordWhereFields(collection: Collection): readonly WhereField[] {
  const fields: WhereField[] = [
    ...systemConditions.map((name) => ({ kind: 'system', name }) as const),
    ...objectWhereFields(collection.type, { collection, path: [] }),
  ]
  const taken = new Set(fields.map(({ name }) => name))
  for (const reference of knownReferrers(collection))
    if (!taken.has(reference.viaField)) fields.push({ kind: 'reverse', name: reference.viaField, reference })
  return fields
}

/** The references that declare this collection as their only target. */
function knownReferrers({ nsid, referredBy }: Collection): readonly Reference[] {
  return referredBy.filter(({ target }) => target === nsid)
}

/** `place` is null if no reference inside the object has a declared target. */
export function objectWhereFields(type: ObjectType, place: ObjectPath | null): readonly WhereField[] {
  return type.fields
    .filter((field) => hasConditions(field.type))
    .map((field) => ({ kind: 'property', name: field.name, field, ...below(place, field.property) }))
}

function below(place: ObjectPath | null, property: string) {
  if (place === null) return { reference: null, inside: null }
  const path = [...place.path, property]
  const references = place.collection.references.filter((it) =>
    path.every((part, at) => it.path[at] === part),
  )
  const reference = references.find((it) => it.path.length === path.length) ?? null
  const declared = references.some((it) => it.path.length > path.length && it.target !== null)
  return { reference, inside: declared ? { collection: place.collection, path } : null }
}

export function hasConditions(type: FieldType): boolean {
  if (type.kind === 'object') return type.type.fields.length > 0
  if (type.kind !== 'array') return isFor('where', type)
  return type.of.kind === 'object'
    ? hasConditions(type.of)
    : isCountable(type.of) || type.of.kind === 'strongRef'
}

/** The free texts of an array's elements, those of objects inside them included. */
export function freeTextsOf(type: ObjectType): readonly PropertyLeaf[] {
  return propertyLeaves(type).filter(
    (leaf) => elementArray(leaf) === null && leaf.field.type.kind === 'string' && leaf.field.type.freeText,
  )
}

/** True for the element types of arrays that have the operators `has`, `hasAny` and `hasAll`. */
export function isCountable({ kind }: FieldType): boolean {
  return kind === 'string' || kind === 'integer' || kind === 'datetime' || kind === 'atUri'
}

/** The order by relevance for a search; the name is reserved. */
export const relevanceField = { name: 'RELEVANCE', leaf: { kind: 'relevance' } } as const

/** Fields of the record first, then those inside its objects; properties take precedence by name. */
export function sortFields(collection: Collection): readonly SortField[] {
  const system = (['uri', 'did', 'rkey', 'indexedAt', 'changedAt'] as const).map(systemLeaf)
  const own = propertyLeaves(collection.type).filter(
    (leaf) => elementArray(leaf) === null && isSortable(leaf.field.type),
  )
  return withCounts(collection, withoutClashes(collection, [...system, ...own].map(named)))
}

/** The fields, and the numbers of records that refer, unless a value has that name. */
function withCounts(collection: Collection, fields: readonly SortField[]): readonly SortField[] {
  const taken = new Set(propertyLeaves(collection.type).map(leafName))
  const counts = knownReferrers(collection).map((reference) => named({ kind: 'count', reference }))
  return [...fields, ...counts.filter(({ name }) => !taken.has(name))]
}

/** What records of a list may have in common so that only the first of them remains: sort fields and references. */
export function distinctFields(collection: Collection): readonly SortField[] {
  const references = propertyLeaves(collection.type).filter(
    (leaf) => elementArray(leaf) === null && leaf.field.type.kind === 'strongRef',
  )
  return withoutClashes(collection, [...sortFields(collection), ...references.map(named)])
}

/** Found once for each collection, because each path of an agent's call asks for them. */
const knownGroupFields = new WeakMap<Collection, readonly GroupField[]>()

/** Own fields and buckets first, then those inside objects, then behind references; properties take precedence by name. */
export function groupFields(collection: Collection, model: Model): readonly GroupField[] {
  const fields = knownGroupFields.get(collection) ?? findGroupFields(collection, model)
  knownGroupFields.set(collection, fields)
  return fields
}

function findGroupFields(collection: Collection, model: Model): readonly GroupField[] {
  const fields = withoutClashes(collection, joinedGroupFields(collection, model, [], [collection.nsid]))
  const names = new Set(fields.map(({ name }) => name))
  return fields.map((field) => ({ ...field, name: groupFieldName(field.name, names) }))
}

/** The times from and to which durations are measured: the record's own, and behind references. */
export function timeFields(collection: Collection, model: Model): readonly GroupField[] {
  const times = joinedGroupFields(collection, model, [], [collection.nsid]).flatMap((field) =>
    field.bucket === 'day' && elementArray(field.leaf) === null
      ? [{ ...field, name: field.name.replace(/_day$/, ''), bucket: null }]
      : [],
  )
  return withoutClashes(collection, times)
}

/** Omits the fields whose generated name a property or an earlier field has, and buckets of the name of any field. */
function withoutClashes<Its extends Generated>(
  collection: Collection,
  fields: readonly Its[],
): readonly Its[] {
  const properties = new Set(collection.type.fields.map(({ name }) => name))
  const values = new Set(fields.flatMap(({ name, bucket = null }) => (bucket === null ? [name] : [])))
  const seen = new Set<string>()
  return fields
    .filter((field) => !isGenerated(field) || !properties.has(field.name))
    .filter(({ name, bucket = null }) => bucket === null || !values.has(name))
    .filter(({ name }) => !seen.has(name) && seen.add(name))
}

type Generated = SortField & Partial<Pick<GroupField, 'joins' | 'bucket'>>

function isGenerated({ leaf, joins = [], bucket = null }: Generated): boolean {
  return joins.length > 0 || bucket !== null || (leaf.kind === 'property' && leaf.inside.length > 0)
}

/** The members of a `where`, one inside the other, that lead to the conditions on a group field. */
export function wherePath({ joins, leaf }: GroupField, model: Model): readonly string[] {
  return [...joins.map((join) => fieldName(join, model)), ...leafPath(leaf)]
}

/** Generated names of group fields, including those that `groupFields` omits in favour of properties. */
export function generatedGroupNames(collection: Collection, model: Model): readonly string[] {
  return joinedGroupFields(collection, model, [], [collection.nsid])
    .filter(({ leaf, joins }) => isGenerated({ name: '', leaf, joins }))
    .map(({ name }) => name)
}

export function measureFields(collection: Collection): readonly MeasureField[] {
  const own = propertyLeaves(collection.type).filter(
    ({ field: { type } }) => type.kind === 'integer' || type.kind === 'datetime',
  )
  return withCounts(collection, withoutClashes(collection, [systemLeaf('indexedAt'), ...own].map(named)))
}

function named(leaf: Leaf | CountLeaf): SortField {
  return { name: leafName(leaf), leaf }
}

export function holderOf(reference: Reference, model: Model): Collection {
  return model.collections.find(({ nsid }) => nsid === reference.collection) as Collection
}

/** The collection whose conditions a reference inherits: its only target, if known. */
export function targetOf(reference: Reference | null, model: Model): Collection | null {
  return model.collections.find(({ nsid }) => nsid === reference?.target) ?? null
}

function joinedGroupFields(
  collection: Collection,
  model: Model,
  joins: readonly Reference[],
  passed: readonly string[],
): GroupField[] {
  const prefix = joins.map((join) => fieldName(join, model)).join('_')
  const prefixed = (name: string): string => (prefix === '' ? name : `${prefix}_${name}`)
  const leaves: Leaf[] = [
    ...(joins.length === 0 ? (['did', 'collection', 'indexedAt'] as const).map(systemLeaf) : []),
    ...propertyLeaves(collection.type),
  ]
  const found: GroupField[] = []
  for (const leaf of leaves) {
    const name = leafName(leaf)
    if (isGroupable(leaf)) found.push({ name: prefixed(name), joins, leaf, bucket: null })
    if (leafType(leaf).kind === 'datetime' && !isArray(leaf))
      for (const bucket of [...buckets, ...timeParts])
        found.push({ name: prefixed(`${name}_${bucket}`), joins, leaf, bucket })
  }
  if (joins.length === maxJoins) return found
  for (const reference of collection.references) {
    const target = targetOf(reference, model)
    if (target === null || reference.many || reference.path.length > 1 || passed.includes(target.nsid))
      continue
    found.push(...joinedGroupFields(target, model, [...joins, reference], [...passed, target.nsid]))
  }
  return found
}

/** The GraphQL name of a reference that is a property of the record itself, not of a nested object. */
export function fieldName(reference: Reference, model: Model): string {
  const { fields } = holderOf(reference, model).type
  return (fields.find(({ property }) => property === reference.path[0]) as Field).name
}

function isSortable(type: FieldType): boolean {
  return type.kind === 'string' ? type.bounded : isFor('sort', type)
}

function isGroupable(leaf: Leaf): boolean {
  if (leaf.kind === 'system') return true
  const { type } = leaf.field
  if (type.kind !== 'array') return isFor('group', type)
  return elementArray(leaf) === null && (type.of.kind === 'string' || type.of.kind === 'atUri')
}

/** The kinds of fields with each use besides output. Objects, arrays and long strings have rules of their own. */
const uses = {
  where: ['string', 'integer', 'boolean', 'datetime', 'atUri', 'strongRef'],
  sort: ['integer', 'boolean', 'datetime', 'atUri'],
  group: ['string', 'integer', 'boolean', 'atUri', 'strongRef'],
} as const satisfies Readonly<Record<string, readonly FieldType['kind'][]>>

function isFor(use: keyof typeof uses, { kind }: FieldType): boolean {
  return uses[use].some((one) => one === kind)
}
