/** Sends one operation to the endpoint, in pages that every tier takes, and words its errors for callers of tools. */
import { printFields, printSelection, type Selection } from '../../ask/graphql-text.ts'
import { prepare } from '../../query/parse/prepare.ts'
import { EndpointError, type EndpointFault } from '../../endpoint/endpoint.ts'
import { cutPlain } from '../words/plain-text.ts'
import { wordRefusal } from '../words/service-refusals.ts'
import { instantText, parseInstant } from '../../util/instant.ts'
import type { Json } from '../../util/is-object.ts'
import type { ToolsGiven } from '../tools/tool.ts'

/** Throws an EndpointError unless the answer is complete. */
export async function ask({ endpoint, schema }: ToolsGiven, selection: Selection, signal: AbortSignal) {
  const query = printSelection(selection)
  const { data, errors } = await endpoint.ask({ query }, signal)
  // A partial answer is rejected, because callers would take failed fields for missing data.
  if (data !== null && errors.length === 0) return data
  // A query that is valid here but not at the service: the operator started this program with other lexicons.
  if (errors.some(({ code }) => code === 'GRAPHQL_VALIDATION_FAILED') && isValid(schema, query))
    throw new EndpointError(
      'The service has other lexicons than this program; start it with --lexicons and the folder of those that the service has.',
    )
  const texts = new Set(errors.slice(0, 3).map(wordRefusal))
  throw new EndpointError([...texts].join(' ') || noAnswer, { code: errors[0]?.code ?? null })
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

/** The largest page that callers without a key may ask for, and the smallest. */
export const pageSizes = { most: 100, least: 20 } as const

/** Asks for the largest page, or for the smallest if the caller's tier refuses that. */
export async function inPages<Answer>(ask: (size: number) => Promise<Answer>): Promise<Answer> {
  try {
    return await ask(pageSizes.most)
  } catch (error) {
    if (!(error instanceof EndpointError) || error.code !== 'BAD_USER_INPUT') throw error
    return ask(pageSizes.least)
  }
}

/** How fresh the index is: asked in the same operation, so that both are of one state. */
export const indexTimeSelection: Selection = { indexStatus: { collections: { newestIndexedAt: {} } } }

/** A caller's document, which may select `indexStatus` itself. */
const alias = 'lexigraphIndexTime'

/** `end`: position of the bracket that closes the operation. */
export function withOwnIndexTime(document: string, end: number): string {
  return `${document.slice(0, end)} ${alias}: ${printFields(indexTimeSelection)} ${document.slice(end)}`
}

/** The data without what `withOwnIndexTime` added. */
export function splitIndexTime({ [alias]: indexStatus, ...data }: Json) {
  return { data, asOf: indexStatus === undefined ? null : indexTime({ indexStatus }) }
}

/** When the newest record of all collections was stored; null without records. */
export function newestIndexed({ indexStatus }: Json): bigint | null {
  const { collections } = indexStatus as { collections: readonly { newestIndexedAt: string | null }[] }
  const times = collections.flatMap(({ newestIndexedAt }) => parseInstant(newestIndexedAt ?? '') ?? [])
  return times.reduce((last: bigint | null, time) => (last === null || time > last ? time : last), null)
}

/** The same, to the second. */
export function indexTime(data: Json): string | null {
  return instantText(newestIndexed(data))?.replace(/\.\d+/, '') ?? null
}
