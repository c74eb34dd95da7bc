/** Arguments of a GraphQL field from texts, such as the parameters of a URL, as variables of an operation. */
import type { GraphQLArgument, GraphQLField, GraphQLInputType } from 'graphql'
import { getNamedType, getNullableType, isInputObjectType, isListType } from 'graphql/type'
import { nearest } from '../../util/text/nearest.ts'
import { badInput } from '../parse/prepare.ts'

export interface ExportArguments {
  /** For the operation, such as `$where: ArticleWhereInput`. */
  readonly definitions: readonly string[]
  /** For the field, such as `where: $where`. */
  readonly uses: readonly string[]
  readonly variables: Readonly<Record<string, unknown>>
}

/** Texts are read by the type of their argument; the operation checks the values. */
export function readArguments(
  args: readonly GraphQLArgument[],
  given: ReadonlyMap<string, string>,
): ExportArguments {
  const found = args.filter(({ name }) => given.has(name))
  return {
    definitions: found.map(({ name, type }) => `$${name}: ${String(type)}`),
    uses: found.map(({ name }) => `${name}: $${name}`),
    variables: Object.fromEntries(
      found.map(({ name, type }) => [name, readArgument(name, type, given.get(name) ?? '')]),
    ),
  }
}

/** Throws for parameters that are neither arguments of the field nor known otherwise. */
export function assertKnown(
  given: ReadonlyMap<string, string>,
  { args }: Pick<GraphQLField<unknown, unknown>, 'args'>,
  others: readonly string[],
): void {
  const known = [...args.map(({ name }) => name), ...others]
  for (const name of given.keys()) {
    if (known.includes(name)) continue
    const guess = nearest(name, known)
    const hint = guess === null ? `An export has ${known.join(', ')}.` : `Did you mean \`${guess}\`?`
    throw badInput(`There is no parameter \`${name}\`. ${hint}`)
  }
}

/** JSON where it looks like JSON; otherwise names separated by commas, or the text itself. */
function readArgument(name: string, type: GraphQLInputType, text: string): unknown {
  const bare = getNullableType(type)
  const named = getNamedType(type)
  if (isListType(bare)) {
    if (/^\s*[[{]/.test(text)) return parseJson(name, text)
    const parts = text.split(',').map((part) => part.trim())
    return isInputObjectType(named) ? parts.map(readOrder) : parts
  }
  if (isInputObjectType(bare)) return parseJson(name, text)
  return named.name === 'Int' || named.name === 'Boolean' ? parseJson(name, text) : text
}

/** `publishedAt:desc` */
function readOrder(text: string): Readonly<Record<string, string>> {
  const [field = '', direction] = text.split(':')
  return direction === undefined ? { field } : { field, direction: direction.toUpperCase() }
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badInput(
      `\`${name}\` is not JSON. Write it as a variable of a GraphQL request, with names in quotes.`,
    )
  }
}
