/** The tool `validate_graphql`: validates a query against the schema; errors name the nearest valid names. */
import { type GraphQLError, Kind, type OperationDefinitionNode } from 'graphql'
import { ServiceError } from '../../errors.ts'
import { findOperation, prepare } from '../../query/parse/prepare.ts'
import { RequestErrors } from '../../query/parse/request-errors.ts'
import { coerceVariables } from '../../query/parse/variables.ts'
import { budgets, cutText, fitValue } from '../words/budget.ts'
import { plainText } from '../words/plain-text.ts'
import type { Toolbox } from './toolbox.ts'
import { argumentsOf, type Json, schemaOf, type Tool } from './tool.ts'

const mostErrors = 5

export function createValidateGraphql({ given: { schema } }: Toolbox): Tool {
  return {
    name: 'validate_graphql',
    title: 'Check a GraphQL query',
    description: 'Checks a query against the schema without running it.',
    inputSchema: argumentsOf({ query: { type: 'string' }, variables: { type: 'object' } }, ['query']),
    outputSchema: schemaOf(
      {
        valid: { type: 'boolean' },
        errors: { type: 'array', items: { type: 'object' } },
        reads: { type: 'array', items: { type: 'string' } },
      },
      ['valid'],
    ),
    async run({ query, variables }) {
      try {
        const operation = findOperation(prepare(schema, String(query)), null)
        // Without variables, only their use in the document is validated.
        if (typeof variables === 'object' && variables !== null)
          coerceVariables(schema, operation, variables as Json)
        return fitted({ valid: true, reads: readsOf(operation) })
      } catch (error) {
        if (error instanceof RequestErrors)
          return fitted({ valid: false, errors: error.errors.slice(0, mostErrors).map(shown) })
        if (error instanceof ServiceError)
          return fitted({ valid: false, errors: [{ message: error.message }] })
        throw error
      }
    },
  }
}

function shown({ message, locations }: GraphQLError) {
  const [place] = locations ?? []
  return {
    message: cutText(plainText(message), 400),
    ...(place === undefined ? {} : { line: place.line, column: place.column }),
  }
}

function readsOf({ selectionSet }: OperationDefinitionNode): string[] {
  return selectionSet.selections.flatMap((selection) =>
    selection.kind === Kind.FIELD ? selection.name.value : [],
  )
}

function fitted(whole: Json) {
  return fitValue(whole, budgets.validate_graphql).value as Json
}
