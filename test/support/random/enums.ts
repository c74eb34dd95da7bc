/** Enums of the program's own schema of the library, so that a value that is added there is drawn at once. */
import { type GraphQLSchema, isEnumType } from 'graphql'
import { buildGraphQLSchema } from '../../../src/schema/graphql/graphql.ts'
import { libraryLexicons, libraryReferences, libraryStories } from '../records/lexicons.ts'
import { understand } from '../records/understand.ts'

let schema: GraphQLSchema | undefined

export function librarySchema(): GraphQLSchema {
  schema ??= buildGraphQLSchema(understand(libraryLexicons, libraryReferences, libraryStories).model)
  return schema
}

export function enumNames<Name extends string = string>(type: string): readonly Name[] {
  const found = librarySchema().getType(type)
  if (!isEnumType(found)) throw new Error(`There is no enum ${type}.`)
  return found.getValues().map(({ name }) => name as Name)
}
