/** The tool `run_graphql`: runs any query and cuts its data to the budget. */
import { Kind, parse } from 'graphql'
import { ServiceError } from '../../errors.ts'
import { assertTextWithin } from '../../query/parse/limits.ts'
import { faultText } from '../graphql/ask.ts'
import { budgets, cutText, fitValue, tokensOfJson } from '../words/budget.ts'
import { EndpointError } from '../../endpoint/endpoint.ts'
import { cutPlain, plainValue } from '../words/plain-text.ts'
import { argumentsOf, present, schemaOf, type Toolbox, type ToolDefinition } from './toolbox.ts'
import { type Json, ToolError } from './tool.ts'

interface RunArguments extends Json {
  readonly query: string
  readonly variables?: Json
  readonly max_tokens?: number
}

const mostCuts = 5

export function createRunGraphql(): ToolDefinition {
  return {
    name: 'run_graphql',
    title: 'Run a GraphQL query',
    description:
      'For what the other tools cannot ask; start from a query that they returned. Lists are cut to max_tokens.',
    inputSchema: argumentsOf(
      {
        query: 'string',
        variables: 'object',
        max_tokens: { type: 'integer', minimum: 200, maximum: 20000 },
      },
      ['query'],
    ),
    outputSchema: schemaOf(
      {
        data: 'object',
        cut: 'objects',
        errors: 'strings',
        cost: { type: ['integer', 'null'] },
        hint: 'string',
      },
      ['data'],
    ),
    run,
  }
}

async function run(
  { query, variables, max_tokens: most = budgets.run_graphql }: RunArguments,
  toolbox: Toolbox,
): Promise<Json> {
  if (operationsIn(query) > 1)
    throw new ToolError('The document has several operations; send each by itself.')
  const { data, errors, cost } = await toolbox.send({ query, ...(variables && { variables }) })
  if (data === null) throw new EndpointError(faultText(errors))
  const messages = errors.slice(0, 3).map(({ message }) => cutPlain(message, 300))
  const frame = { data: {}, cut: [], errors: messages, cost }
  const { value, cut, shortened } = fitValue(plainValue(data), Math.max(most - tokensOfJson(frame) - 100, 50))
  const isCut = cut.length > 0
  const listHint = isCut ? 'Lists lost their ends: ask for smaller pages and follow the cursors.' : null
  const textHint = shortened ? 'Long texts were cut (…): select fewer fields or give max_tokens.' : null
  const cuts = cut.slice(0, mostCuts).map((one) => ({ ...one, path: cutText(one.path, 60) }))
  return {
    data: value,
    ...(isCut && { cut: cuts }),
    ...(messages.length > 0 && { errors: messages }),
    ...present({ hint: listHint ?? textHint }),
    cost,
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
