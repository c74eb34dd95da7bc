/** What has changed between two schemas, as far as operations that were written for the old one are concerned. */
import type { GraphQLSchema } from 'graphql'
import {
  BreakingChangeType,
  DangerousChangeType,
  findSchemaChanges,
} from 'graphql/utilities/findSchemaChanges'

export interface SchemaChanges {
  /** Operations may be refused, or read fields of another type. */
  readonly breaking: readonly string[]
  /** Operations stay valid; programs that count on knowing everything may be surprised. */
  readonly dangerous: readonly string[]
}

/** Sentences, in the order of the schema. Whatever is only added or described otherwise is left out. */
export function findChanges(before: GraphQLSchema, after: GraphQLSchema): SchemaChanges {
  const changes = findSchemaChanges(before, after)
  const of = (types: Readonly<Record<string, string>>): string[] =>
    changes.filter(({ type }) => Object.hasOwn(types, type)).map(({ description }) => description)
  return { breaking: of(BreakingChangeType), dangerous: of(DangerousChangeType) }
}
