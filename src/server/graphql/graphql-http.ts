/**
 * GraphQL over HTTP: parses requests, and chooses the status, headers and body of answers. It must not know the
 * framework or how queries are executed.
 */
import { isUtf8 } from 'node:buffer'
import type { GraphQLFormattedError } from 'graphql'
import { type ErrorCode, ServiceError, errorCodes } from '../../errors.ts'
import type { FileForm } from '../../files/file-spec.ts'
import type { GraphQLRequest } from '../../query/execute/execute.ts'
import { measureJson } from '../../util/text/json-depth.ts'
import { shorten } from '../../util/text/messages.ts'
import { rateLimit, rateLimitPolicy } from '../admission/limits/limiter.ts'
import type { RequestContext } from '../admission/request-context.ts'
import { crossOriginHeaders } from '../http/cross-origin.ts'
import type { ResponseType } from '../http/requests.ts'
import { isObject } from '../../util/is-object.ts'

/** A question, and how its answer is written: null for JSON. */
export interface AskedAnswer {
  readonly question: GraphQLRequest
  readonly form: FileForm | null
}

type Members = Readonly<Record<string, unknown>>

/** The members of a JSON body; throws a ServiceError that says what is wrong with it. */
export function parsePost(contentType: string | undefined, body: Uint8Array | undefined): Members {
  if (body === undefined || body.length === 0)
    throw new ServiceError('BAD_REQUEST', `The body is empty. ${bodyHint}`)
  if (contentType !== 'application/json') assertUtf8Charset(contentType)
  if (!isUtf8(body)) throw new ServiceError('BAD_REQUEST', 'The body is not valid UTF-8.')
  const request = parseJson(viewAsBuffer(body).toString('utf8'), 'The body')
  if (Array.isArray(request)) {
    throw new ServiceError(
      'BAD_REQUEST',
      `The body is an array. Batches are not taken: send one request at a time. ${bodyHint}`,
    )
  }
  if (!isObject(request)) throw new ServiceError('BAD_REQUEST', `The body is not a JSON object. ${bodyHint}`)
  return request
}

/** The members of a URL's query string, where `variables` and `extensions` are JSON text. */
export function parseGet(parameters: ReadonlyMap<string, string>): Members {
  return {
    ...Object.fromEntries(parameters),
    variables: parseJsonParameter(parameters, 'variables'),
    // GraphQL over HTTP treats an empty name in a URL like a missing one.
    operationName: parameters.get('operationName') || undefined,
    extensions: parseJsonParameter(parameters, 'extensions'),
  }
}

/** Parses the query string strictly: both the framework and `URLSearchParams` accept broken escapes. */
export function parseQueryString(url: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  const start = url.indexOf('?')
  if (start === -1) return parameters
  assertEscapes(url)
  // `URLSearchParams` drops the question mark that a text begins with.
  for (const [name, value] of new URLSearchParams(url.slice(start))) {
    if (parameters.has(name))
      throw new ServiceError('BAD_REQUEST', `The URL has the parameter "${name}" twice.`)
    parameters.set(name, value)
  }
  return parameters
}

/**
 * The status of a request error. Clients of `application/json` read 400 as "no GraphQL server here", so faults in the
 * GraphQL request are 200 for them; faults of the server and of access rights keep their status.
 */
export function statusOf(code: ErrorCode, type: ResponseType): number {
  const { status } = errorCodes[code]
  return status === 400 && type === 'application/json' ? 200 : status
}

type AnswerHeaders = Record<string, string | number>

