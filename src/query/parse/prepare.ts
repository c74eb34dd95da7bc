/**
 * Prepares an operation: parses and validates its document, coerces its variables to the types that it declares, collects
 * its fields (https://spec.graphql.org/September2025/#CollectFields()), and reads their arguments.
 */
import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLField,
  GraphQLObjectType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
  VariableValues,
} from 'graphql'
import { GraphQLError } from 'graphql/error'
import { getArgumentValues, getDirectiveValues, getVariableValues } from 'graphql/execution/values'
import { Kind, OperationTypeNode, parse } from 'graphql/language'
import { GraphQLIncludeDirective, GraphQLSkipDirective, isAbstractType } from 'graphql/type'
import { typeFromAST } from 'graphql/utilities/typeFromAST'
import { NoFragmentCyclesRule } from 'graphql/validation/rules/NoFragmentCyclesRule'
import { VariablesInAllowedPositionRule } from 'graphql/validation/rules/VariablesInAllowedPositionRule'
import { specifiedRules } from 'graphql/validation/specifiedRules'
import { type ErrorCode, ServiceError } from '../../errors.ts'
import { type Json, withoutPrototypes } from '../../util/is-object.ts'
import { withHint, withSyntaxHint } from './hints.ts'
import { withoutOmitted } from './omitted-variables.ts'
import { givenName, givenValues, variablesInAllowedPosition, withExpectedTypes } from './variable-types.ts'
import { validateInSteps } from './validate-in-steps.ts'
import { assertDocumentWithin, assertTextWithin, measureVariables, assertWithin } from './limits.ts'

/** More errors do not help, and formatting each one may take as long as the value that it shows. */
const mostErrors = 10
/** Maximum characters of all errors together; the validator prints the value that an error is about. */
const mostPrinted = 40_000
/** Characters from which a document with its variables is long: each step takes up to 5 ms, and together 20. */
export const longRequestLength = 4_000

const allRules = specifiedRules.map((rule) =>
  rule === VariablesInAllowedPositionRule ? variablesInAllowedPosition : rule,
)

export interface Prepared {
  readonly operations: readonly OperationDefinitionNode[]
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/** Throws RequestErrors or ServiceError; the same text always gives the same result. */
export function prepare(schema: GraphQLSchema, text: string): Prepared {
  return runAllSteps(prepareInSteps(schema, text))
}

/** Runs all steps without a pause. */
export function runAllSteps<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { value, done } = steps.next()
    if (done === true) return value
  }
}

/** `prepare` in steps, between which others may be answered. */
export function* prepareInSteps(schema: GraphQLSchema, text: string): Generator<void, Prepared> {
  checkingSyntax(() => assertTextWithin(text))
  yield
  // The specification requires a selection in every pair of braces; the library does not by default.
  const document = checkingSyntax(() => parse(text, { allowEmptySelectionSets: false }))
  yield
  return yield* prepareDocument(schema, document, maxErrorsFor(text.length))
}

/** Maximum errors of a document or of variables with so many characters. */
function maxErrorsFor(length: number): number {
  return Math.min(mostErrors, Math.max(1, Math.floor(mostPrinted / length)))
}

function* prepareDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  maxErrors: number,
): Generator<void, Prepared> {
  const fragments = new Map<string, FragmentDefinitionNode>()
  const operations: OperationDefinitionNode[] = []
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition)
  }
  const other = operations.find(({ operation }) => operation !== OperationTypeNode.QUERY)
  if (other !== undefined)
    throw new RequestErrors('GRAPHQL_VALIDATION_FAILED', [
      new GraphQLError(`This service is read-only: write a query instead of a ${other.operation}.`, {
        nodes: other,
      }),
    ])
  const isWhole = assertDocumentWithin(document, fragments)
  yield
  const rules = isWhole ? allRules : [NoFragmentCyclesRule]
  const errors = yield* validateInSteps(schema, document, rules, maxErrors)
  yield
  if (errors.some(({ message }) => message === 'Validation aborted.'))
    throw new ServiceError(
      'QUERY_TOO_COMPLEX',
      'Too many fields are selected more than once in one place to tell whether they agree. Select each once, or under other aliases.',
    )
  const hasVariables = operations.some(({ variableDefinitions }) => (variableDefinitions?.length ?? 0) > 0)
  const mayDiffer = errors.length > 0 && isWhole && hasVariables
  const expected = mayDiffer ? withExpectedTypes(schema, document) : document
  if (expected !== document) return yield* prepareDocument(schema, expected, maxErrors)
  const hinted = errors.map((error) => withHint(schema, error))
  if (hinted.length > 0) throw new RequestErrors('GRAPHQL_VALIDATION_FAILED', hinted, maxErrors)
  return { operations, fragments }
}

/** The operation with this name, or the only one. */
export function findOperation(prepared: Prepared, name: string | null): OperationDefinitionNode {
  const { operations } = prepared
  const named = operations.map((operation) => operation.name?.value ?? '(unnamed)').join(', ')
  if (name === null) {
    const [only, ...others] = operations
    if (only === undefined) throw badInput('The document has no operation. Add a query.')
    if (others.length === 0) return only
    throw badInput(`The document has several operations: set operationName to one of ${named}.`)
  }
  const found = operations.find((operation) => operation.name?.value === name)
  if (found !== undefined) return found
  throw badInput(`The document has no operation named "${name}"; it has ${named}.`)
}

/** Throws RequestErrors or ServiceError; in steps, as `prepareInSteps`. */
export function* coerceInSteps(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  raw: Json,
): Generator<void, VariableValues> {
  const maxErrors = maxErrorsFor(measureVariables(raw))
  yield
  const { variableDefinitions = [] } = operation
  const given = givenValues(operation, withoutPrototypes(raw) as Json)
  yield
  const coerced = getVariableValues(schema, variableDefinitions, given, { maxErrors })
  if (coerced.errors === undefined) return coerced.variableValues
  const hinted = coerced.errors.map((error) => withHint(schema, error))
  throw new RequestErrors('BAD_USER_INPUT', hinted, maxErrors)
}

