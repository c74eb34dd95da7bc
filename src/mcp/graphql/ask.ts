/** Sends one query to the endpoint, and words its errors for callers of tools. */
import { prepare } from '../../query/parse/prepare.ts'
import { EndpointError, type EndpointFault } from '../../endpoint/endpoint.ts'
import { cutPlain } from '../words/plain-text.ts'
import { wordRefusal } from '../words/service-refusals.ts'
import type { Json, ToolsGiven } from '../tools/tool.ts'

/** Throws an EndpointError unless the answer is complete. */
export async function ask(
  { endpoint, schema }: ToolsGiven,
  query: string,
  signal: AbortSignal,
): Promise<Json> {
  const { data, errors } = await endpoint.ask({ query }, signal)
  // A partial answer is rejected, because callers would take failed fields for missing data.
  if (data !== null && errors.length === 0) return data
  // A query that is valid here but not at the service: the operator started this program with other lexicons.
  if (errors.some(({ code }) => code === 'GRAPHQL_VALIDATION_FAILED') && isValid(schema, query))
    throw new EndpointError(
      'The service has other lexicons than this program; start it with --lexicons and the folder of those that the service has.',
    )
  const { code = null, retryAfter = null } = errors[0] ?? {}
  throw new EndpointError(inWordsOfTools(errors), { code, retryAfter })
}

function inWordsOfTools(errors: readonly EndpointFault[]): string {
  const texts = [...new Set(errors.slice(0, 3).map(wordRefusal))]
  return texts.length === 0 ? noAnswer : texts.join(' ')
}

const noAnswer = 'The service answered with nothing.'

/** The errors as GraphQL words them, for callers who wrote the query. */
export function faultText(errors: readonly EndpointFault[]): string {
  const [first, ...more] = errors
  if (first === undefined) return noAnswer
  const wait = first.retryAfter === null ? '' : ` Try again in ${first.retryAfter} seconds.`
  const others = more.slice(0, 2).map(({ message }) => ` ${cutPlain(message, 300)}`)
  return `${cutPlain(first.message, 500)}${wait}${others.join('')}`
}

function isValid(schema: ToolsGiven['schema'], query: string): boolean {
  try {
    prepare(schema, query)
    return true
  } catch {
    return false
  }
}