/** The headers of every answer, data or error. */
export function headersOf(
  { context, id }: { readonly context: RequestContext | null; readonly id: string },
  type: ResponseType,
): AnswerHeaders {
  const headers: AnswerHeaders = {
    'content-type': `${type}; charset=utf-8`,
    'access-control-allow-origin': crossOriginHeaders['access-control-allow-origin'],
    'access-control-expose-headers': crossOriginHeaders['access-control-expose-headers'],
    vary: 'accept, accept-encoding, x-api-key',
    'x-content-type-options': 'nosniff',
    'x-request-id': id,
  }
  const tier = context?.caller?.tier
  if (tier === undefined || context?.allowance == null) return headers
  const policy = rateLimitPolicy(tier)
  if (policy !== null) headers['ratelimit-policy'] = policy
  headers.ratelimit = rateLimit(tier, context.allowance)
  return headers
}

export function errorBody(errors: readonly GraphQLFormattedError[]): string {
  return JSON.stringify({ errors })
}

export function formatError(error: ServiceError): GraphQLFormattedError {
  return { message: shorten(error.message), extensions: { code: error.code, ...error.details } }
}

/** A Buffer over the same bytes, which the framework sends without copying. */
export function viewAsBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

const bodyHint = 'Send a JSON object such as {"query": "{ __typename }"}.'

/** More than a `where` needs, two brackets for each of 64 levels, and far below what overflows the stack. */
const maxJsonDepth = 256
/** So many have variables that are over their own limit of 60,000, because at most every second is a bracket. */
const maxJsonParts = 120_000
const nothing = { depth: 0, parts: 0 }

function assertUtf8Charset(contentType: string | undefined): void {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', `The charset "${charset}" is not read. Send UTF-8.`)
  }
}

function parseJson(text: string, what: string): unknown {
  // A text cannot nest deeper than its length.
  const { depth, parts } = text.length > maxJsonDepth ? measureJson(text) : nothing
  if (depth > maxJsonDepth) {
    throw new ServiceError(
      'QUERY_TOO_COMPLEX',
      `${what} nests ${depth} levels of brackets; at most ${maxJsonDepth} are allowed.`,
      { limit: maxJsonDepth, actual: depth },
    )
  }
  if (parts > maxJsonParts)
    throw new ServiceError(
      'QUERY_TOO_COMPLEX',
      `${what} has too many names and values: ${parts} with the brackets, and the limit is ${maxJsonParts}.`,
      { limit: maxJsonParts, actual: parts },
    )
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ServiceError('BAD_REQUEST', `${what} is not valid JSON: ${(error as SyntaxError).message}.`)
  }
}

function parseJsonParameter(parameters: ReadonlyMap<string, string>, name: string): unknown {
  const text = parameters.get(name)
  return text ? parseJson(text, `The parameter "${name}"`) : undefined
}

function assertEscapes(url: string): void {
  try {
    decodeURIComponent(url)
  } catch {
    throw new ServiceError('BAD_REQUEST', 'The URL has an escape that is not percent-encoded UTF-8.')
  }
}

/** Throws a ServiceError that says which member is missing or wrong. */
export function asGraphQLRequest(members: Members): GraphQLRequest {
  const { query, variables, operationName, extensions } = members
  if (query == null) {
    // Clients of automatic persisted queries react to this message: they send the document, and no more hashes.
    if (isObject(extensions) && extensions['persistedQuery'] != null)
      throw new ServiceError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported')
    throw new ServiceError('BAD_REQUEST', `The request has no "query". ${bodyHint}`)
  }
  if (typeof query !== 'string') throw wrongType('query', 'a string', query)
  if (variables != null && !isObject(variables)) throw wrongType('variables', 'an object', variables)
  if (operationName != null && typeof operationName !== 'string') {
    throw wrongType('operationName', 'a string', operationName)
  }
  if (extensions != null && !isObject(extensions)) throw wrongType('extensions', 'an object', extensions)
  return { query, variables: variables ?? null, operationName: operationName ?? null }
}

function wrongType(member: string, wanted: string, value: unknown): ServiceError {
  const actual = Array.isArray(value)
    ? 'an array'
    : typeof value === 'object'
      ? 'an object'
      : `a ${typeof value}`
  return new ServiceError('BAD_REQUEST', `The member "${member}" must be ${wanted}, but it is ${actual}.`)
}
