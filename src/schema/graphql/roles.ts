/** Roles: what each GraphQL field reads from the model. The field's `extensions` hold the role. */
import type { GraphQLFieldConfig, GraphQLFieldConfigMap, GraphQLScalarType, GraphQLType } from 'graphql'
import { GraphQLList, GraphQLNonNull } from 'graphql/type'
import type { Collection, Field, FieldType, Reference, SystemField } from '../model/model.ts'
import type { GroupField } from '../model/operators.ts'

export type FieldRole =
  | { readonly kind: 'connection' | 'aggregate' | 'byUri'; readonly collection: Collection }
  | { readonly kind: 'reverse'; readonly collection: Collection; readonly reference: Reference }
  | { readonly kind: 'node' | 'nodes' | 'search' | 'status' }
  | { readonly kind: 'system'; readonly name: SystemField }
  | { readonly kind: 'property' | 'resolved'; readonly field: Field }
  | { readonly kind: 'group' | 'groupResolved'; readonly field: GroupField }

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    role?: FieldRole
  }
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> {
    collection?: Collection
  }
}

export type FieldConfig = GraphQLFieldConfig<unknown, unknown>
export type Fields = GraphQLFieldConfigMap<unknown, unknown>

/** Of outputs and of inputs. */
export function nonNull(type: GraphQLType): GraphQLNonNull<GraphQLScalarType> {
  return new GraphQLNonNull(type as GraphQLScalarType)
}

export function listOf(type: GraphQLType) {
  return new GraphQLList(nonNull(type))
}

/** A reference is followed by the field of its record, unless another field has that name. */
export function withResolved(
  name: string,
  config: FieldConfig,
  resolved: FieldConfig,
  { kind }: FieldType,
  taken: ReadonlySet<string>,
): [string, FieldConfig][] {
  const own: [string, FieldConfig] = [name, config]
  const isFollowed = (kind === 'strongRef' || kind === 'atUri') && !taken.has(`${name}Resolved`)
  return isFollowed ? [own, [`${name}Resolved`, resolved]] : [own]
}
