/** `validate` of the tool `run_graphql`: validates a query against the schema; errors name the nearest valid names. */
import { type GraphQLError, type GraphQLSchema, Kind, type OperationDefinitionNode } from 'graphql'
import { ServiceError } from '../../errors.ts'
import { coerceVariables, findOperation, prepare, RequestErrors } from '../../query/parse/prepare.ts'
import { fitValue } from '../words/budget.ts'
import { cutText } from '../words/plain-text.ts'
import type { Toolbox } from './toolbox.ts'
import type { Json } from './tool.ts'

const mostErrors = 5

/** `{ valid: true, reads }` with the fields of the query, or `{ valid: false, errors }`; nothing is sent. */
export function validateGraphql(
  query: string,
  variables: Json | undefined,
  { schema, budget }: Pick<Toolbox, 'schema' | 'budget'>,
): Json {
  return fitValue(validate(query, variables, schema), budget).value as Json
}

function validate(query: string, variables: Json | undefined, schema: GraphQLSchema): Json {
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
