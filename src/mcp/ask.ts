/** One question to the endpoint, with its errors as a caller of a tool should read them. */
import { prepare } from '../query/prepare.ts'
import type { EndpointFault } from './endpoint.ts'
import { EndpointError } from './endpoint.ts'
import { cutText } from './budget.ts'
import { plainText } from './plain-text.ts'
import { ToolError, type ToolsGiven } from './tool.ts'

type Data = Readonly<Record<string, unknown>>

/** Throws a ToolError where there is no data. */
export async function ask(
  { endpoint, schema }: ToolsGiven,
  query: string,
  signal: AbortSignal,
): Promise<Data> {
  const { data, errors } = await reach(() => endpoint.ask({ query }, signal))
  if (data !== null) return data
  // What fits the lexicons here and not those there is nobody's mistake but that of who started this program.
  if (errors.some(({ code }) => code === 'GRAPHQL_VALIDATION_FAILED') && isValid(schema, query))
    throw new ToolError(
      'The service has other lexicons than this program; start it with --lexicons and the folder of those that the service has.',
    )
  throw new ToolError(faultText(errors))
}

/** A service that cannot be reached is told like any other failure of a call. */
export async function reach<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof EndpointError) throw new ToolError(plainText(error.message))
    throw error
  }
}

export function faultText(errors: readonly EndpointFault[]): string {
  const [first, ...more] = errors
  if (first === undefined) return 'The service answered with nothing.'
  const wait = first.retryAfter === null ? '' : ` Try again in ${first.retryAfter} seconds.`
  const others = more.slice(0, 2).map(({ message }) => ` ${cutText(plainText(message), 300)}`)
  return `${cutText(plainText(first.message), 500)}${wait}${others.join('')}`
}

function isValid(schema: ToolsGiven['schema'], query: string): boolean {
  try {
    prepare(schema, query)
    return true
  } catch {
    return false
  }
}
