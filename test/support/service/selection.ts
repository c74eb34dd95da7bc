/** Everything a record has, as a GraphQL selection, and the answer that selection must get. */
import type { Reference } from '../../reference/reference.ts'
import { type Field, type Json, type Kind, typeNameOf } from '../../reference/shapes.ts'
import { linkOf } from '../../reference/dataset.ts'

/** Circular objects are followed this deep. */
const deepest = 3

/** All fields of an object or record, nested ones included, without resolving references. */
export function selectionOf(fields: readonly Field[], depth = deepest): string {
  return fields
    .flatMap((field) => {
      const inner = innerSelection(field.kind, depth)
      return inner === null ? [] : [`${field.name}${inner}`]
    })
    .join(' ')
}

export function innerSelection(kind: Kind, depth: number): string | null {
  switch (kind.kind) {
    case 'object':
      return depth === 0 ? null : ` { ${selectionOf(kind.fields(), depth - 1)} }`
    case 'array':
      return depth === 0 ? null : innerSelection(kind.of, depth)
    case 'reference':
      return kind.link === 'atUri' ? '' : ' { uri cid isCurrent }'
    case 'blob':
      return ' { ref mimeType size }'
    case 'union':
      return ` { __typename ${unionFragments} }`
    default:
      return ''
  }
}

const unionFragments = `
  ... on OrgExampleLibraryBookPaperback { grams }
  ... on OrgExampleLibraryBookRecording { minutes }
  ... on ComAtprotoRepoStrongRef { uri cid }
  ... on UnknownObject { type value }`

/** What `selectionOf` answers for this object. */
export function expectedObject(
  reference: Reference,
  fields: readonly Field[],
  object: Json,
  depth = deepest,
): Json {
  const known = fields.filter((field) => innerSelection(field.kind, depth) !== null)
  return Object.fromEntries(
    known.map((field) => [
      field.name,
      expectedValue(reference, field.kind, object[field.property] ?? null, depth),
    ]),
  )
}

export function expectedValue(reference: Reference, kind: Kind, value: Json, depth: number): Json {
  if (value === null) return null
  switch (kind.kind) {
    case 'object':
      return expectedObject(reference, kind.fields(), value, depth - 1)
    case 'array':
      return value.map((element: Json) => expectedValue(reference, kind.of, element, depth))
    case 'reference':
      return kind.link === 'atUri'
        ? value
        : { uri: value.uri, cid: value.cid, isCurrent: reference.isCurrent(linkOf(value)) }
    case 'blob':
      return { ref: value.ref?.$link ?? value.cid, mimeType: value.mimeType, size: value.size ?? null }
    case 'bytes':
      return value.$bytes
    case 'cidLink':
      return value.$link
    case 'union':
      return expectedMember(kind.members, value)
    default:
      return value
  }
}

function expectedMember(members: readonly string[], value: Json): Json {
  const { $type, ...rest } = value
  const member = members.find((origin) => origin === $type || origin === `${$type}#main`)
  if (member === undefined) return { __typename: 'UnknownObject', type: $type, value }
  return { __typename: typeNameOf(member.replace(/#main$/, '')), ...rest }
}

/** A selection that says which record it met, whatever its type. */
export function recordSelection(reference: Reference): string {
  const types = [...reference.shapes.values()].map((shape) => `... on ${shape.typeName} { uri }`)
  return `{ __typename ${types.join(' ')} }`
}

/** What `recordSelection` answers for a URI: null when nothing is indexed there. */
export function expectedRecord(reference: Reference, uri: string): Json {
  const record = reference.resolve(uri)
  return record === null ? null : { __typename: reference.shapes.get(record.collection)?.typeName, uri }
}
