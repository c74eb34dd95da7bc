/**
 * Replaces the declared type of a variable by the type that its places expect, if it is declared as the schema of another
 * server of these records has it: a String where a scalar is written as text, lists of nullable elements, other names of
 * the conditions on a field. Values are then coerced to that type, which refuses a null element. A variable whose places
 * expect several types becomes one of each.
 */
import type {
  DefinitionNode,
  DocumentNode,
  GraphQLInputType,
  GraphQLSchema,
  OperationDefinitionNode,
  TypeNode,
  ValidationRule,
  VariableDefinitionNode,
} from 'graphql'
import { Kind, parseType, print, visit } from 'graphql/language'
import { getNullableType, isInputObjectType, isListType, isNonNullType, isScalarType } from 'graphql/type'
import { TypeInfo, visitWithTypeInfo } from 'graphql/utilities/TypeInfo'
import { ASTValidationContext } from 'graphql/validation/ValidationContext'
import { VariablesInAllowedPositionRule } from 'graphql/validation/rules/VariablesInAllowedPositionRule'
import type { Json } from '../../util/is-object.ts'

/** The same document if nothing is to be changed. Each operation declares the copies that it and its fragments use. */
export function withExpectedTypes(schema: GraphQLSchema, document: DocumentNode): DocumentNode {
  const { renamed, copiesIn } = copyVariables(schema, document)
  const context = new ASTValidationContext(document, () => undefined)
  let isChanged = false
  const definitions = document.definitions.map((operation, at): DefinitionNode => {
    const copied = renamed.definitions[at] as DefinitionNode
    if (operation.kind !== Kind.OPERATION_DEFINITION) return copied
    const used = [operation, ...context.getRecursivelyReferencedFragments(operation)]
    const copies = new Map(used.flatMap((each) => [...(copiesIn.get(each) ?? [])]))
    const byName = Map.groupBy(copies, ([, { name }]) => name)
    const variableDefinitions = operation.variableDefinitions?.flatMap((definition) => {
      const own = byName.get(definition.variable.name.value)
      // One that is used nowhere is left for the validator.
      if (own === undefined) return [definition]
      return own.map(([value, { locationType }]) => {
        const type = locationType && expected(schema, definition, locationType)
        if (type && type !== print(definition.type)) isChanged = true
        const variable = { ...definition.variable, name: { ...definition.variable.name, value } }
        return { ...definition, variable, ...(type && { type: parseType(type, { noLocation: true }) }) }
      })
    })
    return { ...copied, ...(variableDefinitions && { variableDefinitions }) }
  })
  return isChanged ? { ...document, definitions } : document
}

interface Copy {
  /** The name of the variable in the document. */
  readonly name: string
  /** The type that its location expects; null if the schema does not know the location. */
  readonly locationType: GraphQLInputType | null
}

/** Copies each variable for each type that a location expects; `copiesIn` has those of a definition by their names. */
function copyVariables(schema: GraphQLSchema, document: DocumentNode) {
  const info = new TypeInfo(schema)
  const copiesIn = new Map<DefinitionNode, Map<string, Copy>>()
  let own = new Map<string, Copy>()
  const enter = (definition: DefinitionNode): void => {
    own = new Map()
    copiesIn.set(definition, own)
  }
  const renamed = visit(
    document,
    visitWithTypeInfo(info, {
      OperationDefinition: enter,
      FragmentDefinition: enter,
      VariableDefinition: () => false,
      Variable(node) {
        const locationType = info.getInputType() ?? null
        const { value: name } = node.name
        // No name in a document has a colon.
        const copy = `${name}:${String(getNullableType(locationType))}`
        own.set(copy, { name, locationType })
        return { ...node, name: { ...node.name, value: copy } }
      },
    }),
  )
  return { renamed, copiesIn }
}

/** The rule of the specification, but lists and their elements may be variables that can be null, refused when sent. */
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

/** The values that the caller gave, by the names that the operation declares. */
export function givenValues({ variableDefinitions = [] }: OperationDefinitionNode, raw: Json): Json {
  const given: Record<string, unknown> = Object.create(null)
  for (const { value: name } of variableDefinitions.map(({ variable }) => variable.name))
    if (Object.hasOwn(raw, givenName(name))) given[name] = raw[givenName(name)]
  return given
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
