/** Selects fields of a record, and reads them from the answer. */
import type { GraphQLSchema } from 'graphql'
import { mergeSelections, nested, onType, type Selection } from '../../ask/graphql-text.ts'
import { fieldsAlong, readAlong, resolvedName } from '../../ask/selection.ts'
import type { ShownField } from './shown-field.ts'

/** The fields of a record with this type, besides its URI; those that cannot be read are left out. */
export function selectFields(
  fields: readonly ShownField[],
  typeName: string,
  schema: GraphQLSchema,
): Selection {
  const paths = fields.flatMap((field) => [
    pathOf(field, typeName, schema),
    namePathOf(field, typeName, schema),
  ])
  const selections = paths.flatMap((path): Selection[] => (path === null ? [] : [nested(path)]))
  return mergeSelections([{ uri: {} }, ...selections])
}

/** The value of the field in a record of the answer; several where there is an array on the way. */
export function readField(
  record: unknown,
  field: ShownField,
  typeName: string,
  schema: GraphQLSchema,
): unknown {
  const path = pathOf(field, typeName, schema)
  if (path === null) return undefined
  const value = readAlong(record, path)
  if (typeof value !== 'string') return value
  const namePath = namePathOf(field, typeName, schema)
  const name = namePath === null ? null : readAlong(record, namePath)
  return typeof name === 'string' && name !== '' ? ({ uri: value, name } satisfies NamedReference) : value
}

/** A reference of the record itself, with the text that names the record at its other end. */
export interface NamedReference {
  readonly uri: string
  readonly name: string
}

function namePathOf(
  { words, targetTitle, target, isArray }: ShownField,
  typeName: string,
  schema: GraphQLSchema,
): readonly string[] | null {
  const [name = ''] = words
  if (targetTitle === null || target === null || words.length > 1 || isArray) return null
  const resolved = resolvedName(schema, typeName, name)
  return resolved === null ? null : [resolved, onType(target.typeName), targetTitle]
}

/** Null if the record behind a reference has no field in the schema, because a property has its name. */
function pathOf(
  { steps, type }: ShownField,
  typeName: string,
  schema: GraphQLSchema,
): readonly string[] | null {
  const fields = fieldsAlong(steps, typeName, schema)?.fields ?? null
  return fields !== null && type.kind === 'strongRef' ? [...fields, 'uri'] : fields
}
