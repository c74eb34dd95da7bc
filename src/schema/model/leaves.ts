/** The values inside a record by which lists are sorted and records grouped and measured: their paths and names. */
import type { Field, FieldType, ObjectType, Reference } from './model.ts'
import { stringFormats } from './string-formats.ts'

/** A value to sort, group or measure by. */
export type Leaf =
  | {
      readonly kind: 'system'
      readonly name: 'uri' | 'did' | 'rkey' | 'collection' | 'indexedAt' | 'changedAt'
    }
  | PropertyLeaf

/** The number of records that refer by a reference. */
export interface CountLeaf {
  readonly kind: 'count'
  readonly reference: Reference
}

export interface PropertyLeaf {
  readonly kind: 'property'
  /** The objects from the record down to the field, of which one may be an array of objects; none for its own fields. */
  readonly inside: readonly Field[]
  readonly field: Field
}

export function systemLeaf<Name extends Extract<Leaf, { kind: 'system' }>['name']>(name: Name): Leaf {
  return { kind: 'system', name }
}

const stored = { indexedAt: 'indexed_at', changedAt: 'changed_at' } as const

/** A system field as conditions, orders and keys have it. */
export function storedName<Name extends string>(name: Name) {
  type Stored = Name extends keyof typeof stored ? (typeof stored)[Name] : Name
  return (isStoredInstant(name) ? stored[name] : name) as Stored
}

export function isStoredInstant(name: string): name is keyof typeof stored {
  return Object.hasOwn(stored, name)
}

/** The fields of a record first, then those of the objects inside it. Recursive objects end where columns end. */
export function propertyLeaves(
  type: ObjectType,
  inside: readonly Field[] = [],
  above: readonly ObjectType[] = [],
): readonly PropertyLeaf[] {
  const isElement = inside.some((field) => field.type.kind === 'array')
  const passed = [...above, type]
  const further = type.fields.flatMap((field) => {
    const held = field.type.kind === 'array' && !isElement ? field.type.of : field.type
    if (held.kind !== 'object' || passed.includes(held.type)) return []
    return propertyLeaves(held.type, [...inside, field], passed)
  })
  return [...type.fields.map((field) => ({ kind: 'property', inside, field }) as const), ...further]
}

/** The position, among the objects around a value, of the array of objects; null if there is none. */
export function elementArray(leaf: Leaf | CountLeaf): number | null {
  const at = leaf.kind === 'property' ? leaf.inside.findIndex(({ type }) => type.kind === 'array') : -1
  return at < 0 ? null : at
}

/** The names of the fields that lead to a value, joined by underscores. */
export function leafName(leaf: Leaf | CountLeaf): string {
  return leafPath(leaf).join('_')
}

export function leafPath(leaf: Leaf | CountLeaf): readonly string[] {
  if (leaf.kind === 'count') return [`${leaf.reference.viaField}_count`]
  return leaf.kind === 'system' ? [leaf.name] : [...leaf.inside, leaf.field].map(({ name }) => name)
}

/** The properties from the record down to a value. */
export function leafProperties({ inside, field }: PropertyLeaf): readonly string[] {
  return [...inside, field].map(({ property }) => property)
}

/** The type of a leaf's values; for an array, the type of its elements. */
export function leafType(leaf: Leaf | CountLeaf): FieldType {
  if (leaf.kind === 'count') return { kind: 'integer', bits: 32, values: null }
  if (leaf.kind === 'property') return leaf.field.type.kind === 'array' ? leaf.field.type.of : leaf.field.type
  if (isStoredInstant(leaf.name)) return { kind: 'datetime' }
  return {
    kind: 'string',
    format: null,
    use: stringFormats.none,
    freeText: false,
    bounded: true,
    categorical: false,
    code: false,
  }
}

/** Whether a leaf is an array, so that a record may have several of its values. */
export function isArray(leaf: Leaf | CountLeaf): boolean {
  return leaf.kind === 'property' && leaf.field.type.kind === 'array'
}
