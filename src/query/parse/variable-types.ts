/**
 * Replaces the declared type of a variable by the type that its places expect, if it is declared as the schema of another
 * server of these records has it: a String where a scalar is written as text, lists of nullable elements, other names of
 * the conditions on a field. Values are then coerced to that type, which refuses a null element. A variable whose places
 * expect several types becomes one of each.
 */
import type { DocumentNode, GraphQLInputType, GraphQLSchema, TypeNode, ValidationRule } from 'graphql'
import type { VariableDefinitionNode, VariableNode } from 'graphql'
import { Kind, parseType, print, visit } from 'graphql/language'
import { getNullableType, isInputObjectType, isListType, isNonNullType, isScalarType } from 'graphql/type'
import { TypeInfo, visitWithTypeInfo } from 'graphql/utilities/TypeInfo'
import { VariablesInAllowedPositionRule } from 'graphql/validation/rules/VariablesInAllowedPositionRule'

/** The same document where nothing is to be changed. */
export function withExpectedTypes(schema: GraphQLSchema, document: DocumentNode): DocumentNode {
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION)
  const declared = new Map(
    operations
      .flatMap(({ variableDefinitions = [] }) => variableDefinitions)
      .map((each) => [each.variable.name.value, { definition: each, types: new Set<string>() }]),
  )
  const info = new TypeInfo(schema)
  const renamed = visit(
    document,
    visitWithTypeInfo(info, {
      VariableDefinition: () => false,
      Variable(node) {
        const [variable, place] = [declared.get(node.name.value), info.getInputType()]
        if (variable === undefined || place == null) return undefined
        const type = expected(schema, variable.definition, place) ?? print(variable.definition.type)
        variable.types.add(type)
        return withType(node, type)
      },
    }),
  )
  const all = [...declared.values()]
  const isChanged = all.some(({ definition, types }) =>
    [...types].some((type) => type !== print(definition.type)),
  )
  // Of several operations one may not use a copy, which would be declared in vain.
  if (!isChanged || (operations.length > 1 && all.some(({ types }) => types.size > 1))) return document
  return visit(renamed, {
    OperationDefinition: ({ variableDefinitions = [], ...node }) => ({
      ...node,
      variableDefinitions: variableDefinitions.flatMap((definition) => {
        const { types } = declared.get(definition.variable.name.value) ?? { types: new Set<string>() }
        // One that is used nowhere is left for the validator.
        if (types.size === 0) return [definition]
        return Array.from(types, (type) => ({
          ...definition,
          type: parseType(type, { noLocation: true }),
          variable: withType(definition.variable, type),
        }))
      }),
    }),
  })
}

/**
 * The rule of the specification, but a list or an element of a list may be a variable that can be null, as where lists
 * are declared nullable. Its null is refused when it is sent.
 */
export const variablesInAllowedPosition: ValidationRule = (context) => {
  const isList = (type: GraphQLInputType | null | undefined): boolean => isListType(getNullableType(type))
  const usagesIn = (operation: Parameters<typeof context.getRecursiveVariableUsages>[0]) =>
    context
      .getRecursiveVariableUsages(operation)
      // With a default value, a place takes variables that can be null.
      .map((usage) =>
        isList(usage.type) || isList(usage.parentType) ? { ...usage, defaultValue: {} } : usage,
      )
  return VariablesInAllowedPositionRule(
    Object.create(context, { getRecursiveVariableUsages: { value: usagesIn } }),
  )
}

/** The copy of the variable that has this type; no name in a document has a colon. */
function withType(node: VariableNode, type: string): VariableNode {
  return { ...node, name: { ...node.name, value: `${node.name.value}:${type}` } }
}

/** A variable's name, or an error about variables, with the names that the caller gave them. */
export function givenName(text: string): string {
  return text.replaceAll(/(?<=^\w+|"\$\w+):[^" ]+/g, '')
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
