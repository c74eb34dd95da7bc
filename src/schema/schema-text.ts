/** The schema as text (SDL), and the hash that identifies its version. */
import { createHash } from 'node:crypto'
import type { GraphQLObjectType, GraphQLSchema } from 'graphql'
import { DirectiveLocation } from 'graphql/language'
import { GraphQLDirective, GraphQLInt, GraphQLList } from 'graphql/type'
import { printSchema } from 'graphql/utilities/printSchema'

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

/** https://relay.dev/docs/guides/semantic-nullability/ */
export const semanticNonNull = new GraphQLDirective({
  name: 'semanticNonNull',
  description: 'The value is never null, because the lexicon requires it.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: { levels: { type: new GraphQLList(GraphQLInt), default: { value: [0] } } },
})

/**
 * Marks properties that no stored record lacks. Their types stay nullable: otherwise a field that one type requires and
 * another does not could not be selected of both in one place. `text`: the schema as the library prints it, each property
 * on a line, without directives.
 */
function withSemanticNonNull(schema: GraphQLSchema, text: string): string {
  let type: GraphQLObjectType | null = null
  let isDescription = false
  const marked = text.split('\n').map((line) => {
    if (line.trim() === '"""') isDescription = !isDescription
    if (isDescription) return line
    const [, opened = null] = /^type (\w+)/.exec(line) ?? []
    if (opened !== null || line === '}')
      type = (schema.getType(opened ?? '') ?? null) as GraphQLObjectType | null
    const [, field = ''] = /^  (\w+): \S+$/.exec(line) ?? []
    const role = type?.getFields()[field]?.extensions.role
    return role?.kind === 'property' && !role.field.mayMiss ? `${line} @${semanticNonNull.name}` : line
  })
  return marked.join('\n')
}
