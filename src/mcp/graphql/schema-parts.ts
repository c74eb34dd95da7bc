/** Splits the GraphQL schema by collection into parts of bounded length, which fit into a model's context. */
import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isIntrospectionType,
  isSpecifiedScalarType,
  printType,
} from 'graphql'
import type { Model } from '../../schema/model/model.ts'

export interface SchemaPart {
  /** Such as `TechServiceNewsArticle/2`; `shared` and `query` belong to no collection. */
  readonly name: string
  readonly types: readonly string[]
  /** SDL. */
  readonly text: string
}

/** Characters, about 2,500 tokens. A longer type is a separate part. */
const longest = 10_000

export function splitSchema(schema: GraphQLSchema, { collections }: Model): readonly SchemaPart[] {
  const owners = collections
    .map(({ typeName }) => typeName)
    .toSorted((one, other) => other.length - one.length)
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  )
  const query = schema.getQueryType()
  const groups = Map.groupBy(types, (type) =>
    type === query ? 'query' : (owners.find((owner) => type.name.startsWith(owner)) ?? 'shared'),
  )
  const order = ['query', ...collections.map(({ typeName }) => typeName), 'shared']
  return order.flatMap((owner) => pack(owner, groups.get(owner) ?? []))
}

/** In the order of the schema, but the record type first; each part has as many types as fit. */
function pack(owner: string, types: readonly GraphQLNamedType[]): SchemaPart[] {
  const runs: { readonly types: string[]; text: string }[] = []
  for (const type of types.toSorted(
    (one, other) => Number(other.name === owner) - Number(one.name === owner),
  )) {
    const text = printType(type)
    const last = runs.at(-1)
    if (last === undefined || last.text.length + text.length > longest) {
      runs.push({ types: [type.name], text })
    } else {
      last.types.push(type.name)
      last.text += `\n\n${text}`
    }
  }
  return runs.map(({ types: names, text }, index) => ({
    name: index === 0 ? owner : `${owner}/${index + 1}`,
    types: names,
    text,
  }))
}
