/** The tool `validate_graphql`: validates a query against the schema; errors name the nearest valid names. */
import { type GraphQLError, Kind, type OperationDefinitionNode } from 'graphql'
import { ServiceError } from '../../errors.ts'
import { coerceVariables, findOperation, prepare, RequestErrors } from '../../query/parse/prepare.ts'
import { fitValue } from '../words/budget.ts'
import { cutText } from '../words/plain-text.ts'
import { argumentsOf, type Toolbox, type ToolDefinition } from './toolbox.ts'
import type { Json } from './tool.ts'

interface ValidateArguments extends Json {
  readonly query: string
  readonly variables?: Json
}

const mostErrors = 5

export function createValidateGraphql(): ToolDefinition {
  return {
    name: 'validate_graphql',
    title: 'Check a GraphQL query',
    description: 'Checks a query against the schema without running it.',
    inputSchema: argumentsOf({ query: 'string', variables: { type: 'object', description: 'By name.' } }, [
      'query',
    ]),
    run: async (args: ValidateArguments, toolbox) =>
      fitValue(validate(args, toolbox), toolbox.budget).value as Json,
  }
}

function validate({ query, variables }: ValidateArguments, { schema }: Toolbox): Json {
  try {
    const operation = findOperation(prepare(schema, query), null)
    // Without variables, only their use in the document is validated.
    if (variables !== undefined) coerceVariables(schema, operation, variables)
    return { valid: true, reads: readsOf(operation) }
  } catch (error) {
    if (error instanceof RequestErrors)
      return { valid: false, errors: error.errors.slice(0, mostErrors).map(shown) }
    if (error instanceof ServiceError) return { valid: false, errors: [{ message: error.message }] }
    throw error
  }
}

function shown({ message, locations }: GraphQLError) {
  const [location] = locations ?? []
  return {
    message: cutText(message, 400),
    ...(location && { line: location.line, column: location.column }),
  }
}

function readsOf({ selectionSet }: OperationDefinitionNode): string[] {
  return selectionSet.selections.flatMap((selection) =>
    selection.kind === Kind.FIELD ? selection.name.value : [],
  )
}
