/** The values inside a record: its own fields first, then those of the objects inside, unless these contain themselves. */
import type { ElementArray, ObjectKind } from './elements.ts'
import type { Field, Kind, Shape } from './shapes.ts'
import { once } from './once.ts'
import type { Key } from './values.ts'
import {
  objectSubject,
  type PlainRecord,
  readField,
  recordSubject,
  scalarKey,
  shapeOf,
  type Subject,
  type Dataset,
} from './dataset.ts'

export interface Place {
  /** The names of the fields that lead to it, joined by underscores. */
  readonly name: string
  /** The names of the fields that lead to it from the record, or from the element of the array. */
  readonly path: readonly string[]
  readonly kind: Kind
  /** The array of objects that it is inside of. */
  readonly array: { readonly path: readonly string[]; readonly of: ObjectKind } | null
}

/** Of places with the same name, a property of the record counts, otherwise the first. */
export const placesOf = once(({ fields }: Shape): readonly Place[] => {
  const own = fields.map(({ name, kind }) => ({ name, path: [name], kind, array: null }))
  const names = new Set(own.map(({ name }) => name))
  const inner = placesInside(fields, [], [], null)
  return [...own, ...inner.filter(({ name }) => !names.has(name) && names.add(name))]
})

function placesInside(
  fields: readonly Field[],
  path: readonly string[],
  passed: readonly string[],
  around: Place['array'],
): Place[] {
  return fields.flatMap((outer) => {
    const isArray = outer.kind.kind === 'array' && around === null
    const kind = outer.kind.kind === 'array' && isArray ? outer.kind.of : outer.kind
    if (kind.kind !== 'object' || passed.includes(kind.def)) return []
    const here = [...path, outer.name]
    const array = isArray ? { path: here, of: kind } : around
    const inner = kind.fields()
    const own = inner.map((field): Place => {
      const full = [...here, field.name]
      return { name: full.join('_'), path: full.slice(array?.path.length ?? 0), kind: field.kind, array }
    })
    return [...own, ...placesInside(inner, here, [...passed, kind.def], array)]
  })
}

/** The value at a path of names; undefined if it, or an object around it, is missing. */
export function readPath(subject: Subject, path: readonly string[]) {
  let around = subject
  for (const name of path.slice(0, -1)) {
    const { kind, value } = readField(around, name)
    if (value === undefined) return undefined
    around = objectSubject(around, kind, value)
  }
  return readField(around, path.at(-1) ?? '').value
}

export function placeNamed(data: Dataset, collection: string, name: string): Place | undefined {
  return placesOf(shapeOf(data, collection)).find((one) => one.name === name)
}

/** The array that a place is inside of, as records have it. */
export function arrayAround(data: Dataset, { array }: Place): ElementArray | null {
  if (array === null) return null
  const { path, of } = array
  const read = (record: PlainRecord) => readPath(recordSubject(data, record), path) ?? []
  return { name: path.join('_'), path, of, read }
}

/** The single value of a record that sorting and measures name. */
export function keyNamed(data: Dataset, record: PlainRecord, name: string): Key {
  const subject = recordSubject(data, record)
  const place = placeNamed(data, record.collection, name)
  if (place !== undefined) return scalarKey(place.kind, readPath(subject, place.path))
  const { kind, value } = readField(subject, name)
  return scalarKey(kind, value)
}
