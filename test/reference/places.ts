/** The values inside a record: its own fields first, then those of the objects inside, unless these contain themselves. */
import type { Field, Kind, Shape } from './shapes.ts'
import type { Key } from './values.ts'
import {
  objectSubject,
  type PlainRecord,
  readField,
  recordSubject,
  scalarKey,
  shapeOf,
  type Subject,
  type World,
} from './world.ts'

export interface Place {
  /** The names of the fields that lead to it, joined by underscores. */
  readonly name: string
  readonly path: readonly string[]
  readonly kind: Kind
}

/** Of places with the same name, a property of the record counts, otherwise the first. */
export function placesOf(shape: Shape): Place[] {
  const own = shape.fields.map(({ name, kind }) => ({ name, path: [name], kind }))
  const names = new Set(own.map(({ name }) => name))
  const inner = placesInside(shape.fields, [], [])
  return [...own, ...inner.filter(({ name }) => !names.has(name) && names.add(name))]
}

function placesInside(fields: readonly Field[], path: readonly string[], passed: readonly string[]): Place[] {
  return fields.flatMap(({ name, kind }) => {
    if (kind.kind !== 'object' || passed.includes(kind.def)) return []
    const here = [...path, name]
    const inner = kind.fields()
    const own = inner.map((field) => {
      const full = [...here, field.name]
      return { name: full.join('_'), path: full, kind: field.kind }
    })
    return [...own, ...placesInside(inner, here, [...passed, kind.def])]
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

/** The single value of a record that sorting and measures name. */
export function keyNamed(world: World, record: PlainRecord, name: string): Key {
  const subject = recordSubject(world, record)
  const place = placesOf(shapeOf(world, record.collection)).find((one) => one.name === name)
  if (place !== undefined) return scalarKey(place.kind, readPath(subject, place.path))
  const { kind, value } = readField(subject, name)
  return scalarKey(kind, value)
}