/** A request error of several parts, each with its location in the document; the last may say that there are more. */
export class RequestErrors extends Error {
  override name = 'RequestErrors'
  readonly code: ErrorCode
  readonly errors: readonly GraphQLError[]
  constructor(code: ErrorCode, errors: readonly GraphQLError[], most = mostErrors) {
    super(errors[0]?.message ?? code)
    this.code = code
    const more = new GraphQLError(`There are more errors than ${most === 1 ? 'this one' : `these ${most}`}.`)
    this.errors = errors.length > most ? [...errors.slice(0, most), more] : errors
  }
}

function checkingSyntax<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof GraphQLError)
      throw new RequestErrors('GRAPHQL_PARSE_FAILED', [withSyntaxHint(error)])
    throw error
  }
}

export interface Selection {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: VariableValues
}

/** One response key: the field nodes that merge into it, and the field of the schema. */
export interface Collected {
  readonly key: string
  readonly name: string
  /** Undefined for `__typename`, which every type has. */
  readonly field: GraphQLField<unknown, unknown> | undefined
  readonly nodes: readonly FieldNode[]
  /** The merged selections below the field. */
  readonly selections: readonly SelectionSetNode[]
}

/** The fields selected of a concrete type, in response order. */
export function collectFields(
  selection: Selection,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): readonly Collected[] {
  const visited = new Set<string>()
  const nodesIn = (set: SelectionSetNode): readonly FieldNode[] =>
    set.selections.flatMap((node) => {
      if (!isIncluded(selection, node)) return []
      if (node.kind === Kind.FIELD) return [node]
      const isSpread = node.kind === Kind.FRAGMENT_SPREAD
      if (isSpread && visited.has(node.name.value)) return []
      if (isSpread) visited.add(node.name.value)
      const fragment = isSpread ? selection.fragments.get(node.name.value) : node
      const isOfType = fragment !== undefined && applies(selection.schema, type, fragment.typeCondition)
      return isOfType ? nodesIn(fragment.selectionSet) : []
    })
  const found = Map.groupBy(sets.flatMap(nodesIn), ({ alias, name }) => (alias ?? name).value)
  const fields = type.getFields()
  return Array.from(found, ([key, nodes]) => {
    const { value: name } = (nodes[0] as FieldNode).name
    const selections = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
    return { key, name, nodes, field: fields[name], selections }
  })
}

/** Coerced argument values; a fault in a variable is reported as the caller's. */
export function argumentsOf({ variables }: Selection, { field, nodes }: Collected): Json {
  if (field === undefined) return {}
  const node = withoutOmitted(nodes[0] as FieldNode, variables)
  return callersFault(() => getArgumentValues(field, node, variables))
}

/** The error for a mistake of the caller in an argument. */
export function badInput(message: string): ServiceError {
  return new ServiceError('BAD_USER_INPUT', message)
}

/** Errors that graphql-js throws during coercion are the caller's fault, such as a variable that is null. */
function callersFault<Result>(coerce: () => Result): Result {
  try {
    return coerce()
  } catch (error) {
    throw badInput(givenName(error instanceof Error ? error.message : String(error)))
  }
}

function isIncluded({ variables }: Selection, node: SelectionNode): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true
  return callersFault(
    () =>
      getDirectiveValues(GraphQLSkipDirective, node, variables)?.if !== true &&
      getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false,
  )
}

function applies(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  condition: FragmentDefinitionNode['typeCondition'] | undefined,
): boolean {
  if (condition === undefined) return true
  const wanted = typeFromAST(schema, condition)
  return wanted === type || (isAbstractType(wanted) && schema.isSubType(wanted, type))
}

/** Returns the text. NUL and lone surrogates are rejected, because no record can hold them. */
export function checkedText(name: string, text: string): string {
  assertWithin('characters', text.length, `\`${name}\` is too long`)
  if (text.includes('\0') || !text.isWellFormed())
    throw badInput(
      `\`${name}\` has a NUL character or half a surrogate pair, which no record can hold. Remove it.`,
    )
  return text
}

/** Returns an integer from `min` to `max`, or the default if the argument is absent or null. */
export function integerArgument(
  name: string,
  value: unknown,
  max: number,
  otherwise: number,
  min = 0,
): number {
  if (value === undefined || value === null) return otherwise
  if (typeof value === 'number' && value >= min && value <= max) return value
  throw badInput(`\`${name}: ${String(value)}\` is out of range: write ${min} to ${max}.`)
}

/** https://atproto.com/specs/at-uri-scheme: authority, then optional collection, then optional record key. */
const atUri = /^at:\/\/[A-Za-z0-9._:%-]+(\/[A-Za-z0-9.-]+(\/[A-Za-z0-9._~:@!$&'()*+,;=%-]+)?)?$/

export function isAtUri(text: string): boolean {
  return atUri.test(text)
}

export function checkedAtUri(uri: string): string {
  if (isAtUri(checkedText('uri', uri))) return uri
  throw badInput(
    `\`uri\` is no AT-URI. Write at://DID/COLLECTION/RECORD-KEY, such as at://did:plc:abc/app.example.post/3k2a.`,
  )
}

/** Throws BAD_USER_INPUT for null, which cannot be compared with anything. */
export function present(name: string, value: unknown): unknown {
  if (value !== null) return value
  throw badInput(
    `\`${name}: null\` in \`where\` says nothing. Ask for missing values with \`isNull: true\`, or leave \`${name}\` out.`,
  )
}
