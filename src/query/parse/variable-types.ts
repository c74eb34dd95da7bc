/**
 * Replaces the declared type of a variable by the type that its places expect, if it is declared as the schema of another
 * server of these records has it: a String where a scalar is written as text, lists of nullable elements, other names of
 * the conditions on a field. Values are then coerced to that type, which refuses a null element.
 */
import type { DocumentNode, GraphQLInputType, GraphQLSchema, TypeNode, VariableDefinitionNode } from 'graphql'
import { Kind, parseType, print, visit } from 'graphql/language'
import { isInputObjectType, isListType, isNonNullType, isScalarType } from 'graphql/type'
import { TypeInfo, visitWithTypeInfo } from 'graphql/utilities/TypeInfo'

/** The same document where nothing is to be changed. */
export function withExpectedTypes(schema: GraphQLSchema, document: DocumentNode): DocumentNode {
  const places = placesOf(schema, document)
  let isChanged = false
  const changed = visit(document, {
    VariableDefinition(node) {
      const types = new Set(
        Array.from(places.get(node.variable.name.value) ?? [], (place) => expected(schema, node, place)),
      )
      const [type = null] = types
      if (types.size !== 1 || type === null || type === print(node.type)) return undefined
      isChanged = true
      return { ...node, type: parseType(type, { noLocation: true }) }
    },
  })
  return isChanged ? changed : document
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
    schema.getType(name) === undefined && isFieldCondition(place) && /^[A-Za-z0-9]+FieldCondition$/.test(name)
  return name === place.name || isText || isOtherName ? place.name : null
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
