/** What advice on mistakes is made of; see hints.ts. */
import type { GraphQLSchema } from 'graphql'
import { isObjectType } from 'graphql/type'
import type { Collection } from '../../schema/model.ts'

/** A mistake by the validator's words, and what to write instead: from what the words name, null where there is no advice. */
export type Hint = readonly [
  pattern: RegExp,
  advice: (schema: GraphQLSchema, named: readonly string[]) => string | null,
]

/** Of a record's type. */
export function collectionOf(schema: GraphQLSchema, typeName: string): Collection | undefined {
  const type = schema.getType(typeName)
  return isObjectType(type) ? type.extensions.collection : undefined
}
