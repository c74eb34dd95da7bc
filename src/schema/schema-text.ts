/** The schema as text (SDL), and the hash that identifies its version. */
import { createHash } from 'node:crypto'
import type { GraphQLSchema } from 'graphql'
import { printSchema } from 'graphql/utilities/printSchema'
import { withSemanticNonNull } from './graphql/semantic-non-null.ts'

export interface SchemaText {
  readonly text: string
  /** sha-256 of the text, in hex. */
  readonly hash: string
}

const texts = new WeakMap<GraphQLSchema, SchemaText>()

/** Printed on first use, then cached. */
export function schemaText(schema: GraphQLSchema): SchemaText {
  const known = texts.get(schema)
  if (known !== undefined) return known
  const text = `${withSemanticNonNull(schema, printSchema(schema))}\n`
  const printed = { text, hash: createHash('sha256').update(text).digest('hex') }
  texts.set(schema, printed)
  return printed
}
