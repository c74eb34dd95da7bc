/** Parses and validates documents, and coerces variables to the types that an operation declares. */
import type {
  DocumentNode,
  FragmentDefinitionNode,
  GraphQLSchema,
  OperationDefinitionNode,
  VariableValues,
} from 'graphql'
import { GraphQLError } from 'graphql/error'
import { getVariableValues } from 'graphql/execution/values'
import { Kind, OperationTypeNode, parse } from 'graphql/language'
import { NoFragmentCyclesRule } from 'graphql/validation/rules/NoFragmentCyclesRule'
import { specifiedRules } from 'graphql/validation/specifiedRules'
import { validate } from 'graphql/validation/validate'
import { type ErrorCode, ServiceError } from '../../errors.ts'
import { withHint, withSyntaxHint } from './hints.ts'
import { assertDocumentWithin, assertTextWithin, assertVariablesWithin } from './limits.ts'

/** More errors do not help, and formatting each one may take as long as the value that it shows. */
const mostErrors = 10

export interface Prepared {
  readonly operations: readonly OperationDefinitionNode[]
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/** Throws RequestErrors or ServiceError; the same text always gives the same result. */
export function prepare(schema: GraphQLSchema, text: string): Prepared {
  const document = parseWithin(text)
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
  const rules = assertDocumentWithin(document, fragments) ? specifiedRules : [NoFragmentCyclesRule]
  const errors = validate(schema, document, rules, { maxErrors: mostErrors })
  if (errors.some(({ message }) => message === 'Validation aborted.'))
    throw new ServiceError(
      'QUERY_TOO_COMPLEX',
      'Too many fields are selected more than once in one place to tell whether they agree. Select each once, or under other aliases.',
    )
  if (errors.length > 0)
    throw new RequestErrors(
      'GRAPHQL_VALIDATION_FAILED',
      errors.map((error) => withHint(schema, error)),
    )
  return { operations, fragments }
}

/** The operation with this name, or the only one. */
export function findOperation(prepared: Prepared, name: string | null): OperationDefinitionNode {
  const { operations } = prepared
  const named = operations.map((operation) => operation.name?.value ?? '(unnamed)').join(', ')
  if (name === null) {
    const [only, ...others] = operations
    if (only === undefined)
      throw new ServiceError('BAD_USER_INPUT', 'The document has no operation. Add a query.')
    if (others.length === 0) return only
    throw new ServiceError(
      'BAD_USER_INPUT',
      `The document has several operations: set operationName to one of ${named}.`,
    )
  }
  const found = operations.find((operation) => operation.name?.value === name)
  if (found !== undefined) return found
  throw new ServiceError('BAD_USER_INPUT', `The document has no operation named "${name}"; it has ${named}.`)
}

/** Throws RequestErrors or ServiceError. */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  raw: Readonly<Record<string, unknown>>,
): VariableValues {
  assertVariablesWithin(raw)
  const coerced = getVariableValues(schema, variableDefinitions, raw, { maxErrors: mostErrors })
  if (coerced.errors === undefined) return coerced.variableValues
  throw new RequestErrors(
    'BAD_USER_INPUT',
    coerced.errors.map((error) => withHint(schema, error)),
  )
}

/**
 * A request error of several parts with messages from graphql-js, each with its location in the document; the last may
 * say that there are more.
 */
export class RequestErrors extends Error {
  override name = 'RequestErrors'
  readonly code: ErrorCode
  readonly errors: readonly GraphQLError[]
  constructor(code: ErrorCode, errors: readonly GraphQLError[]) {
    super(errors[0]?.message ?? code)
    this.code = code
    const more = new GraphQLError(`There are more errors than these ${mostErrors}.`)
    this.errors = errors.length > mostErrors ? [...errors.slice(0, mostErrors), more] : errors
  }
}

function parseWithin(text: string): DocumentNode {
  try {
    assertTextWithin(text)
    // The specification requires a selection in every pair of braces; the library does not by default.
    return parse(text, { allowEmptySelectionSets: false })
  } catch (error) {
    if (error instanceof GraphQLError)
      throw new RequestErrors('GRAPHQL_PARSE_FAILED', [withSyntaxHint(error)])
    throw error
  }
}
