/**
 * Marks properties that no stored record lacks, in the schema's text. Their types stay nullable: otherwise a field that
 * one type requires and another does not could not be selected of both in one place.
 */
import type { GraphQLObjectType, GraphQLSchema } from 'graphql'
import { DirectiveLocation } from 'graphql/language'
import { GraphQLDirective, GraphQLInt, GraphQLList } from 'graphql/type'

/** https://relay.dev/docs/guides/semantic-nullability/ */
export const semanticNonNull = new GraphQLDirective({
  name: 'semanticNonNull',
  description: 'The value is never null, because the lexicon requires it.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: { levels: { type: new GraphQLList(GraphQLInt), default: { value: [0] } } },
})

/** `text`: the schema as the library prints it, each property on a line, without directives. */
export function withSemanticNonNull(schema: GraphQLSchema, text: string): string {
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
