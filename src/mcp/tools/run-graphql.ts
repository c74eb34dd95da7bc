/** The tool `run_graphql`: runs any query and cuts its data to the budget, or only validates the query. */
import type { GraphQLError, GraphQLSchema, OperationDefinitionNode } from 'graphql'
import { Kind, OperationTypeNode, parse } from 'graphql'
import { ServiceError } from '../../errors.ts'
import { assertTextWithin } from '../../query/parse/limits.ts'
import {
  coerceInSteps,
  findOperation,
  prepare,
  RequestErrors,
  runAllSteps,
} from '../../query/parse/prepare.ts'
import { faultText, splitIndexTime, withOwnIndexTime } from '../graphql/ask.ts'
import { fitValue } from '../words/budget.ts'
import { tokensOfJson } from '../words/tokens.ts'
import { EndpointError } from '../../endpoint/endpoint.ts'
import { cutText } from '../words/plain-text.ts'
import { argumentsOf, present, type Toolbox, type ToolDefinition } from './toolbox.ts'
import { AskError } from '../../ask/ask-error.ts'
import type { Json } from '../../util/is-object.ts'

interface RunArguments extends Json {
  readonly query: string
  readonly variables?: Json
  readonly validate?: boolean
}

const mostCuts = 5

export const runGraphqlTool: ToolDefinition = {
  name: 'run_graphql',
  title: 'Run a GraphQL query',
  description:
    'For what other tools cannot ask; start from a query that cite gave. Lists are cut to max_tokens.',
  inputSchema: argumentsOf(
    {
      query: 'string',
      variables: { type: 'object', description: 'By name.' },
      validate: { type: 'boolean', description: 'Only checks the query.' },
    },
    ['query'],
  ),
  run: async ({ query, variables, validate: isOnlyChecked = false }: RunArguments, toolbox) =>
    isOnlyChecked
      ? (fitValue(validate(query, variables, toolbox.schema), toolbox.budget).value as Json)
      : run(query, variables, toolbox),
}

async function run(query: string, variables: Json | undefined, toolbox: Toolbox): Promise<Json> {
  const sent = { query: timed(query), ...(variables && { variables }) }
  const { data: given, errors, cost } = await toolbox.send(sent)
  if (given === null) throw new EndpointError(faultText(errors))
  const { data, asOf } = splitIndexTime(given)
  const messages = errors.slice(0, 3).map(({ message }) => cutText(message, 300))
  const frame = { asOf, data: {}, cut: [], errors: messages, cost }
  const { value, cut, shortened } = fitValue(data, Math.max(toolbox.budget - tokensOfJson(frame) - 100, 50))
  const isCut = cut.length > 0
  const listHint = isCut
    ? 'Lists lost their ends (cut): ask for pages of as many as were kept (first), and go on with after and the endCursor of pageInfo.'
    : null
  const textHint = shortened ? 'Long texts were cut (…): select fewer fields or give max_tokens.' : null
  const cuts = cut.slice(0, mostCuts).map((one) => ({ ...one, path: cutText(one.path, 60) }))
  return {
    ...present({ asOf }),
    data: value,
    ...(isCut && { cut: cuts }),
    ...(messages.length > 0 && { errors: messages }),
    ...present({ hint: listHint ?? textHint }),
    cost,
  }
}

/**
 * The document with the time of the index. The service reports syntax errors; a text over a limit is not parsed. What
 * asks about the schema is sent as it is.
 */
function timed(text: string): string {
  const operations = operationsIn(text)
  if (operations.length > 1) throw new AskError('The document has several operations; send each by itself.')
  const [operation] = operations
  const end = operation?.selectionSet.loc?.end
  const isOfData = operation?.operation === OperationTypeNode.QUERY && !/\b__(schema|type)\b/.test(text)
  return isOfData && end !== undefined ? withOwnIndexTime(text, end - 1) : text
}

function operationsIn(text: string): readonly OperationDefinitionNode[] {
  try {
    assertTextWithin(text)
    return parse(text).definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION)
  } catch (error) {
    if (error instanceof ServiceError) throw new AskError(error.message)
    return []
  }
}

const mostErrors = 5

/** `{ valid: true, reads }` with the fields of the query, or `{ valid: false, errors }`; nothing is sent. */
function validate(query: string, variables: Json | undefined, schema: GraphQLSchema): Json {
  try {
    const operation = findOperation(prepare(schema, query), null)
    // Without variables, only their use in the document is validated.
    if (variables !== undefined) runAllSteps(coerceInSteps(schema, operation, variables))
    const selected = operation.selectionSet.selections
    return { valid: true, reads: selected.flatMap((one) => (one.kind === Kind.FIELD ? one.name.value : [])) }
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
