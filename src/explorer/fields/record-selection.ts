/** Selects fields of a record in GraphQL, and reads them from the answer. */
import { type GraphQLSchema, isObjectType } from 'graphql'
import type { ShownField } from './shown-field.ts'

interface Tree {
  [name: string]: Tree
}

/** GraphQL for the fields of a record with this type, besides its URI; fields that cannot be read are left out. */
export function selectFields(fields: readonly ShownField[], typeName: string, schema: GraphQLSchema): string {
  const tree: Tree = { uri: {} }
  for (const field of fields) {
    let at = tree
    for (const part of pathOf(field, typeName, schema) ?? []) at = at[part] ??= {}
    at = tree
    for (const part of namePathOf(field, typeName, schema) ?? []) at = at[part] ??= {}
  }
  return print(tree)
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
  const value = read(record, path)
  if (typeof value !== 'string') return value
  const namePath = namePathOf(field, typeName, schema)
  const name = namePath === null ? null : read(record, namePath)
  return typeof name === 'string' && name !== '' ? ({ uri: value, name } satisfies NamedReference) : value
}

/** A reference of the record itself, with the text that names the record at its other end. */
export interface NamedReference {
  readonly uri: string
  readonly name: string
}

function namePathOf(
  { steps, targetTitle, target, isArray }: ShownField,
  typeName: string,
  schema: GraphQLSchema,
): readonly string[] | null {
  const [step] = steps
  if (targetTitle === null || target === null || step === undefined || steps.length > 1 || isArray)
    return null
  const type = schema.getType(typeName)
  const resolved = `${step.name}Resolved`
  if (!isObjectType(type) || type.getFields()[resolved] === undefined) return null
  return [resolved, `... on ${target.typeName}`, targetTitle]
}

/** Null if the record behind a reference has no field in the schema, because a property has its name. */
function pathOf(field: ShownField, typeName: string, schema: GraphQLSchema): readonly string[] | null {
  const path: string[] = []
  let on: string | null = typeName
  for (const { name, record, some } of field.steps) {
    if (record === null) path.push(name)
    else if (some) path.push(`${name}(first: 3)`, 'nodes')
    else {
      const type = on === null ? undefined : schema.getType(on)
      const resolved = `${name}Resolved`
      if (!isObjectType(type) || type.getFields()[resolved] === undefined) return null
      path.push(resolved, `... on ${record}`)
    }
    on = record
  }
  return field.type.kind === 'strongRef' ? [...path, 'uri'] : path
}

function print(tree: Tree): string {
  return Object.entries(tree)
    .map(([name, inner]) => (Object.keys(inner).length === 0 ? name : `${name} { ${print(inner)} }`))
    .join(' ')
}

function read(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.flatMap((each) => read(each, path) ?? [])
  const [part, ...rest] = path.filter((each) => !each.startsWith('... on '))
  if (part === undefined) return value
  if (typeof value !== 'object' || value === null) return undefined
  return read((value as Record<string, unknown>)[part.replace('(first: 3)', '')], rest)
}
