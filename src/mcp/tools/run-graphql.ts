/** The tool `run_graphql`: runs any query and cuts its data to the budget. */
import { Kind, parse } from 'graphql'
import { ServiceError } from '../../errors.ts'
import { assertTextWithin } from '../../query/parse/document-limits.ts'
import { faultText } from '../graphql/ask.ts'
import { budgets, cutText, fitValue, tokensOfJson } from '../words/budget.ts'
import { EndpointError } from '../graphql/endpoint.ts'
import { plainText, plainValue } from '../words/plain-text.ts'
import type { Toolbox } from './toolbox.ts'
import { argumentsOf, type Json, schemaOf, type Tool, ToolError } from './tool.ts'

const mostCuts = 5

export function createRunGraphql({ given: { endpoint } }: Toolbox): Tool {
  return {
    name: 'run_graphql',
    title: 'Run a GraphQL query',
    description:
      'For what the other tools cannot ask; start from a query that they returned. Lists are cut to max_tokens.',
    inputSchema: argumentsOf(
      {
        query: { type: 'string' },
        variables: { type: 'object' },
        max_tokens: { type: 'integer', minimum: 200, maximum: 20000 },
      },
      ['query'],
    ),
    outputSchema: schemaOf(
      {
        data: { type: 'object' },
        cut: { type: 'array', items: { type: 'object' } },
        errors: { type: 'array', items: { type: 'string' } },
        cost: { type: ['integer', 'null'] },
        hint: { type: 'string' },
      },
      ['data'],
    ),
    async run({ query, variables, max_tokens: most }, signal) {
      if (operationsIn(String(query)) > 1)
        throw new ToolError('The document has several operations; send each by itself.')
      const question = {
        query: String(query),
        ...(typeof variables === 'object' && variables !== null ? { variables: variables as Json } : {}),
      }
      const { data, errors, cost } = await endpoint.ask(question, signal)
      if (data === null) throw new EndpointError(faultText(errors))
      const messages = errors.slice(0, 3).map(({ message }) => cutText(plainText(message), 300))
      const frame = { data: {}, cut: [], errors: messages, cost }
      const room = (typeof most === 'number' ? most : budgets.run_graphql) - tokensOfJson(frame) - 100
      const { value, cut, shortened } = fitValue(plainValue(data), Math.max(room, 50))
      const hint =
        cut.length > 0
          ? 'Lists lost their ends: ask for smaller pages and follow the cursors.'
          : shortened
            ? 'Long texts were cut (…): select fewer fields or give max_tokens.'
            : null
      return {
        data: value as Json,
        ...(cut.length > 0
          ? { cut: cut.slice(0, mostCuts).map((one) => ({ ...one, path: cutText(one.path, 60) })) }
          : {}),
        ...(messages.length > 0 ? { errors: messages } : {}),
        ...(hint === null ? {} : { hint }),
        cost,
      }
    },
  }
}

/** The service reports syntax errors, so that they count 0 here. A text over a limit is not parsed. */
function operationsIn(text: string): number {
  try {
    assertTextWithin(text)
    return parse(text).definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length
  } catch (error) {
    if (error instanceof ServiceError) throw new ToolError(error.message)
    return 0
  }
}
