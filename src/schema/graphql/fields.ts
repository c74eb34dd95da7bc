/** Orders the fields of a generated type and rejects duplicate root fields. */
import type { GraphQLFieldConfig, GraphQLFieldConfigMap } from 'graphql'
import type { Field } from '../model/model.ts'

export type Fields = GraphQLFieldConfigMap<unknown, unknown>

/** Sorts each generated `…Resolved` directly after its property; a property of that name keeps its own position. */
export function byPosition(fields: readonly Field[]) {
  const position = new Map<string, number>(
    fields.flatMap(({ name }, index) => [[`${name}Resolved`, index + 0.5] as const]),
  )
  for (const [index, { name }] of fields.entries()) position.set(name, index)
  return (a: readonly [string, unknown], b: readonly [string, unknown]) =>
    (position.get(a[0]) ?? 0) - (position.get(b[0]) ?? 0)
}

/** Two collections may need one root field: the aggregate of `a.b.c` and the list of `a.b.cAggregate`. */
export function uniqueFields(fields: readonly [string, GraphQLFieldConfig<unknown, unknown>][]): Fields {
  const origins = new Map<string, string>()
  for (const [name, { extensions }] of fields) {
    const role = extensions?.role
    const origin = role !== undefined && 'collection' in role ? role.collection.nsid : name
    const other = origins.get(name)
    if (other !== undefined)
      throw new Error(
        `The root field ${name} is needed twice: for ${other} and for ${origin}. Rename one of the lexicons.`,
      )
    origins.set(name, origin)
  }
  return Object.fromEntries(fields)
}
