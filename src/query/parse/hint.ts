/** Types and functions for the hints on mistakes; see hints.ts. */
import type { GraphQLSchema } from 'graphql'
import { isObjectType } from 'graphql/type'
import type { Collection } from '../../schema/model/model.ts'

/**
 * A pattern of the validator's message, and the advice on what to write instead, given the names that the pattern
 * captures; null if there is no advice.
 */
export type Hint = readonly [
  pattern: RegExp,
  advice: (schema: GraphQLSchema, named: readonly string[]) => string | null,
]

/** The collection of a record type. */
export function collectionOf(schema: GraphQLSchema, typeName: string): Collection | undefined {
  const type = schema.getType(typeName)
  return isObjectType(type) ? type.extensions.collection : undefined
}
