/** Lists the changes between two schemas that concern operations written for the old one. */
import type { GraphQLSchema } from 'graphql'
import {
  BreakingChangeType,
  DangerousChangeType,
  findSchemaChanges,
} from 'graphql/utilities/findSchemaChanges'

export interface SchemaChanges {
  /** Operations may be rejected, or may read fields of another type. */
  readonly breaking: readonly string[]
  /** Operations stay valid, but programs that rely on a complete list, such as of enum values, may fail. */
  readonly dangerous: readonly string[]
}

/** Sentences in the order of the schema. Safe changes, such as new fields and new descriptions, are omitted. */
export function findChanges(before: GraphQLSchema, after: GraphQLSchema): SchemaChanges {
  const changes = findSchemaChanges(before, after)
  const of = (types: Readonly<Record<string, string>>): string[] =>
    changes.filter(({ type }) => Object.hasOwn(types, type)).map(({ description }) => description)
  return { breaking: of(BreakingChangeType), dangerous: of(DangerousChangeType) }
}
