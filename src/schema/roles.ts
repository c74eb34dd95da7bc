/** What a GraphQL field reads, kept in its extensions: the thread from the schema back to the model. */
import type { Collection, Field, Reference, SystemField } from './model.ts'
import type { GroupField } from './operators.ts'

export type FieldRole =
  | { readonly kind: 'connection' | 'aggregate' | 'byUri'; readonly collection: Collection }
  | { readonly kind: 'reverse'; readonly collection: Collection; readonly reference: Reference }
  | { readonly kind: 'system'; readonly name: SystemField }
  | { readonly kind: 'status' }
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
