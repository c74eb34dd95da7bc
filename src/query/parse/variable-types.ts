/**
 * Replaces the declared type of a variable by the type that its places expect, if it is declared as the schema of another
 * server of these records has it: a String where a scalar is written as text, lists of nullable elements, other names of
 * the conditions on a field. Values are then coerced to that type, which refuses a null element. A variable whose places
 * expect several types becomes one of each.
 */
import type { DocumentNode, GraphQLInputType, GraphQLSchema, TypeNode, VariableDefinitionNode } from 'graphql'
import { Kind, parseType, print, visit } from 'graphql/language'
import { isInputObjectType, isListType, isNonNullType, isScalarType } from 'graphql/type'
import { TypeInfo, visitWithTypeInfo } from 'graphql/utilities/TypeInfo'

/** The same document where nothing is to be changed. */
export function withExpectedTypes(schema: GraphQLSchema, document: DocumentNode): DocumentNode {
  const places = placesOf(schema, document)
  const operations = document.definitions.flatMap((each) =>
    each.kind === Kind.OPERATION_DEFINITION ? [each] : [],
  )
  /** The types of each variable that has to become several. */
  const copied = new Map<
    string,
    { readonly node: VariableDefinitionNode; readonly types: readonly string[] }
  >()
  let isChanged = false
  const typed = (node: VariableDefinitionNode): readonly VariableDefinitionNode[] => {
    const { value: name } = node.variable.name
    const found = Array.from(places.get(name) ?? [], (place) => expected(schema, node, place))
    const types = [...new Set(found)].filter((type) => type !== null)
    // An operation that does not use a copy would declare it in vain.
    const isMixed = found.includes(null) || (types.length > 1 && operations.length > 1)
    if (isMixed || types.length === 0 || (types.length === 1 && types[0] === print(node.type))) return [node]
    isChanged = true
    if (types.length > 1) copied.set(name, { node, types })
    return types.map((type, at) => ({
      ...node,
      type: parseType(type, { noLocation: true }),
      variable: { ...node.variable, name: { ...node.variable.name, value: copyOf(name, at) } },
    }))
  }
  const changed = visit(document, {
    OperationDefinition: (node) => ({
      ...node,
      variableDefinitions: node.variableDefinitions?.flatMap(typed),
    }),
  })
  if (copied.size === 0) return isChanged ? changed : document
  const info = new TypeInfo(schema)
  return visit(
    changed,
    visitWithTypeInfo(info, {
      VariableDefinition: () => false,
      Variable(node) {
        const { value: name } = node.name
        const [place, copy] = [info.getInputType(), copied.get(name)]
        if (place == null || copy === undefined) return undefined
        const at = copy.types.indexOf(expected(schema, copy.node, place) ?? '')
        return { ...node, name: { ...node.name, value: copyOf(name, at) } }
      },
    }),
  )
}

/** No name in a document has a colon. */
function copyOf(name: string, at: number): string {
  return at === 0 ? name : `${name}:${at}`
}

/** A variable's name, or an error about it, with the name that the caller gave it. */
export function givenName(text: string): string {
  return text.replace(/^((?:Variable "\$)?\w+):\d+/, '$1')
}

/** The types that are expected where each variable stands, in any operation or fragment. */
function placesOf(schema: GraphQLSchema, document: DocumentNode): ReadonlyMap<string, Set<GraphQLInputType>> {
  const places = new Map<string, Set<GraphQLInputType>>()
  const info = new TypeInfo(schema)
  visit(
    document,
    visitWithTypeInfo(info, {
      VariableDefinition: () => false,
      Variable({ name: { value: name } }) {
        const type = info.getInputType()
        if (type != null) places.set(name, (places.get(name) ?? new Set()).add(type))
      },
    }),
  )
  return places
}

/** The type of the declaration as the place expects it, as text; null where neither fits. */
function expected(
  schema: GraphQLSchema,
  { type: declared }: VariableDefinitionNode,
  place: GraphQLInputType,
): string | null {
  // Whether a variable may be left out is what its declaration says.
  const inner = fitting(schema, nullable(declared), isNonNullType(place) ? place.ofType : place)
  return inner === null ? null : inner + (declared.kind === Kind.NON_NULL_TYPE ? '!' : '')
}

function fitting(schema: GraphQLSchema, declared: TypeNode, place: GraphQLInputType): string | null {
  if (isListType(place)) {
    if (declared.kind !== Kind.LIST_TYPE) return null
    const of = place.ofType
    const element = fitting(schema, nullable(declared.type), isNonNullType(of) ? of.ofType : of)
    const isRequired = isNonNullType(of) || declared.type.kind === Kind.NON_NULL_TYPE
    return element === null ? null : `[${element}${isRequired ? '!' : ''}]`
  }
  if (declared.kind !== Kind.NAMED_TYPE || isNonNullType(place)) return null
  const { value: name } = declared.name
  const isText = name === 'String' && isScalarType(place) && !isNumeric.test(place.name)
  const isOtherName =
    (schema.getType(name) === undefined && isFieldCondition(place) && /^\w+FieldCondition$/.test(name)) ||
    // Conditions that differ in `matches` alone.
    (name === 'StringWhereInput' && place.name === 'SearchedTextWhereInput') ||
    name === place.name.replace(/Unsearched(?=WhereInput$)/, '')
  return isText || isOtherName ? place.name : null
}

/** Conditions on a value of a record; those on a whole record can be joined. */
function isFieldCondition(place: GraphQLInputType): boolean {
  return (
    isInputObjectType(place) && place.name.endsWith('WhereInput') && place.getFields()['AND'] === undefined
  )
}

const isNumeric = /^(Int|Float|Boolean|BigInt|JSON)$/

function nullable(type: TypeNode): TypeNode {
  return type.kind === Kind.NON_NULL_TYPE ? type.type : type
}
