/** The interface of the GraphQL service that is asked, independent of its location, and how its responses are read. */
import { isObject, type Json, parseJson } from '../util/is-object.ts'

export interface EndpointQuestion {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

/** A GraphQL response, or the service's errors instead of one. */
export interface EndpointAnswer {
  /** Null if the request was rejected. */
  readonly data: Readonly<Record<string, unknown>> | null
  readonly errors: readonly EndpointFault[]
  /** Points, from `extensions.cost`; null without one. */
  readonly cost: number | null
}

export interface EndpointFault {
  readonly message: string
  /** `extensions.code`; null without one. */
  readonly code: string | null
  /** Seconds to wait before a retry; null if the service names none. */
  readonly retryAfter: number | null
}

export interface Endpoint {
  /** Returns the service's errors. Throws EndpointError if no GraphQL service answers, or the signal's reason. */
  ask(question: EndpointQuestion, signal: AbortSignal): Promise<EndpointAnswer>
}

/** The service could not be queried, or refused to answer; the message says why, and what to do. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError'
  /** Of the service's first error; null if it named none. */
  readonly code: string | null
  /** Seconds to wait before a retry; null if the service named none. */
  readonly retryAfter: number | null

  constructor(
    message: string,
    { code = null, retryAfter = null, ...options }: ErrorOptions & Partial<EndpointFault> = {},
  ) {
    super(message, options)
    this.code = code
    this.retryAfter = retryAfter
  }
}

/** A complete HTTP response. */
export interface RawAnswer {
  readonly status: number
  /** The value of `Content-Type`; null without one. */
  readonly type: string | null
  /** The value of `Retry-After`; null without one. */
  readonly retryAfter: string | null
  readonly body: string
}

/** Messages name the address. Throws EndpointError if the response is not from a GraphQL service. */
export function readGraphQLAnswer(raw: RawAnswer, address: string): EndpointAnswer {
  const seconds = parseSeconds(raw.retryAfter)
  const answer = readResponse(asObject(parseJson(raw.body)), seconds)
  if (answer.data !== null || answer.errors.length > 0) return answer
  const fault = faultsOfStatus[raw.status]
  if (fault === undefined) throw new EndpointError(noGraphQL(raw, address))
  const [code, message] = fault
  return { data: null, errors: [{ message, code, retryAfter: seconds }], cost: null }
}

/** `seconds`: how long to wait after errors that do not say it. */
export function readResponse(response: Json | null, seconds: number | null = null): EndpointAnswer {
  const errors = Array.isArray(response?.['errors']) ? response['errors'] : []
  const cost = asObject(response?.['extensions'])?.['cost']
  return {
    data: asObject(response?.['data']),
    errors: errors.map((error) => asFault(error, seconds)),
    cost: typeof cost === 'number' ? cost : null,
  }
}

function asFault(error: unknown, seconds: number | null): EndpointFault {
  const { message, extensions } = asObject(error) ?? {}
  const { code, retryAfter } = asObject(extensions) ?? {}
  return {
    message: typeof message === 'string' ? message : 'The service names an error without saying which.',
    code: typeof code === 'string' ? code : null,
    retryAfter: typeof retryAfter === 'number' ? retryAfter : seconds,
  }
}

/** Proxies and gateways in front of a service answer without GraphQL, although the address is right. */
const faultsOfStatus: Readonly<Record<number, readonly [code: string, message: string]>> = {
  401: ['UNAUTHENTICATED', 'The service refuses the caller (HTTP 401).'],
  403: ['UNAUTHENTICATED', 'The service refuses the caller (HTTP 403).'],
  429: ['RATE_LIMITED', 'The service has been asked too often.'],
  502: ['UNAVAILABLE', 'The service cannot answer now (HTTP 502).'],
  503: ['UNAVAILABLE', 'The service cannot answer now (HTTP 503).'],
  504: ['TIMEOUT', 'The service took too long to answer.'],
}

function noGraphQL({ status, type }: RawAnswer, address: string): string {
  const what = type === null ? `HTTP ${status}` : `HTTP ${status}, ${type.slice(0, 80)}`
  return `The server at ${address} is not a GraphQL service (${what}); name the address of GraphQL itself, such as https://news.example/api/graphql.`
}

/** Seconds; null for dates and unknown formats. */
function parseSeconds(header: string | null): number | null {
  return header !== null && /^\d{1,7}$/.test(header.trim()) ? Number(header) : null
}

function asObject(value: unknown): Json | null {
  return isObject(value) ? value : null
}
